package import CredentialCore

/// What a connection's process is told before it reads a byte from its client.
package enum GatewayOrder {
    /// In bytes: it is one message.
    package static let longest = 32_768

    package static func encoded(_ policy: GatewayPolicy) -> [UInt8] {
        var lines: [String] = policy.isReadOnly ? ["read-only"] : []
        switch policy.scope {
        case .hosts(let hosts): lines += hosts.map { "host \(String(decoding: $0.text, as: UTF8.self))" }
        case .repositories(let repositories):
            lines += repositories.map { "repository \(String(decoding: $0.host.text, as: UTF8.self))/\($0.path)" }
        }
        lines += policy.branches.map { "branch \($0.text)" }
        return Array(lines.joined(separator: "\n").utf8)
    }

    /// Nil for what is not all understood.
    package static func parse(_ text: [UInt8]) -> GatewayPolicy? {
        var hosts: [HostName] = []
        var repositories: [RepositoryName] = []
        var branches: [BranchPattern] = []
        var isReadOnly = false
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let words = line.split(separator: UInt8(ascii: " "), maxSplits: 1).map {
                String(decoding: $0, as: UTF8.self)
            }
            switch (words.first, words.count == 2 ? words[1] : nil) {
            case ("read-only", nil): isReadOnly = true
            case ("host", let name?):
                guard let host = HostName(Array(name.utf8)) else { return nil }
                hosts.append(host)
            case ("repository", let name?):
                let host = name.utf8.prefix { $0 != UInt8(ascii: "/") }
                guard let path = String(name.utf8.dropFirst(host.count + 1)), let host = HostName(Array(host)),
                    let repository = RepositoryName(host: host, path: path)
                else { return nil }
                repositories.append(repository)
            case ("branch", let pattern?):
                guard let branch = BranchPattern(pattern) else { return nil }
                branches.append(branch)
            default: return nil
            }
        }
        guard hosts.isEmpty != repositories.isEmpty else { return nil }
        return GatewayPolicy(
            hosts.isEmpty ? .repositories(repositories) : .hosts(hosts), isReadOnly: isReadOnly, branches: branches)
    }
}

/// What a connection's process says to the one that shares: all of it may be its client's work.
package enum GatewayMessage: Equatable {
    /// It needs a token, by the host's place in the policy; with what it was given last, the host answered 401.
    case wanted(host: Int, GitService, isRejected: Bool)
    /// The host has sent objects.
    case fetched(DisplayText)
    /// The host has taken these; at most `mostRefs` of what was pushed.
    case pushed(DisplayText, [PushedRef])
    /// The host has taken none of these.
    case rejected(DisplayText, refs: [DisplayText])
    /// Nothing of it has reached the host.
    case refused(DisplayText, PushRefusal.Reason.Kind, refs: [DisplayText])
    /// The host refuses it, or cannot be reached.
    case failed(DisplayText, Fault)

    package enum Fault: String {
        case tokenRejected = "rejected"
        case readForbidden = "no-read"
        case pushForbidden = "no-push"
        case missing
        case moved
        case unreachable
        case malformed
    }

    package struct PushedRef: Equatable {
        package let name: DisplayText
        package let change: PushCommand.Change
        /// The first digits of the new object.
        package let id: DisplayText

        package init(name: DisplayText, change: PushCommand.Change, id: DisplayText) {
            self.name = name
            self.change = change
            self.id = id
        }
    }

    /// A log has no use for more.
    package static let mostRefs = 8

    package var encoded: [UInt8] {
        let lines: [String] =
            switch self {
            case .wanted(let host, let service, let isRejected):
                ["wanted \(host) \(service.rawValue) \(isRejected ? "again" : "first")"]
            case .fetched(let repository): ["fetched \(repository)"]
            case .pushed(let repository, let refs):
                ["pushed \(repository)"]
                    + refs.prefix(Self.mostRefs).map(\.line)
            case .rejected(let repository, let refs):
                ["rejected \(repository)"] + refs.prefix(Self.mostRefs).map(\.text)
            case .refused(let repository, let reason, let refs):
                ["refused \(repository) \(reason.rawValue)"] + refs.prefix(Self.mostRefs).map(\.text)
            case .failed(let repository, let fault): ["failed \(repository) \(fault.rawValue)"]
            }
        return Array(lines.joined(separator: "\n").utf8)
    }

    /// Nil for anything else.
    package init?(parsing text: [UInt8]) {
        let lines = text.split(separator: UInt8(ascii: "\n"))
        let words = (lines.first ?? []).split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
        let rest = lines.dropFirst()
        guard words.count >= 2, rest.count <= Self.mostRefs else { return nil }
        let repository = DisplayText(untrusted: words[1].utf8)
        switch (words[0], words.count) {
        case ("wanted", 4):
            guard let host = DecimalNumber.parse(words[1].utf8), let service = GitService(rawValue: words[2]),
                ["again", "first"].contains(words[3])
            else { return nil }
            self = .wanted(host: Int(host), service, isRejected: words[3] == "again")
        case ("fetched", 2): self = .fetched(repository)
        case ("pushed", 2):
            let refs = rest.compactMap(PushedRef.init(parsing:))
            guard refs.count == rest.count else { return nil }
            self = .pushed(repository, refs)
        case ("rejected", 2): self = .rejected(repository, refs: rest.map { DisplayText(untrusted: $0) })
        case ("refused", 3):
            guard let reason = PushRefusal.Reason.Kind(rawValue: words[2]) else { return nil }
            self = .refused(repository, reason, refs: rest.map { DisplayText(untrusted: $0) })
        case ("failed", 3):
            guard let fault = Fault(rawValue: words[2]) else { return nil }
            self = .failed(repository, fault)
        default: return nil
        }
    }
}

extension GatewayMessage.PushedRef {
    init(_ command: PushCommand) {
        self.init(name: command.displayName, change: command.change, id: command.abbreviatedID)
    }

    /// As it is told and kept.
    var line: String { "\(change.rawValue) \(id) \(name)" }

    init?(parsing line: ArraySlice<UInt8>) {
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
        guard words.count == 3, let change = PushCommand.Change(rawValue: String(decoding: words[0], as: UTF8.self))
        else { return nil }
        self.init(name: DisplayText(untrusted: words[2]), change: change, id: DisplayText(untrusted: words[1]))
    }
}
