internal import CredentialCore
internal import Helper
internal import Language
package import Messages

extension Status.Report: ReportText {
    package var lines: [Message] {
        let isKnown = !accounts.isEmpty || !lockedKeyrings.isEmpty
        let blocks =
            (!isKnown ? [Status.Account.invitation(nil)] : accounts.map(\.lines))
            + helpersInFront.map(\.lines) + absentDefaults.map(\.lines) + (proactiveHosts.isEmpty ? [] : [[proactive]])
            + lockedKeyrings.map(Self.locked)
        return Array(blocks.joined(separator: [.blank]))
    }

    private static func locked(_ keyring: DisplayText) -> [Message] {
        [Message("The keyring %1$s is locked; accounts in it are not shown.", keyring)]
    }

    /// The same text as in `doctor`.
    private var proactive: Message {
        Message("git sends your token with its first request to %1$s", proactiveHosts.joined(separator: ", "))
    }

    package var json: [String] { accounts.map(\.json) }
}

extension Status.Account {
    /// By `setup`, which works whether git asks this program already or not, and with or without a client ID.
    fileprivate static func invitation(_ host: DisplayText?) -> [Message] {
        guard let host else {
            return [
                Message("Not signed in to any host. To sign in:"), .command("git credential-gitspace setup"),
            ]
        }
        return [
            Message("Not signed in to %1$s. To sign in:", host),
            .command("git credential-gitspace setup \(word: host)"),
        ]
    }

    fileprivate var lines: [Message] {
        guard let username else { return Self.invitation(host) }
        var lines = [Message(verbatim: host), .indented(sentence(username)), .indented(token)]
        if let scopes { lines.append(.indented(Message("Scopes: %1$s", scopes))) }
        return lines + (defaultBecause.map(Self.explanation) ?? []) + nextSteps(username).map(Message.indented)
    }

    private func sentence(_ username: DisplayText) -> Message {
        let place = storage == .memory ? Message("memory") : Message("keyring")
        if let installation, state == .authorized || state == .unknown || isRefreshable {
            return Message("The app %1$s, installed for %2$s (%3$s)", installation.app, installation.owner, place)
        }
        return switch state {
        case .authorized: Message("Signed in as %1$s (%2$s)", username, place)
        case .expired where isRefreshable: Message("Signed in as %1$s (%2$s)", username, place)
        case .notFound: Message("Not signed in")
        case .unknown: Message("Signed in as %1$s (%2$s), not checked", username, place)
        case .expired, .revoked, .otherAccount: Message("Not usable: %1$s (%2$s)", username, place)
        }
    }

    private var token: Message {
        switch state {
        case .revoked: Message("Token: rejected by %1$s", host)
        case .otherAccount: Message("Token: belongs to %1$s", owner ?? "")
        case .expired where isRefreshable: Message("Token: refreshed when git next needs it")
        case .expired:
            expiresAt.map { Message("Token: expired on %1$s", LocalTime.text($0)) } ?? Message("Token: expired")
        default:
            switch (expiresAt.map(LocalTime.text), isRefreshable) {
            case (let end?, true): Message("Token: valid until %1$s, then refreshed automatically", end)
            case (let end?, false): Message("Token: valid until %1$s", end)
            case (nil, _): Message("Token: does not expire")
            }
        }
    }

    /// What git does for a remote that names no account; empty if there is only one account.
    private static func explanation(_ reason: DefaultAccount.Reason) -> [Message] {
        switch reason {
        case .only: []
        case .first: [.indented(Message("Default account: signed in first"))]
        case .configured(let line):
            [.indented(Message("Default account: set by %1$s in %2$s", line.key, line.origin))]
        }
    }

    /// What can be done about it, each by a command that works for this account.
    private func nextSteps(_ username: DisplayText) -> [Message] {
        let name: DisplayText = " --username \(word: username)"
        let named: DisplayText = isOnly ? "" : name
        var steps: [Message] = []
        if let signInAgain, state == .revoked || state == .expired || state == .otherAccount {
            if isRefreshable, state != .otherAccount {
                let command: DisplayText = "git credential-gitspace refresh \(word: host)\(named)"
                if state == .revoked { steps.append(Message("To refresh it: %1$s", Verbatim(command))) }
            } else {
                steps.append(Message("To sign in again: %1$s", Verbatim(signInAgain.command(host))))
            }
        }
        let command: DisplayText = "git credential-gitspace logout \(word: host)\(named)"
        return steps + [Message("To sign out: %1$s", Verbatim(command))]
    }

    fileprivate var json: String {
        let place: DisplayText =
            switch storage {
            case .keyring: "keyring"
            case .memory: "memory"
            case nil: "none"
            }
        return JSONText.object([
            ("host", JSONText.string(host)),
            ("provider", provider.map { JSONText.string($0) } ?? JSONText.string("")),
            ("username", username.map { JSONText.string($0) }),
            ("installation", installation.map { JSONText.string($0.owner) }),
            ("state", JSONText.string(state)), ("owner", owner.map { JSONText.string($0) }),
            ("refreshable", String(isRefreshable)), ("expires_at", expiresAt.map { String($0) }),
            ("refresh_expires_at", refreshExpiresAt.map { String($0) }),
            ("scopes", scopes.map { JSONText.string($0) }), ("storage", JSONText.string(place)),
            ("selected", String(defaultBecause != nil)),
        ])
    }
}

extension OtherHelper {
    fileprivate var lines: [Message] {
        [sentence, Message("To have git use gitspace: %1$s", Verbatim("git credential-gitspace configure"))]
    }
}

extension Status.AbsentDefault {
    fileprivate var lines: [Message] {
        [
            Message(verbatim: host),
            .indented(Message("Default account: %1$s, which is not signed in", username)),
            .indented(Message("Set by %1$s in %2$s", line.key, line.origin)),
            .indented(
                Message(
                    "To choose another: %1$s", Verbatim("git credential-gitspace switch \(word: host)"))),
        ]
    }
}
