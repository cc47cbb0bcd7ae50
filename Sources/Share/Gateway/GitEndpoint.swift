package import CredentialCore

/// The program that a request wants the host to run; gitprotocol-http(5), "Smart Service".
package enum GitService: String, CaseIterable, Sendable {
    /// For a fetch.
    case uploadPack = "git-upload-pack"
    /// For a push.
    case receivePack = "git-receive-pack"
}

/// A repository on a host: `OWNER/NAME`, with an owner of any depth.
///
/// Two names are equal if they differ in the case of ASCII letters alone: the large hosts tell none apart.
package struct RepositoryName: Equatable, Sendable {
    package let host: HostName
    /// Without `.git`.
    package let path: String

    /// Nil unless it has the spelling of a `RequestTarget`; `.git` at its end is dropped.
    package init?(host: HostName, path: String) {
        self.host = host.canonicalForHTTPS
        self.path = path.hasSuffix(".git") ? String(path.dropLast(4)) : path
        guard RequestTarget.isPlain("/host/" + self.path) else { return nil }
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.host == right.host && ASCII.equalsIgnoringCase(left.path.utf8, right.path)
    }

    package var displayName: DisplayText { DisplayText(untrusted: path.utf8) }
}

/// The path and the query of a request (RFC 9112, 3.2.1), in the one spelling that this gateway reads.
struct RequestTarget: Equatable {
    let path: String
    let query: String?

    init?(_ text: String) {
        path = String(text.utf8.prefix { $0 != UInt8(ascii: "?") }) ?? ""
        query = path.utf8.count < text.utf8.count ? String(text.utf8.dropFirst(path.utf8.count + 1)) : nil
        guard Self.isPlain(path) else { return nil }
    }

    /// Segments of letters, digits, `.`, `_`, `~` and `-`, none of which is empty, `.` or `..`: nothing that one reader
    /// decodes, resolves or drops, and another does not.
    ///
    /// The first is a host, which may have a port or be an IPv6 address.
    static func isPlain(_ path: String) -> Bool {
        guard path.utf8.first == UInt8(ascii: "/") else { return false }
        let segments = path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return segments.enumerated().allSatisfy { number, segment in
            let marks = number == 0 ? "._~-:[]" : "._~-"
            return !segment.isEmpty && !segment.elementsEqual(".".utf8) && !segment.elementsEqual("..".utf8)
                && segment.allSatisfy { ASCII.isLetterOrDigit($0) || marks.utf8.contains($0) }
        }
    }
}

/// What is asked of a repository: its refs, or a service; gitprotocol-http(5).
package struct GitEndpoint: Equatable, Sendable {
    package private(set) var repository: RepositoryName
    package let service: GitService
    /// `info/refs`, before any POST.
    package let isDiscovery: Bool
    /// The repository's name had `.git`, which is for the host to understand.
    private let suffix: String

    init?(_ method: RequestHead.Method, _ target: RequestTarget) {
        var segments = target.path.utf8.dropFirst().split(separator: UInt8(ascii: "/"))
            .map { String(decoding: $0, as: UTF8.self) }
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
        // An empty port is another spelling of none.
        guard let authority = segments.first, !authority.hasSuffix(":"), let host = HostName(Array(authority.utf8)),
            let repository = RepositoryName(host: host, path: segments.dropFirst().joined(separator: "/")),
            let service = GitService(rawValue: name)
        else { return nil }
        self.repository = repository
        self.service = service
        isDiscovery = method == .get
        suffix = segments.last?.hasSuffix(".git") == true ? ".git" : ""
    }

    /// With the name as the share spells it, for hosts that do tell letters apart.
    func spelt(as repository: RepositoryName) -> Self {
        var endpoint = self
        endpoint.repository = repository
        return endpoint
    }

    /// On the host, with the query.
    var path: String {
        let call = isDiscovery ? "info/refs?service=\(service.rawValue)" : service.rawValue
        return "/\(repository.path)\(suffix)/\(call)"
    }
}
