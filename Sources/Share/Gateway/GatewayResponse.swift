package import CredentialCore

/// The reason why a request is not passed on, with the status and the sentence of the answer.
///
/// Sentences are in English like those of every server, and appear in git's output.
package enum HTTPRefusal: Error, Equatable, Sendable {
    /// The request violates RFC 9112 or the gateway's own rules, or ends too early.
    case malformed
    /// The target is no path of git's (`RequestTarget`).
    case otherPath
    /// The head has more than 8 KiB or 32 lines.
    case headTooLarge
    /// A POST has neither a length nor chunks.
    case lengthRequired
    case methodNotImplemented
    case versionNotSupported
    case expectationFailed
    /// The body's type is not one that git sends.
    case unsupportedMediaType
    /// git never asks for this path.
    case notFound
    case notShared(DisplayText)
    case readOnly
    /// A push has more than 1 MiB of commands.
    case pushTooLarge
    /// A push is refused, and its client did not announce that it reads `report-status`.
    case pushRefused(PushRefusal.Reason)
    /// The host answered 401 to a POST, or no other token helped.
    case tokenRejected(host: DisplayText)
    case forbidden(GitService, repository: DisplayText, host: DisplayText)
    case noSuchRepository(DisplayText, host: DisplayText)
    /// The host redirected to a repository that is not shared, or to another kind of page.
    case moved(DisplayText, host: DisplayText, to: DisplayText?)
    /// The host's answer has a status that git does not expect.
    case badGateway(host: DisplayText)
    /// The host cannot be reached; the log of the sharing side has the reason.
    case unreachable(host: DisplayText)
    /// There is no token, or it was not allowed; the log of the sharing side has the reason.
    case noToken(host: DisplayText)

    package var status: Int {
        switch self {
        case .malformed, .otherPath: 400
        case .notShared, .readOnly, .pushRefused, .forbidden, .noToken: 403
        // For a 401, git would ask for a password.
        case .tokenRejected: 403
        case .notFound, .noSuchRepository, .moved: 404
        case .lengthRequired: 411
        case .pushTooLarge: 413
        case .unsupportedMediaType: 415
        case .expectationFailed: 417
        case .headTooLarge: 431
        case .methodNotImplemented: 501
        case .badGateway, .unreachable: 502
        case .versionNotSupported: 505
        }
    }

    package var sentence: DisplayText {
        switch self {
        case .malformed: "gitspace: this is not a request that git sends"
        case .otherPath: "gitspace: a repository has no such path"
        case .headTooLarge: "gitspace: the head of the request is too large"
        case .lengthRequired: "gitspace: the request does not say how long it is"
        case .methodNotImplemented: "gitspace: only GET and POST are passed on"
        case .versionNotSupported: "gitspace: only HTTP/1.1 is understood here"
        case .expectationFailed: "gitspace: only 100-continue can be expected here"
        case .unsupportedMediaType: "gitspace: git sends no such content"
        case .notFound: "gitspace: only git's fetch and push are passed on"
        case .notShared(let repository): "gitspace: \(repository) is not shared here"
        case .readOnly: "gitspace: this share is read-only"
        case .pushTooLarge: "gitspace: too many refs in one push; push fewer at a time"
        case .pushRefused(let reason): reason.sentence
        case .tokenRejected(let host):
            "gitspace: \(host) rejected the token; where it is shared, run: git credential-gitspace login \(host)"
        case .forbidden(.uploadPack, let repository, let host):
            "gitspace: \(host) does not let this account read \(repository)"
        case .forbidden(.receivePack, let repository, let host):
            "gitspace: \(host) does not let this account push to \(repository)"
        case .noSuchRepository(let repository, let host):
            "gitspace: \(host) has no repository \(repository) that this account can see"
        case .moved(let repository, let host, let name?):
            "gitspace: \(host) sends \(repository) to \(name), a name that is not shared"
        case .moved(let repository, let host, nil): "gitspace: \(host) sends requests for \(repository) elsewhere"
        case .badGateway(let host): "gitspace: \(host) sent an unexpected response"
        case .unreachable(let host): "gitspace: \(host) cannot be reached; see why where it is shared"
        case .noToken(let host): "gitspace: no token for \(host); see why where it is shared"
        }
    }
}

extension HTTPRefusal {
    var rule: GatewayRefusal? {
        switch self {
        case .notShared: .notShared
        case .readOnly: .readOnly
        default: nil
        }
    }

    var fault: GatewayOutcome.Fault? {
        switch self {
        case .tokenRejected: .tokenRejected
        case .forbidden(.uploadPack, _, _): .readForbidden
        case .forbidden(.receivePack, _, _): .pushForbidden
        case .noSuchRepository: .missing
        case .moved: .moved
        case .unreachable: .unreachable
        case .badGateway: .malformed
        case .malformed, .otherPath, .headTooLarge, .lengthRequired, .methodNotImplemented, .versionNotSupported,
            .expectationFailed, .unsupportedMediaType, .notFound, .notShared, .readOnly, .pushTooLarge, .pushRefused,
            .noToken:
            nil
        }
    }
}

/// An answer to the client in HTTP/1.1.
package struct GatewayResponse {
    package enum Body: Equatable {
        case bytes([UInt8])
        /// A body in chunks, whatever framing the host used: two readers may disagree about that (RFC 9112, 6.3).
        case stream
    }

    package let status: Int
    package let fields: [(name: String, value: String)]
    package let body: Body
}

extension GatewayResponse {
    /// Makes the answer; git shows each line of its text as `remote: …`.
    package init(_ refusal: HTTPRefusal) {
        self.init(
            status: refusal.status, fields: [("Content-Type", "text/plain; charset=utf-8")],
            body: .bytes(Array("\(refusal.sentence)\n".utf8)))
    }

    /// The head, and the body if it is known; `closes` if no further request is read from this connection.
    package func encoded(closes: Bool = false) -> [UInt8] {
        var fields = fields
        switch body {
        case .bytes(let bytes): fields.append(("Content-Length", "\(bytes.count)"))
        case .stream: fields.append(("Transfer-Encoding", "chunked"))
        }
        if closes { fields.append(("Connection", "close")) }
        let lines = fields.map { "\($0.name): \($0.value)\r\n" }.joined()
        // The reason phrase may be empty, but the blank before it is required (RFC 9112, 4).
        let head = Array("HTTP/1.1 \(status) \r\n\(lines)\r\n".utf8)
        guard case .bytes(let bytes) = body else { return head }
        return head + bytes
    }

    /// The line before a chunk of at least one byte; `chunkEnd` follows the chunk.
    package static func chunkStart(_ count: Int) -> [UInt8] { Array("\(String(count, radix: 16))\r\n".utf8) }
    package static let chunkEnd = Array("\r\n".utf8)
    package static let lastChunk = Array("0\r\n\r\n".utf8)
}

/// The head of the host's answer, all of which is untrusted.
package struct HostAnswer {
    package enum Verdict {
        case pass(GatewayResponse)
        case answer(GatewayResponse)
        case refuse(HTTPRefusal)
        /// Repeats the request once with another token, after a 401 at `info/refs`.
        case askAgain
    }

    private let status: Int
    private let contentType: [UInt8]?
    private let cacheControl: [UInt8]?
    private let location: [UInt8]?

    package init(status: Int, contentType: [UInt8]? = nil, cacheControl: [UInt8]? = nil, location: [UInt8]? = nil) {
        self.status = status
        self.contentType = contentType
        self.cacheControl = cacheControl
        self.location = location
    }

    /// `isRepeated` if the answer is for the second token.
    package func verdict(on request: HostRequest, under policy: GatewayPolicy, isRepeated: Bool) -> Verdict {
        let endpoint = request.endpoint
        let (name, host) = (endpoint.repository.displayName, DisplayText(untrusted: endpoint.repository.host.text))
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
                    body: .stream))
        default: return .refuse(.badGateway(host: host))
        }
    }

    /// Decides about a redirect, such as GitLab's to a name with `.git`.
    ///
    /// The gateway never follows one; the client may, if the target is shared.
    private func redirection(of endpoint: GitEndpoint, under policy: GatewayPolicy) -> Verdict {
        let (name, host) = (endpoint.repository.displayName, DisplayText(untrusted: endpoint.repository.host.text))
        guard endpoint.isDiscovery, let new = target(for: endpoint.repository.host), new.service == endpoint.service,
            new.path != endpoint.path
        else { return .refuse(.moved(name, host: host, to: nil)) }
        guard let shared = policy.shared(new), shared.path != endpoint.path else {
            return .refuse(.moved(name, host: host, to: new.repository.displayName))
        }
        let path = "/\(String(decoding: shared.repository.host.text, as: UTF8.self))\(shared.path)"
        return .answer(GatewayResponse(status: 301, fields: [("Location", path)], body: .bytes([])))
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
