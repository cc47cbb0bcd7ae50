internal import CredentialCore
internal import Helper
internal import Providers

/// The words of an account, or of a host without any, for people and for programs.
extension StatusAccount {
    /// A limit above the length of all of GitHub's scopes together.
    private static let longestScopes = 1_000

    /// `nil` if the server did not return the scopes.
    private var scopes: DisplayText? {
        (account?.details?.scopes ?? grant?.scope).map { DisplayText(untrusted: $0.utf8, longest: Self.longestScopes) }
    }

    /// `setup` works in any state of git and with or without a client ID.
    static func invitation(_ host: DisplayText?) -> [Message] {
        let command: DisplayText = "git credential-gitspace setup"
        guard let host else { return [Message("Not signed in to any host. To sign in:"), .command(command)] }
        return [Message("Not signed in to %1$s. To sign in:", host), .command("\(command) \(word: host)")]
    }

    var words: [Message] {
        guard let account else { return [] }
        let place = path.map { Message("%1$s, only for %2$s", self.place, $0) } ?? place
        let sentence = sentence(account)
        let heading = Message.indented(
            notChecked.map { Message("%1$s (%2$s), not checked: %3$s", sentence, place, $0) }
                ?? Message("%1$s (%2$s)", sentence, place))
        // Nothing is known about a plain password, and nothing has to be done.
        guard !isPlain else { return [heading] }
        var lines = [token(account)].compactMap(\.self)
        if let scopes { lines.append(Message("Scopes: %1$s", scopes)) }
        switch defaultBecause {
        case nil, .only: break
        case .first: lines.append(Message("Default (first signed in)"))
        case .configured(let line, let reach):
            let (key, origin) = (line.shownKey, line.shownOrigin)
            let text =
                switch reach {
                case .everywhere: Message("Default (set by %1$s in %2$s)", key, origin)
                case .repository: Message("Default in this repository (set by %1$s in %2$s)", key, origin)
                case .folder(let path):
                    Message("Default in repositories below %1$s (set by %2$s in %3$s)", path, key, origin)
                }
            lines.append(text)
        }
        lines += parts.map {
            Message("Default for a part of the host (set by %1$s in %2$s)", $0.shownKey, $0.shownOrigin)
        }
        return [heading] + (lines + nextSteps(account)).map { .indented(.indented($0)) }
    }

    var isInMemory: Bool { storage == .memory }
    private var place: Message { isInMemory ? Message("memory") : Message("keyring") }

    private func sentence(_ account: Account) -> Message {
        let username = account.username
        // A person has given us the token; git has stored the password.
        guard !isPlain else {
            return grant == nil ? Message("Password of %1$s", username) : Message("Token of %1$s", username)
        }
        if let installation, account.isSignedIn {
            return Message(
                "The app %1$s, installed for %2$s", DisplayText(untrusted: (grant?.clientID ?? "").utf8), installation)
        }
        if account.isSignedIn {
            return path == nil ? Message("Signed in as %1$s", username) : Message("Token of %1$s", username)
        }
        return switch state {
        case .authorized, .unknown, .notFound: Message("%1$s: token lost by the keyring", username)
        case .expired:
            expiresAt.map { Message("%1$s: token expired on %2$s", username, LocalTime.text($0)) }
                ?? Message("%1$s: token expired", username)
        case .revoked: Message("%1$s: token rejected", username)
        case .otherAccount:
            account.owner.map { Message("%1$s: token belongs to %2$s", username, $0) }
                ?? Message("%1$s: could not tell whose token this is", username)
        }
    }

    /// `nil` if the sentence above describes a fault.
    private func token(_ account: Account) -> Message? {
        switch state {
        case .revoked, .otherAccount, .notFound: nil
        case .expired: account.isRefreshable ? Message("Token: expired; git refreshes it") : nil
        default:
            switch (expiresAt.map(LocalTime.text), account.isRefreshable) {
            case (let end?, true): Message("Token: valid until %1$s, then refreshed automatically", end)
            case (let end?, false): Message("Token: valid until %1$s", end)
            case (nil, _): Message("Token: does not expire")
            }
        }
    }

    private func nextSteps(_ account: Account) -> [Message] {
        let named: DisplayText = isOnly ? "" : " \(word: account.username)"
        var steps: [Message] = []
        if let signInAgain = account.signInAgain, !account.isSignedIn {
            steps.append(Message("To sign in again: %1$s", Verbatim(signInAgain.remedyCommand(host))))
        }
        let command: DisplayText = "git credential-gitspace logout \(word: host)\(named)"
        return steps + [Message("To sign out: %1$s", Verbatim(command))]
    }

    // MARK: JSON

    var json: String {
        let storage: DisplayText? = storage.map { $0 == .memory ? "memory" : "keyring" }
        return JSONText.object([
            ("host", JSONText.string(host)), ("provider", provider.map { JSONText.string($0) }),
            ("username", account.map { JSONText.string($0.username) }), ("path", path.map { JSONText.string($0) }),
            ("installation", installation.map { JSONText.string($0) }), ("state", JSONText.string(state)),
            ("owner", account?.owner.map { JSONText.string($0) }),
            ("refreshable", String(account?.isRefreshable == true)), ("expires_at", expiresAt.map { String($0) }),
            ("refresh_expires_at", grant?.refreshTokenExpiryUTC.map { String($0) }),
            ("scopes", scopes.map { JSONText.string($0) }), ("storage", storage.map { JSONText.string($0) }),
            ("selected", String(defaultBecause != nil)),
        ])
    }
}
