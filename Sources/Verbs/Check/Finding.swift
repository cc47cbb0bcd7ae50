internal import CredentialCore
package import Helper
package import Providers

/// The result of `check`, for people and for programs.
///
/// Contains no text of the host, except for names and addresses in which every byte was checked.
struct Finding {
    let host: DisplayText
    let repository: DisplayText
    let account: DisplayText?
    /// The outcome, as programs read it.
    private(set) var result: DisplayText
    private(set) var text: Message
    private(set) var hints: [Message]
    /// `nil` if the repository cannot be read.
    private(set) var rights: RepositoryRights?
    /// The page on which a person can correct the fault.
    private(set) var page: HTTPSAddress?
    private(set) var tokenOwner: DisplayText?
    private(set) var another = OtherAccount.cannotHelp
    private(set) var otherAccount: DisplayText?
    /// Whether pushes go to an address for which git asks no helper.
    private(set) var pushesElsewhere = false

    /// The meaning of another stored account that reaches the repository.
    enum OtherAccount {
        case cannotHelp
        /// The fault is certain, and can be corrected for this account.
        case canHelp
        /// This account has no access, and the other one was meant.
        case isMeant
    }

    var canRead: Bool { rights != nil }

    func isSurpassed(by other: RepositoryRights) -> Bool { rights.map { other.canPush && !$0.canPush } ?? true }

    mutating func name(_ other: DisplayText, _ choices: AccountChoices) {
        otherAccount = other
        let choosing = choices.choosing(other, host: host, repository: repository)
        guard another == .isMeant else {
            hints += [Message("your other account %1$s has more access here", other)] + choosing
            return
        }
        result = "wrong_account"
        text = Message("%2$s cannot access %1$s, but %3$s can", repository, account ?? "", other)
        hints = choosing
    }

    /// `other` is `nil` if git asks no helper for the push address.
    mutating func push(to remote: RemoteAddress, _ target: RepositoryAddress?, _ other: Finding?) {
        pushesElsewhere = other == nil
        rights = other?.rights ?? .readOnly
        let address = DisplayText(untrusted: TypedAddress.withoutUser(remote.push).utf8)
        guard let other else {
            hints = [Message("pushes go to %1$s, for which git asks no helper", address)]
            guard let target else { return }
            let name = DisplayText(untrusted: (remote.pushName ?? "origin").utf8)
            hints += [
                Message("to push over https:"),
                .command("git remote set-url --push \(word: name) \(word: DisplayText(trusted: target.url))"),
            ]
            return
        }
        hints = [Message("pushes go to %1$s", address)] + (other.canRead ? [] : [other.text]) + other.hints
    }

    var lines: [Message] {
        guard let rights else { return [] }
        let workflows =
            switch mayChangeWorkflows {
            case true?: Message("Change workflow files: yes")
            case false?: Message("Change workflow files: no")
            case nil: Message("Change workflow files: unknown")
            }
        return [
            result == "reachable"
                ? Message("%1$s on %2$s, as %3$s", repository, host, account ?? "")
                : Message("%1$s on %2$s, without signing in", repository, host),
            .indented(Message("Read: yes")),
            .indented(
                pushesElsewhere
                    ? Message("Push: not by gitspace") : rights.canPush ? Message("Push: yes") : Message("Push: no")),
        ] + ((rights.workflows == .notSeparate ? [] : [workflows]) + hints).map(Message.indented)
    }

    /// `nil` if unknown.
    private var mayChangeWorkflows: Bool? {
        guard let rights, rights.canPush else { return false }
        return switch rights.workflows {
        case .granted, .notSeparate: true
        case .missing: false
        case .unknown: nil
        }
    }

    var json: String {
        JSONText.object([
            ("host", JSONText.string(host)), ("repository", JSONText.string(repository)),
            ("username", account.map { JSONText.string($0) }), ("result", JSONText.string(result)),
            ("read", String(canRead)), ("push", String(rights?.canPush ?? false)),
            ("workflow", mayChangeWorkflows.map { String($0) }), ("page", page.map { JSONText.string("\($0)") }),
            ("owner", tokenOwner.map { JSONText.string($0) }),
            ("other_account", otherAccount.map { JSONText.string($0) }), ("text", JSONText.string(text)),
            ("hints", JSONText.list(hints)),
        ])
    }
}

extension Finding {
    /// The finding without a check of an account.
    init(_ result: DisplayText, of address: RepositoryAddress, _ text: Message, _ hints: [Message]) {
        self.init(
            host: DisplayText(untrusted: address.host.text), repository: DisplayText(trusted: address.name),
            account: nil, result: result, text: text, hints: hints)
    }
}

extension RepositoryAddress {
    /// The path without `.git`, as people write it.
    var name: String { segments.joined(separator: "/") }
    func isSame(as other: RepositoryAddress) -> Bool { host == other.host && segments == other.segments }
}

extension UserFacingError {
    package static func unreachable(
        _ answer: RepositoryAnswer, _ repository: String, _ signIn: SignInContext, now: Int64
    ) -> UserFacingError {
        let words = RepositoryWords(
            host: signIn.host, name: repository, account: signIn.username.map { DisplayText(account: $0) },
            signInAgain: signIn.signInAgain(as: signIn.username))
        let finding = words.finding(answer, now: now)
        return UserFacingError(.finding, finding.text, finding.hints)
    }
}
