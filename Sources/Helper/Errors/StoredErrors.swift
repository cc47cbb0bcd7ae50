package import CredentialCore
internal import Providers

extension UserFacingError {
    package static let seeStored = [Message("see what is stored:"), Message.command("git credential-gitspace status")]

    /// The error without a keyring, if git's in-memory cache is the only store.
    package static func onlyMemory(_ error: KeyringError, _ host: DisplayText, _ hints: [Message]) -> UserFacingError {
        UserFacingError(
            .keyringAbsent,
            Message("not signed in to %1$s: memory has nothing for it, and %2$s", host, error.words.text), hints)
    }

    package static func accountNotStored(
        _ account: DisplayText?, host: DisplayText, stored: [DisplayText], verb: DisplayText? = nil,
        options: DisplayText = ""
    ) -> UserFacingError {
        let what =
            account.map { Message("the account %1$s is not stored for %2$s", $0, host) }
            ?? Message("no account of that name is stored for %1$s", host)
        guard let verb else {
            return UserFacingError(
                .accountNotStored, what, Message("stored accounts: %1$s", stored.joined(separator: ", ")))
        }
        return UserFacingError(
            .accountNotStored, what,
            [Message("stored accounts:")]
                + stored.map { .command("git credential-gitspace \(verb) \(word: host) \(word: $0)\(options)") })
    }

    /// Suggests to remove the token, or to sign in if its name, which may come from a URL, is an account's.
    package static func storedOfAnother(_ stored: Account, host: DisplayText) -> UserFacingError {
        let account = stored.username
        let logout = Message.command("git credential-gitspace logout \(word: host) \(word: account)")
        // A sign-in of an earlier version has no account ID, so a renamed account looks like another one.
        let renamed = stored.credential.grant.flatMap { $0.accountID == nil ? stored.owner : nil }
        if let renamed, stored.signInAgain?.account != nil {
            return UserFacingError(
                .tokenOfAnother, Message("the token stored as %1$s belongs to %2$s", account, renamed),
                Message(
                    "if %1$s is now called %2$s, sign in by the new name, and remove the old one:", account, renamed),
                .command("git credential-gitspace login \(word: host) \(word: renamed)"), logout)
        }
        return UserFacingError(
            .tokenOfAnother,
            stored.owner.map { Message("the token stored as %1$s belongs to %2$s", account, $0) }
                ?? Message("could not tell whose token is stored as %1$s", account),
            stored.signInAgain?.account == nil
                ? [Message("remove the token:"), logout]
                : [
                    Message("sign in as %1$s, or remove the token:", account),
                    .command("git credential-gitspace login \(word: host) \(word: account)"), logout,
                ])
    }

    package static func notRefreshable(
        host: DisplayText, _ again: SignInAgain? = nil, neverExpires: Bool = false
    ) -> UserFacingError {
        UserFacingError(
            .notRefreshable, Message("the token for %1$s cannot be refreshed: it has no refresh token", host),
            neverExpires ? Message("it does not expire; to replace it, sign in again:") : Message("sign in again:"),
            .login(host, again ?? SignInAgain(account: nil), isForced: true))
    }

    package static func severalAccounts(
        host: DisplayText, _ names: [DisplayText], verb: DisplayText = "logout", options: DisplayText = ""
    ) -> UserFacingError {
        let command: DisplayText = "git credential-gitspace \(verb) \(word: host)"
        let isLogout = verb == "logout"
        return UserFacingError(
            .severalAccounts,
            Message("several accounts are stored for %1$s: %2$s", host, names.joined(separator: ", ")),
            [isLogout ? Message("choose one of them, or all:") : Message("choose one of them:")]
                + names.filter { $0 != .token }.map { .command("\(command) \(word: $0)\(options)") }
                + (isLogout ? [.command("\(command) --all\(options)")] : []))
    }

    package static func notSignedIn(host: DisplayText) -> UserFacingError {
        UserFacingError(
            .notSignedIn, Message("no stored credentials for %1$s", host), Message("sign in with:"), .login(host))
    }

    package static func keyringAbsent(_ error: KeyringError, host: DisplayText) -> UserFacingError {
        guard !error.isSurelyEmpty else { return onlyMemory(error, host, [Message("sign in with:"), .login(host)]) }
        let words = error.words
        return UserFacingError(
            .keyringAbsent, Message("cannot look for stored credentials for %1$s: %2$s", host, words.text), words.hints,
            keyring: error)
    }

    package static func noAccountNamed(
        host: DisplayText, _ names: [DisplayText], options: DisplayText = ""
    ) -> UserFacingError {
        let command: DisplayText = "git credential-gitspace switch \(word: host)"
        return UserFacingError(
            .noAccountNamed, Message("no terminal to ask which account git should use for %1$s", host),
            [Message("choose one:")]
                + names.filter { $0 != .token }.map { .command("\(command) \(word: $0)\(options)") })
    }

    /// The error for a token as a name, which would be an attribute of the item that other programs can read.
    package static func tokenAsName(host: DisplayText) -> UserFacingError {
        UserFacingError(
            .tokenUnusable, Message("the account name for %1$s is a token, so it was not stored", host),
            Message("store it as a password instead:"),
            .command("git credential-gitspace setup \(word: host) --with-token"))
    }

    package static let interrupted = UserFacingError(.interrupted, Message("interrupted"))

    /// The error without the account's lock: a refresh could bring back a removed token.
    package static func notLocked(_ error: LockError) -> UserFacingError {
        switch error {
        case .impossible, .failed: noLock(error)
        case .stopped: interrupted
        case .timedOut: busy
        }
    }
}
