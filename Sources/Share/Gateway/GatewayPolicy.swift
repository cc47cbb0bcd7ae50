package import CredentialCore
package import Messages

/// The rules for what of a client's requests reaches the host: pure, each with a test.
package struct GatewayPolicy: Equatable, Sendable {
    package enum Scope: Equatable, Sendable {
        /// Whatever the account reaches there.
        case hosts([HostName])
        case repositories([RepositoryName])
    }

    package let scope: Scope
    package let isReadOnly: Bool
    /// Those that may be pushed; empty for every ref.
    package let branches: [BranchPattern]

    package init(_ scope: Scope, isReadOnly: Bool = false, branches: [BranchPattern] = []) {
        self.scope = scope
        self.isReadOnly = isReadOnly
        self.branches = branches
    }

    /// Each host of the scope once.
    package var hosts: [HostName] {
        switch scope {
        case .hosts(let hosts): hosts
        case .repositories(let repositories):
            repositories.reduce(into: []) { if !$0.contains($1.host) { $0.append($1.host) } }
        }
    }

    /// Those that may be pushed; nil for all.
    package var branchNames: DisplayText? {
        branches.isEmpty ? nil : branches.map(\.displayName).joined(separator: ", ")
    }

    /// What is asked of the host for a request.
    package func admit(_ head: RequestHead) throws(HTTPRefusal) -> HostRequest {
        guard let asked = GitEndpoint(head.method, head.target) else { throw .notFound }
        guard let endpoint = shared(asked) else { throw .notShared(asked.repository.displayName) }
        guard asked.service == .uploadPack || !isReadOnly else { throw .readOnly }
        return try HostRequest(endpoint, head)
    }

    /// The endpoint under the share's own name for the repository; nil if it is not shared.
    func shared(_ endpoint: GitEndpoint) -> GitEndpoint? {
        switch scope {
        case .hosts(let hosts):
            hosts.contains { $0.canonicalForHTTPS == endpoint.repository.host } ? endpoint : nil
        case .repositories(let repositories):
            repositories.first { $0 == endpoint.repository }.map(endpoint.spelt)
        }
    }

    /// Whether the share allows an exchange, as far as the connection's process describes it.
    func admits(_ intention: GatewayIntention) -> Bool {
        let isShared =
            switch scope {
            case .hosts(let hosts): hosts.contains { $0.canonicalForHTTPS == intention.repository.host }
            case .repositories(let repositories): repositories.contains(intention.repository)
            }
        return isShared && (!isReadOnly || intention.service == .uploadPack)
            && (branches.isEmpty
                || intention.commands.allSatisfy { command in branches.contains { $0.matches(command.ref) } })
    }

    /// Nil if all of it may be pushed.
    package func refusal(of push: Push) -> PushRefusal? {
        guard !branches.isEmpty else { return nil }
        if push.isSigned { return PushRefusal(of: push, .signed) { _ in true } }
        guard !push.commands.isEmpty else { return nil }
        if push.capabilities.contains(.pushOptions) { return PushRefusal(of: push, .options) { _ in true } }
        return PushRefusal(of: push, .branches(branches)) { ref in !branches.contains { $0.matches(ref) } }
    }
}

/// A request to the host: nothing of the client's own is in it but what is named here.
package struct HostRequest: Equatable, Sendable {
    package let endpoint: GitEndpoint
    package let body: BodyFraming
    private let gitProtocol: String?
    private let isCompressed: Bool

    fileprivate init(_ endpoint: GitEndpoint, _ head: RequestHead) throws(HTTPRefusal) {
        self.endpoint = endpoint
        body = head.body
        gitProtocol = head.gitProtocol
        // git(1), GIT_PROTOCOL: keys with or without a value, and colons.
        guard (gitProtocol ?? "").utf8.allSatisfy({ ASCII.isLetterOrDigit($0) || "=:.-_".utf8.contains($0) }) else {
            throw .malformed
        }
        isCompressed = !endpoint.isDiscovery && head.contentEncoding != nil
        guard !endpoint.isDiscovery else { return }
        guard head.contentType == endpoint.mediaType("request") else { throw .unsupportedMediaType }
        // A push is read here; git never compresses one.
        guard !isCompressed || head.contentEncoding == "gzip" && endpoint.service == .uploadPack else {
            throw .unsupportedMediaType
        }
    }

    package var method: RequestHead.Method { endpoint.isDiscovery ? .get : .post }

    package var address: HTTPSAddress {
        let host = endpoint.repository.host
        return HTTPSAddress(host: String(decoding: host.name, as: UTF8.self), port: host.port, path: endpoint.path)
    }

    /// Beside `Authorization`, `User-Agent` and those of the framing.
    package var fields: [(name: String, value: String)] {
        var fields = [("Accept", endpoint.isDiscovery ? "*/*" : endpoint.mediaType("result"))]
        if !endpoint.isDiscovery { fields.append(("Content-Type", endpoint.mediaType("request"))) }
        if isCompressed { fields.append(("Content-Encoding", "gzip")) }
        if let gitProtocol { fields.append(("Git-Protocol", gitProtocol)) }
        return fields
    }
}

extension GitEndpoint {
    /// gitprotocol-http(5), of a request or a result.
    fileprivate func mediaType(_ kind: String) -> String { "application/x-\(service.rawValue)-\(kind)" }
}

extension GatewayPolicy {
    /// What is shared, if that is not all of a host.
    package var subject: Message? {
        guard case .repositories(let repositories) = scope else { return nil }
        let words = repositories.map { Message("%1$s on %2$s", $0.displayName, DisplayText(untrusted: $0.host.text)) }
        return words.dropFirst().reduce(words.first) { list, next in list.map { Message("%1$s, %2$s", $0, next) } }
    }

    package var right: Message {
        if isReadOnly { return Message("read only") }
        return branchNames.map { Message("read; push to %1$s only", $0) } ?? Message("read and push")
    }
}
