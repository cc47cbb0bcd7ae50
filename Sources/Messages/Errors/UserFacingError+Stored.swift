internal import CredentialCore
internal import Helper

/// Errors about what is stored: which accounts, where, and whether it can be refreshed.
extension UserFacingError {
    static let seeStored = [Message("see what is stored:"), Message.command("git credential-gitspace status")]

    /// Without a keyring, git's in-memory cache is all there is.
    static func onlyMemory(_ error: KeyringError, _ host: DisplayText, _ hints: [Message]) -> ErrorText {
        ErrorText(
            Message("not signed in to %1$s: memory has no token for it, and %2$s", host, error.words.what), hints)
    }

    static func accountNotStored(
        _ account: DisplayText, _ host: DisplayText, _ stored: [DisplayText], _ verb: DisplayText?
    ) -> ErrorText {
        let what = Message("the account %1$s is not stored for %2$s", account, host)
        guard let verb else {
            return ErrorText(what, [Message("stored accounts: %1$s", stored.joined(separator: ", "))])
        }
        // The name is an argument of `switch` itself.
        let option: DisplayText = verb == "switch" ? "" : "--username "
        return ErrorText(
            what,
            [Message("stored accounts:")]
                + stored.map { .command("git credential-gitspace \(verb) \(word: host) \(option)\(word: $0)") })
    }

    static func notRenewable(
        _ host: DisplayText, _ again: SignInAgain?, _ neverExpires: Bool
    ) -> ErrorText {
        ErrorText(
            Message("the token for %1$s cannot be refreshed: it has no refresh token", host),
            [
                neverExpires
                    ? Message("it does not expire; to replace it, sign in again:") : Message("sign in again:"),
                .login(host, again ?? SignInAgain(account: nil), isForced: true),
            ])
    }

    /// Only `logout` can be for all of them.
    static func severalAccounts(
        _ host: DisplayText, _ names: [DisplayText], _ verb: DisplayText
    ) -> ErrorText {
        let command: DisplayText = "git credential-gitspace \(verb) \(word: host)"
        let isLogout = verb == "logout"
        return ErrorText(
            Message("several accounts are stored for %1$s: %2$s", host, names.joined(separator: ", ")),
            [isLogout ? Message("choose one of them, or all:") : Message("choose one of them:")]
                + names.map { .command("\(command) --username \(word: $0)") }
                + (isLogout ? [.command("\(command) --all")] : []))
    }
}
