package import CredentialCore
internal import Helper
package import Providers

/// An exchange with a host, for which a connection's process asks for a token.
package struct GatewayIntention: Equatable, Sendable {
    package enum Step: String, Sendable {
        /// `info/refs`.
        case discovery
        /// A question for refs, which transfers no objects (gitprotocol-v2(5)).
        case listing
        case transfer
    }

    package let repository: RepositoryName
    package let service: GitService
    package let step: Step
    /// Whether the host answered 401 to the last token.
    package internal(set) var isRejected: Bool
    /// The first `mostRefs` commands of a push.
    package let commands: [PushCommand]
    package let count: Int
    /// The pull request that the push of one branch asks for.
    package let pullRequest: PullRequestOptions?

    /// The most refs that a log names one by one.
    package static let mostRefs = 8

    package init(
        _ repository: RepositoryName, _ service: GitService, _ step: Step, isRejected: Bool = false,
        commands: [PushCommand] = [], count: Int? = nil, pullRequest: PullRequestOptions? = nil
    ) {
        self.repository = repository
        self.service = service
        self.step = step
        self.isRejected = isRejected
        self.commands = Array(commands.prefix(Self.mostRefs))
        self.count = count ?? commands.count
        self.pullRequest = pullRequest
    }

    /// The branch of a push that creates or updates one branch, and does nothing else.
    package var branch: String? {
        count == 1 ? commands.first.flatMap { $0.change == .deleted ? nil : $0.branch } : nil
    }

    package var isPush: Bool { count > 0 }

    package var names: DisplayText {
        let names = commands.map(\.displayName).joined(separator: ", ")
        return count > commands.count ? "\(names) (+\(count - commands.count))" : names
    }

    fileprivate var encoded: [UInt8] {
        let head =
            "\(repository.address) \(service.rawValue) \(step.rawValue) \(isRejected ? "again" : "first") \(count)"
        return Array(head.utf8) + (commands.map(\.line) + (pullRequest?.encoded ?? [])).flatMap { [0x0a] + $0 }
    }

    fileprivate init?(parsing lines: ArraySlice<ArraySlice<UInt8>>) {
        let words = (lines.first ?? []).split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
        guard words.count == 5, let repository = RepositoryName(address: words[0]),
            let service = GitService(rawValue: words[1]), let step = Step(rawValue: words[2]),
            ["first", "again"].contains(words[3]), let count = DecimalNumber.parse(words[4].utf8).map({ Int($0) })
        else { return nil }
        let listed = min(count, Self.mostRefs)
        let commands = lines.dropFirst().prefix(listed).compactMap { PushCommand(line: $0) }
        let options = Array(lines.dropFirst(1 + listed))
        let pullRequest = options.isEmpty ? nil : try? PullRequestOptions(options)
        guard commands.count == listed, count == 0 || service == .receivePack && step == .transfer,
            options.isEmpty || pullRequest != nil
        else { return nil }
        self.init(
            repository, service, step, isRejected: words[3] == "again", commands: commands, count: count,
            pullRequest: pullRequest)
    }
}

/// The end of an exchange with the host, as the connection's process reports it.
package enum GatewayOutcome: Equatable, Sendable {
    /// The host has sent a complete answer.
    case answered
    /// The host has reported on each ref of a push.
    case reported(PushResult)
    /// The host has received a push, and its answer has no report.
    case unreported
    /// The host has answered 401, and the process asks for another token.
    case unauthorized
    /// The host refuses the request or cannot be reached.
    case failed(Fault)
    /// The client has closed; `hasBegun` if a part of the push or of the answer had been passed on.
    case clientGone(hasBegun: Bool)
    /// The host has closed before the end.
    case hostGone

    package struct Fault: Equatable, Sendable {
        fileprivate let code: String
        let text: Message

        static let tokenRejected = Self(code: "rejected", text: Message("the server rejected the token"))
        static let readForbidden = Self(code: "no-read", text: Message("the account may not read it"))
        static let pushForbidden = Self(code: "no-push", text: Message("the account may not push to it"))
        static let missing = Self(
            code: "missing", text: Message("the server has no such repository that the account can see"))
        static let moved = Self(code: "moved", text: Message("the server has moved it"))
        static let unreachable = Self(
            code: "unreachable",
            text: Message("the server cannot be reached; see why with \"git credential-gitspace doctor\""))
        static let malformed = Self(code: "malformed", text: Message("the server sent an unexpected response"))
        fileprivate static let all = [
            tokenRejected, readForbidden, pushForbidden, missing, moved, unreachable, malformed,
        ]
    }

    /// The words of every outcome but a report.
    private static let words: [String: Self] = [
        "answered": .answered, "unreported": .unreported, "unauthorized": .unauthorized, "host-gone": .hostGone,
        "client-gone begun": .clientGone(hasBegun: true), "client-gone before": .clientGone(hasBegun: false),
    ].merging(Fault.all.map { ("failed \($0.code)", .failed($0)) }) { first, _ in first }

    fileprivate var encoded: String {
        guard case .reported(let result) = self else { return Self.words.first { $0.value == self }?.key ?? "" }
        let others = result.others.map { "\($0.key.rawValue)\($0.value)" }.sorted()
        return (["reported", "=" + result.marks.map(\.rawValue).joined()] + others).joined(separator: " ")
    }

    fileprivate init?(parsing words: [String]) {
        if let outcome = Self.words[words.joined(separator: " ")] {
            self = outcome
        } else {
            guard words.first == "reported", let result = PushResult(parsing: words.dropFirst()) else { return nil }
            self = .reported(result)
        }
    }
}

/// A message from a connection's process to the sharing process, perhaps forged by the client.
package enum GatewayMessage: Equatable {
    case asks(GatewayIntention)
    /// The last exchange is over; the process waits for an acknowledgement.
    case ended(GatewayOutcome)
    /// The process has refused a request by one of the rules, and nothing of it has reached the host.
    case refused(GatewayIntention, ShareRefusal)

    package var encoded: [UInt8] {
        switch self {
        case .asks(let intention): Array("asks\n".utf8) + intention.encoded
        case .refused(let intention, let why): Array("refused \(why.code)\n".utf8) + intention.encoded
        case .ended(let outcome): Array("ended \(outcome.encoded)".utf8)
        }
    }

    package init?(parsing text: [UInt8]) {
        let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let words = (lines.first ?? []).split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
        switch (words.first, words.count) {
        case ("asks", 1):
            guard let intention = GatewayIntention(parsing: lines.dropFirst()) else { return nil }
            self = .asks(intention)
        case ("refused", 2):
            guard let why = ShareRefusal.rules.first(where: { $0.code == words[1] }),
                let intention = GatewayIntention(parsing: lines.dropFirst())
            else { return nil }
            self = .refused(intention, why)
        case ("ended", _):
            guard lines.count == 1, let outcome = GatewayOutcome(parsing: Array(words.dropFirst())) else { return nil }
            self = .ended(outcome)
        default: return nil
        }
    }
}

/// The first message to a connection's process: the policy, and git's configuration for the transport to the hosts.
package enum GatewayOrder {
    /// The limit of one message, in bytes.
    package static let longest = 65_536

    package static func encoded(_ policy: GatewayPolicy, _ configuration: [ConfigurationEntry]) -> [UInt8] {
        configuration.reduce(into: policy.encoded + [0]) { text, entry in
            text += "\(entry.name)\(entry.value.map { "\n\($0)" } ?? "")\0".utf8
        }
    }

    /// Returns `nil` if a part is not understood.
    static func parseWhole(_ text: [UInt8]) -> (policy: GatewayPolicy, configuration: [ConfigurationEntry])? {
        let parts = text.split(separator: 0, omittingEmptySubsequences: false)
        guard parts.count >= 2, parts.last?.isEmpty == true, let policy = GatewayPolicy(parsing: Array(parts[0])) else {
            return nil
        }
        let lines = parts.dropFirst().dropLast()
        let entries = lines.compactMap { ConfigurationEntry(line: $0) }
        return entries.count == lines.count ? (policy, entries) : nil
    }
}

/// The sharing process's answer to a connection: a credential, and the passwords for proxy and certificate.
///
/// Encoded in git's own lines, a block for each (git-credential(1)), for the parser of git's requests.
package struct GatewayToken {
    package let authorization: HTTPRequest.Authorization
    /// `nil` if none is needed or stored.
    package let proxyPassword: Secret?
    /// The password of the client certificate's key; `nil` if none is needed or stored.
    package let keyPassword: Secret?

    static let refusal = Secret(Array("quit=1\n".utf8))

    /// Returns `nil` if git's lines cannot express the token.
    static func encoded(_ credential: StoredCredential, proxyPassword: Secret?, keyPassword: Secret?) -> Secret? {
        let lines = "protocol=https\nhost=host\n"
        guard let request = try? Request(parsing: Secret("\(lines)capability[]=authtype\n".utf8)) else { return nil }
        var answer = StoredCredential(username: credential.username, password: credential.password)
        answer.authtype = credential.authtype
        let encoded = Answer.credential(answer).encoded(for: request)
        guard !encoded.isEmpty else { return nil }
        var text = Secret.Builder()
        text.append(lines.utf8)
        text.append(encoded)
        for password in [proxyPassword, keyPassword] {
            text.append("\n\(lines)password=".utf8)
            if let password { text.append(password) }
            text.append(UInt8(ascii: "\n"))
        }
        return text.finish()
    }

    /// Returns `nil` for a refusal, and for an unknown scheme.
    package init?(parsing message: Secret) {
        let blocks = message.reveal { bytes in
            let ends = (1..<max(bytes.count, 1)).filter { bytes[$0] == 0x0a && bytes[$0 - 1] == 0x0a } + [bytes.count]
            return zip([0] + ends.map { $0 + 1 }, ends).compactMap { start, end in
                try? Request(parsing: Secret(copying: UnsafeRawBufferPointer(rebasing: bytes[start..<end])))
            }
        }
        guard blocks.count == 3, let secret = blocks[0].secret, !secret.isEmpty else { return nil }
        switch blocks[0].authtype {
        case nil:
            authorization = .basic(
                username: String(decoding: blocks[0].username ?? [], as: UTF8.self), password: secret)
        case let scheme? where ASCII.equalsIgnoringCase(scheme, "bearer"): authorization = .bearer(secret)
        case .some: return nil
        }
        proxyPassword = blocks[1].password.flatMap { $0.isEmpty ? nil : $0 }
        keyPassword = blocks[2].password.flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// The answer to a report: the record and the log have been written.
///
/// Contains the lines for the client, which git shows as `remote: …`.
enum GatewayAcknowledgement {
    private static let beginning = Array("ok\n".utf8)

    static func encoded(_ remarks: [UInt8] = []) -> Secret { Secret(beginning + remarks) }

    static func remarks(in message: Secret) -> [UInt8]? {
        let bytes = message.reveal { Array($0) }
        return bytes.starts(with: beginning) ? Array(bytes.dropFirst(beginning.count)) : nil
    }
}
