package import CredentialCore
package import Helper

/// The rules by which a client's requests may reach the host.
package struct GatewayPolicy: Equatable, Sendable {
    package enum Scope: Equatable, Sendable {
        /// Everything that the account can reach there.
        case hosts([HostName])
        case repositories([RepositoryName])
    }

    package let scope: Scope
    package let isReadOnly: Bool
    /// The branches that may be pushed; empty for every ref.
    package let branches: [BranchPattern]
    /// Whether a push may ask for a pull request from one of those branches.
    package let opensPullRequests: Bool

    package init(
        _ scope: Scope, isReadOnly: Bool = false, branches: [BranchPattern] = [], opensPullRequests: Bool = false
    ) {
        self.scope = scope
        self.isReadOnly = isReadOnly
        self.branches = branches
        self.opensPullRequests = opensPullRequests && !branches.isEmpty
    }

    package var hosts: [HostName] {
        switch scope {
        case .hosts(let hosts): hosts
        case .repositories(let repositories): repositories.map(\.host).withoutRepetitions
        }
    }

    /// The only repositories, or `nil` if whole hosts are shared.
    package var repositories: [RepositoryName]? {
        if case .repositories(let repositories) = scope { repositories } else { nil }
    }

    package var branchNames: DisplayText? {
        branches.isEmpty ? nil : branches.map(\.displayName).joined(separator: ", ")
    }

    package func admit(_ head: RequestHead) throws(HTTPRefusal) -> HostRequest {
        guard let asked = GitEndpoint(head.method, head.target) else { throw .notFound }
        guard let endpoint = shared(asked) else { throw .notShared(asked.repository.displayName) }
        guard asked.service == .uploadPack || !isReadOnly else { throw .readOnly }
        return try HostRequest(endpoint, head)
    }

    /// The endpoint in the share's spelling of the repository, or `nil` if that is not shared.
    func shared(_ endpoint: GitEndpoint) -> GitEndpoint? { shared(endpoint.repository).map(endpoint.spelt) }

    private func shared(_ repository: RepositoryName) -> RepositoryName? {
        switch scope {
        case .hosts(let hosts): hosts.contains { $0.canonicalForHTTPS == repository.host } ? repository : nil
        case .repositories(let repositories): repositories.first { $0 == repository }
        }
    }

    /// Whether the share allows an exchange, as described by the connection's process.
    ///
    /// The description of a push names eight refs at most; its process has checked all of them. A check of more would
    /// hold up no process that its client controls: with the token, that could push anything.
    func admits(_ intention: GatewayIntention) -> Bool {
        shared(intention.repository) != nil && (!isReadOnly || intention.service == .uploadPack)
            && (branches.isEmpty
                || intention.commands.allSatisfy { command in branches.contains { $0.matches(command.ref) } })
            && (intention.pullRequest == nil || opensPullRequests && intention.branch != nil)
    }

    /// The refusal of a push, or `nil` if all of it is allowed.
    package func refusal(of push: Push) -> PushRefusal? {
        guard !branches.isEmpty else { return nil }
        if push.isSigned { return PushRefusal(of: push, .signedPush) { _ in true } }
        guard !push.commands.isEmpty else { return nil }
        let other = PushRefusal(of: push, .branches(branches)) { ref in !branches.contains { $0.matches(ref) } }
        if let other { return other }
        do throws(HTTPRefusal) {
            _ = try pullRequest(of: push)
            return nil
        } catch {
            return PushRefusal(of: push, error) { _ in true }
        }
    }

    package var subject: Message? {
        repositories?.map { Message("%1$s on %2$s", $0.displayName, $0.displayHost) }.reduce(nil) { list, next in
            list.map { Message("%1$s, %2$s", $0, next) } ?? next
        }
    }

    package var right: Message {
        if isReadOnly { return Message("read only") }
        guard let names = branchNames else { return Message("read and push") }
        return opensPullRequests
            ? Message("read; push to %1$s only; open pull requests from them", names)
            : Message("read; push to %1$s only", names)
    }
}

/// A pattern of branches as in a refspec (git-push(1)): a name, or one with a `*` for any text, slashes included.
package struct BranchPattern: Equatable, Sendable {
    /// The most bytes of a branch's name, as on the large hosts.
    private static let longest = 255

    /// The pattern without `refs/heads/`.
    package let text: String
    private let prefix: [UInt8]
    /// The text after the `*`, or `nil` if there is none and only the prefix itself matches.
    private let suffix: [UInt8]?

    /// Returns `nil` unless the pattern can match a branch; a pattern never matches other refs.
    package init?(_ text: String) {
        let isFull = text.utf8.starts(with: RefName.heads)
        let short = Array(isFull ? text.utf8.dropFirst(RefName.heads.count) : text.utf8[...])
        let parts = short.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
        guard short.count <= Self.longest, isFull || !short.starts(with: "refs/".utf8), parts.count <= 2,
            RefName.isValid(RefName.heads + Array(parts.joined(separator: [UInt8(ascii: "x")])))
        else { return nil }
        self.text = String(decoding: short, as: UTF8.self)
        prefix = RefName.heads + parts[0]
        suffix = parts.count == 2 ? Array(parts[1]) : nil
    }

    func matches(_ ref: ArraySlice<UInt8>) -> Bool {
        guard RefName.isValid(ref) else { return false }
        guard let suffix else { return ref.elementsEqual(prefix) }
        return ref.count >= prefix.count + suffix.count && ref.starts(with: prefix)
            && ref.suffix(suffix.count).elementsEqual(suffix)
    }

    package var displayName: DisplayText { DisplayText(trusted: text) }
}

/// The rules of git-check-ref-format(1), by their numbers there.
enum RefName {
    static let heads = Array("refs/heads/".utf8)

    static func isValid(_ name: some BidirectionalCollection<UInt8>) -> Bool {
        // 2: one slash at least, 7, and 9, which 2 implies.
        guard name.contains(UInt8(ascii: "/")), name.last != UInt8(ascii: ".") else { return false }
        var before: UInt8 = 0
        for byte in name {
            // 4, 5 and 10.
            guard byte > 0x20, byte != 0x7f, !"~^:?*[\\".utf8.contains(byte) else { return false }
            switch (before, byte) {
            // 3 and 8.
            case (UInt8(ascii: "."), UInt8(ascii: ".")), (UInt8(ascii: "@"), UInt8(ascii: "{")): return false
            default: before = byte
            }
        }
        // 1 and 6.
        return name.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy { component in
            !component.isEmpty && component.first != UInt8(ascii: ".")
                && !component.suffix(lock.count).elementsEqual(lock)
        }
    }

    private static let lock = Array(".lock".utf8)
}

extension Array where Element: Equatable {
    var withoutRepetitions: [Element] { reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }
}

/// The text form, for a connection's process and a record.
extension GatewayPolicy {
    package var encoded: [UInt8] {
        var lines: [String] = isReadOnly ? ["read-only"] : []
        switch scope {
        case .hosts(let hosts): lines += hosts.map { "host \(String(decoding: $0.text, as: UTF8.self))" }
        case .repositories(let repositories): lines += repositories.map { "repository \($0.address)" }
        }
        lines += branches.map { "branch \($0.text)" }
        if opensPullRequests { lines.append("pull-requests") }
        return Array(lines.joined(separator: "\n").utf8)
    }

    /// Returns `nil` if a part is not understood.
    package init?(parsing text: [UInt8]) {
        var hosts: [HostName] = []
        var repositories: [RepositoryName] = []
        var branches: [BranchPattern] = []
        var (isReadOnly, opensPullRequests) = (false, false)
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let words = line.split(separator: UInt8(ascii: " "), maxSplits: 1).map {
                String(decoding: $0, as: UTF8.self)
            }
            switch (words.first, words.count == 2 ? words[1] : nil) {
            case ("read-only", nil): isReadOnly = true
            case ("pull-requests", nil): opensPullRequests = true
            case ("host", let name?):
                guard let host = HostName(Array(name.utf8)) else { return nil }
                hosts.append(host)
            case ("repository", let name?):
                guard let repository = RepositoryName(address: name) else { return nil }
                repositories.append(repository)
            case ("branch", let pattern?):
                guard let branch = BranchPattern(pattern) else { return nil }
                branches.append(branch)
            default: return nil
            }
        }
        guard hosts.isEmpty != repositories.isEmpty else { return nil }
        self.init(
            hosts.isEmpty ? .repositories(repositories) : .hosts(hosts), isReadOnly: isReadOnly, branches: branches,
            opensPullRequests: opensPullRequests)
    }
}
