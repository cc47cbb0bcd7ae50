package import CredentialCore
internal import Providers

/// A program that a request makes the host run (gitprotocol-http(5), "Smart Service").
package enum GitService: String, CaseIterable, Sendable {
    case uploadPack = "git-upload-pack"
    case receivePack = "git-receive-pack"
}

/// A repository on a host: `OWNER/NAME`, with an owner of any depth or without one.
///
/// Names are compared without regard to the case of ASCII letters, as on the large hosts.
package struct RepositoryName: Equatable, Sendable {
    package let host: HostName
    /// The path in the spelling of `RepositoryPath`, without `.git`.
    package let path: String

    /// Reads a path in any spelling, with or without `.git`; returns `nil` if it names no repository.
    package init?(host: HostName, path: String) {
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard let segments = RepositoryPath.segments(of: parts) else { return nil }
        self.init(host: host, segments: segments)
    }

    fileprivate init?(host: HostName, segments: [String]) {
        guard let segments = RepositoryPath.withoutSuffix(segments) else { return nil }
        self.host = host.canonicalForHTTPS
        path = segments.joined(separator: "/")
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.host == right.host && ASCII.equalsIgnoringCase(left.path.utf8, right.path)
    }

    package var displayName: DisplayText { DisplayText(untrusted: path.utf8) }
    package var displayHost: DisplayText { DisplayText(untrusted: host.text) }
    package var url: DisplayText { "https://\(displayHost)/\(DisplayText(trusted: path))" }

    /// `HOST/OWNER/NAME`.
    var address: String { "\(String(decoding: host.text, as: UTF8.self))/\(path)" }

    init?(address: String) {
        let host = address.utf8.prefix { $0 != UInt8(ascii: "/") }
        guard let path = String(address.utf8.dropFirst(host.count + 1)), let host = HostName(Array(host)),
            let repository = RepositoryName(host: host, path: path), repository.path == path
        else { return nil }
        self = repository
    }
}

/// The path and the query of a request (RFC 9112, 3.2.1), without anything that parsers decode, resolve or drop
/// differently.
struct RequestTarget: Equatable {
    /// The first part of the path: a host, which may have a port or be an IPv6 address.
    let authority: String
    /// The parts after the host, in the spelling of `RepositoryPath`.
    let segments: [String]
    let query: String?

    init?(_ text: some Collection<UInt8>) {
        let path = text.prefix { $0 != UInt8(ascii: "?") }
        guard path.first == UInt8(ascii: "/") else { return nil }
        let parts = path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard let first = parts.first, !first.isEmpty, !first.elementsEqual(".".utf8), !first.elementsEqual("..".utf8),
            ASCII.isPlain(first, with: "._~-:[]"), let segments = RepositoryPath.segments(of: Array(parts.dropFirst()))
        else { return nil }
        authority = String(decoding: first, as: UTF8.self)
        self.segments = segments
        query = path.count < text.count ? String(decoding: text.dropFirst(path.count + 1), as: UTF8.self) : nil
    }
}

/// A repository's refs, or a service of it (gitprotocol-http(5)).
package struct GitEndpoint: Equatable, Sendable {
    package private(set) var repository: RepositoryName
    package let service: GitService
    /// Whether the request is for `info/refs`, before any POST.
    package let isDiscovery: Bool
    /// `.git` if the request had it; only the host knows whether that names another repository.
    private let suffix: String

    init?(_ method: RequestHead.Method, _ target: RequestTarget) {
        var segments = target.segments
        let name: String
        switch method {
        case .get:
            guard segments.suffix(2) == ["info", "refs"], let query = target.query, query.hasPrefix("service=") else {
                return nil
            }
            name = String(query.dropFirst("service=".count))
            segments.removeLast(2)
        case .post:
            guard target.query == nil, let last = segments.popLast() else { return nil }
            name = last
        }
        // An empty port would be another spelling of no port.
        guard !target.authority.hasSuffix(":"), let host = HostName(Array(target.authority.utf8)),
            let repository = RepositoryName(host: host, segments: segments), let service = GitService(rawValue: name)
        else { return nil }
        self.repository = repository
        self.service = service
        isDiscovery = method == .get
        suffix = segments.last?.hasSuffix(RepositoryPath.suffix) == true ? RepositoryPath.suffix : ""
    }

    /// The endpoint in the share's spelling, for hosts that distinguish case.
    func spelt(as repository: RepositoryName) -> Self {
        var endpoint = self
        endpoint.repository = repository
        return endpoint
    }

    var path: String {
        let call = isDiscovery ? "info/refs?service=\(service.rawValue)" : service.rawValue
        return "/\(repository.path)\(suffix)/\(call)"
    }

    /// The media type of a request or a result (gitprotocol-http(5)).
    fileprivate func mediaType(_ kind: String) -> String { "application/x-\(service.rawValue)-\(kind)" }
}

/// A request to the host: only these properties are the client's.
package struct HostRequest: Equatable, Sendable {
    package let endpoint: GitEndpoint
    package let body: BodyFraming
    private let gitProtocol: String?
    private let isCompressed: Bool

    init(_ endpoint: GitEndpoint, _ head: RequestHead) throws(HTTPRefusal) {
        self.endpoint = endpoint
        body = head.body
        gitProtocol = head.fields[.gitProtocol]
        // Keys with or without a value, and colons (git(1), GIT_PROTOCOL).
        guard (gitProtocol ?? "").utf8.allSatisfy({ ASCII.isLetterOrDigit($0) || "=:.-_".utf8.contains($0) }) else {
            throw .malformed
        }
        isCompressed = !endpoint.isDiscovery && head.fields[.contentEncoding] != nil
        guard !endpoint.isDiscovery else { return }
        guard head.fields[.contentType] == endpoint.mediaType("request") else { throw .unsupportedMediaType }
        // The gateway must read a push; git never compresses one.
        guard !isCompressed || head.fields[.contentEncoding] == "gzip" && endpoint.service == .uploadPack else {
            throw .unsupportedMediaType
        }
    }

    package var method: RequestHead.Method { endpoint.isDiscovery ? .get : .post }

    package var address: HTTPSAddress {
        let host = endpoint.repository.host
        return HTTPSAddress(host: String(decoding: host.name, as: UTF8.self), port: host.port, path: endpoint.path)
    }

    /// The fields besides `Authorization`, `User-Agent` and the framing.
    package var fields: [(name: String, value: String)] {
        var fields = [("Accept", endpoint.isDiscovery ? "*/*" : endpoint.mediaType("result"))]
        if !endpoint.isDiscovery { fields.append(("Content-Type", endpoint.mediaType("request"))) }
        if isCompressed { fields.append(("Content-Encoding", "gzip")) }
        if let gitProtocol { fields.append(("Git-Protocol", gitProtocol)) }
        return fields
    }
}
