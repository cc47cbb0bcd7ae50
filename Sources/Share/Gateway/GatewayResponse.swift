package import CredentialCore

/// The reason why a request is not passed on, with the status and the sentence of the answer.
///
/// Sentences are in English like those of every server, and appear in git's output.
package struct HTTPRefusal: Error, Equatable, Sendable {
    package let status: Int
    package let sentence: DisplayText
    /// The rule of the share that forbids the request, for the log.
    let rule: ShareRefusal?
    /// The fault of the host's answer, for the log.
    let fault: GatewayOutcome.Fault?

    private init(_ status: Int, _ text: DisplayText, rule: ShareRefusal? = nil, fault: GatewayOutcome.Fault? = nil) {
        self.status = status
        sentence = "gitspace: \(text)"
        self.rule = rule
        self.fault = fault
    }

    /// The request violates RFC 9112 or the gateway's own rules, or ends too early.
    static let malformed = Self(400, "this is not a request that git sends")
    /// The target is no path of git's (`RequestTarget`).
    static let otherPath = Self(400, "a repository has no such path")
    /// The head has more than 8 KiB or 32 lines.
    static let headTooLarge = Self(431, "the head of the request is too large")
    /// A POST has neither a length nor chunks.
    static let lengthRequired = Self(411, "the request does not say how long it is")
    static let methodNotImplemented = Self(501, "only GET and POST are passed on")
    static let versionNotSupported = Self(505, "only HTTP/1.1 is understood here")
    static let expectationFailed = Self(417, "only 100-continue can be expected here")
    /// The body's type is not one that git sends.
    static let unsupportedMediaType = Self(415, "git sends no such content")
    /// git never asks for this path.
    static let notFound = Self(404, "only git's fetch and push are passed on")
    static func notShared(_ repository: DisplayText) -> Self {
        Self(403, "\(repository) is not shared here", rule: .notShared)
    }
    static let readOnly = Self(403, "this share is read-only", rule: .readOnly)
    /// A push has more than 1 MiB of commands.
    static let pushTooLarge = Self(413, "too many refs in one push; push fewer at a time")

    /// The refusal of a push to other branches; the sentence is repeated in each line of a report.
    static func branches(_ patterns: [BranchPattern]) -> Self {
        var names: DisplayText?
        for name in patterns.map(\.displayName) {
            let more = names.map { "\($0), \(name)" } ?? name
            guard more.text.utf8.count <= DisplayText.longest else {
                names = names.map { "\($0), ..." }
                break
            }
            names = more
        }
        return Self(403, "only \(names ?? "certain branches") may be pushed", rule: .branches)
    }
    static let signedPush = Self(403, "no signed push where branches are limited; push with --no-signed", rule: .signed)
    static let noPushOptions = Self(
        403, "no push options without share --pull-requests, where branches are limited; push without -o",
        rule: .pullRequests)
    static func pushOptions(_ text: DisplayText) -> Self { Self(403, text, rule: .options) }
    /// The sharing process gives no token for a push; the reason is in its log.
    static let pushNotAllowed = Self(403, "not allowed; see why where it is shared")

    /// The host answered 401 to a POST, or no other token helped; for a 401, git would ask for a password.
    static func tokenRejected(host: DisplayText) -> Self {
        Self(
            403, "\(host) rejected the token; where it is shared, run: git credential-gitspace login \(host)",
            fault: .tokenRejected)
    }
    static func forbidden(_ service: GitService, repository: DisplayText, host: DisplayText) -> Self {
        switch service {
        case .uploadPack: Self(403, "\(host) does not let this account read \(repository)", fault: .readForbidden)
        case .receivePack: Self(403, "\(host) does not let this account push to \(repository)", fault: .pushForbidden)
        }
    }
    static func noSuchRepository(_ repository: DisplayText, host: DisplayText) -> Self {
        Self(404, "\(host) has no repository \(repository) that this account can see", fault: .missing)
    }
    /// The host redirected to a repository that is not shared, or to another kind of page, which has no name.
    static func moved(_ repository: DisplayText, host: DisplayText, to name: DisplayText?) -> Self {
        let words: DisplayText? = name.map { "\(host) sends \(repository) to \($0), a name that is not shared" }
        return Self(404, words ?? "\(host) sends requests for \(repository) elsewhere", fault: .moved)
    }
    /// The host's answer has a status that git does not expect.
    static func badGateway(host: DisplayText) -> Self {
        Self(502, "\(host) sent an unexpected response", fault: .malformed)
    }
    /// The host cannot be reached; the log of the sharing side has the reason.
    static func unreachable(host: DisplayText) -> Self {
        Self(502, "\(host) cannot be reached; see why where it is shared", fault: .unreachable)
    }
    /// There is no token, or it was not allowed; the log of the sharing side has the reason.
    static func noToken(host: DisplayText) -> Self { Self(403, "no token for \(host); see why where it is shared") }
}

/// An answer to the client in HTTP/1.1.
package struct GatewayResponse {
    package let status: Int
    package let fields: [(name: String, value: String)]
    /// The body, or `nil` for one in chunks, whatever framing the host used: two readers may disagree about that
    /// (RFC 9112, 6.3).
    package let body: [UInt8]?
}

extension GatewayResponse {
    /// Makes the answer; git shows each line of its text as `remote: …`.
    package init(_ refusal: HTTPRefusal) {
        self.init(
            status: refusal.status, fields: [("Content-Type", "text/plain; charset=utf-8")],
            body: Array("\(refusal.sentence)\n".utf8))
    }

    /// The head, and the body if it is known; `closes` if no further request is read from this connection.
    package func encoded(closes: Bool = false) -> [UInt8] {
        var fields = fields
        fields.append(body.map { ("Content-Length", "\($0.count)") } ?? ("Transfer-Encoding", "chunked"))
        if closes { fields.append(("Connection", "close")) }
        let lines = fields.map { "\($0.name): \($0.value)\r\n" }.joined()
        // The reason phrase may be empty, but the blank before it is required (RFC 9112, 4).
        return Array("HTTP/1.1 \(status) \r\n\(lines)\r\n".utf8) + (body ?? [])
    }

    /// The line before a chunk of at least one byte; `chunkEnd` follows the chunk.
    package static func chunkStart(_ count: Int) -> [UInt8] { Array("\(String(count, radix: 16))\r\n".utf8) }
    package static let chunkEnd = Array("\r\n".utf8)
    package static let lastChunk = Array("0\r\n\r\n".utf8)
}

/// The head of the host's answer, all of which is untrusted.
struct HostAnswer {
    enum Verdict {
        case pass(GatewayResponse)
        case answer(GatewayResponse)
        case refuse(HTTPRefusal)
        /// Repeats the request once with another token, after a 401 at `info/refs`.
        case askAgain
    }

    let status: Int
    var contentType: [UInt8]?
    var cacheControl: [UInt8]?
    var location: [UInt8]?

    /// `isRepeated` if the answer is for the second token.
    func verdict(on request: HostRequest, under policy: GatewayPolicy, isRepeated: Bool) -> Verdict {
        let endpoint = request.endpoint
        let (name, host) = (endpoint.repository.displayName, endpoint.repository.displayHost)
        switch status {
        case 301, 302, 303, 307, 308: return redirection(of: endpoint, under: policy)
        case 401: return endpoint.isDiscovery && !isRepeated ? .askAgain : .refuse(.tokenRejected(host: host))
        case 403: return .refuse(.forbidden(endpoint.service, repository: name, host: host))
        case 404: return .refuse(.noSuchRepository(name, host: host))
        // A proxy sends 407 to its client, which is us.
        case 200, 400..<407, 408..<600:
            let fields = [("Content-Type", contentType), ("Cache-Control", cacheControl)]
            return .pass(
                GatewayResponse(
                    status: status, fields: fields.compactMap { name, value in Self.text(value).map { (name, $0) } },
                    body: nil))
        default: return .refuse(.badGateway(host: host))
        }
    }

    /// Decides about a redirect, such as GitLab's to a name with `.git`.
    ///
    /// The gateway never follows one; the client may, if the target is shared.
    private func redirection(of endpoint: GitEndpoint, under policy: GatewayPolicy) -> Verdict {
        let (name, host) = (endpoint.repository.displayName, endpoint.repository.displayHost)
        guard endpoint.isDiscovery, let new = target(for: endpoint.repository.host), new.service == endpoint.service,
            new.path != endpoint.path
        else { return .refuse(.moved(name, host: host, to: nil)) }
        guard let shared = policy.shared(new), shared.path != endpoint.path else {
            return .refuse(.moved(name, host: host, to: new.repository.displayName))
        }
        let path = "/\(String(decoding: shared.repository.host.text, as: UTF8.self))\(shared.path)"
        return .answer(GatewayResponse(status: 301, fields: [("Location", path)], body: []))
    }

    /// The refs of a repository on the same host, as `Location` names them (RFC 9110, 10.2.2).
    private func target(for host: HostName) -> GitEndpoint? {
        guard let location = Self.text(location) else { return nil }
        let authority = String(decoding: host.text, as: UTF8.self)
        let isPath = location.hasPrefix("/")
        guard let address = HTTPSAddress(parsing: isPath ? "https://\(authority)\(location)" : location),
            address.authority == authority, let target = RequestTarget("/\(authority)\(address.path)".utf8)
        else { return nil }
        return GitEndpoint(.get, target)
    }

    /// A value that fits into a field: printable ASCII.
    private static func text(_ value: [UInt8]?) -> String? {
        guard let value, value.count <= 2_048, value.allSatisfy({ (0x20...0x7e).contains($0) }) else { return nil }
        return String(decoding: value, as: UTF8.self)
    }
}
