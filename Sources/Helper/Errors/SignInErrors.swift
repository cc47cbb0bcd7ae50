package import CredentialCore
package import Providers

extension SignInAgain {
    /// `--force` replaces a stored token that the host may accept, but that does not suffice.
    package func command(_ host: DisplayText, isForced: Bool = false) -> DisplayText {
        let command: DisplayText = "git credential-gitspace \(login(host, as: account))"
        // A token that is entered replaces the stored one in any case.
        return isByToken ? "\(command) --with-token" : isForced ? "\(command) --force" : command
    }

    /// Returns the remedy for a token that has expired or that the host rejects.
    ///
    /// `login` refreshes the token if possible. Without a name it would check the default account, perhaps another one.
    package func remedy(_ host: DisplayText) -> [Message] {
        [Message("sign in again:"), .command(remedyCommand(host))]
    }

    package func remedyCommand(_ host: DisplayText) -> DisplayText { command(host, isForced: account == nil) }
}

extension Message {
    package static func login(_ host: DisplayText, _ again: SignInAgain, isForced: Bool = false) -> Message {
        .command(again.command(host, isForced: isForced))
    }
}

extension UserFacingError {
    /// Hints at the source of the account, unless the account is unknown or not shown.
    package static func wrongAccount(
        asked: DisplayText?, got: DisplayText?, host: DisplayText, _ request: AccountRequest
    ) -> UserFacingError {
        let who: any MessageArgument = got ?? Message("an unknown account")
        let whom: any MessageArgument = asked ?? Message("the account that was asked for")
        let isPlain = got.map { RepositoryAddress("https://\($0)@\(host)/a/b")?.username == $0.text } ?? false
        guard let correction = request.correction(naming: isPlain ? got : "NAME") else {
            return UserFacingError(
                .signIn, Message("signed in as %1$s, not as %2$s; nothing was stored", who, whom),
                Message("sign in to %1$s as %2$s in the browser, then try again:", host, whom),
                .command("git credential-gitspace \(login(host, as: asked))"))
        }
        let other: any MessageArgument = asked ?? Message("another account")
        return UserFacingError(
            .signIn, Message("signed in as %1$s, but git asked for %2$s; nothing was stored", who, other),
            Message(
                "sign in to %1$s as %2$s in the browser first, or put the account in %3$s:", host, whom,
                correction.place), .command(correction.command))
    }

    /// The error before an approval that would be useless; `name` is `nil` if it is not shown.
    package static func nobodysAccount(
        _ name: DisplayText?, host: DisplayText, _ request: AccountRequest
    ) -> UserFacingError {
        let correction = request.correction(naming: nil)
        return UserFacingError(
            .nobodysAccount,
            name.map { Message("%1$s is not an account on %2$s", $0, host) }
                ?? Message("no account on %1$s can have the user name that was asked for", host),
            correction.map { [Message("leave the name out of %1$s:", $0.place), .command($0.command)] }
                ?? [Message("leave the name out:"), .login(host)])
    }

    /// Names the requested account, because another one may be stored.
    package static func nobodyHere(
        host: DisplayText, as account: DisplayText? = nil, because setting: DisplayText?
    ) -> UserFacingError {
        let verb = login(host, as: account)
        let inTerminal = [Message("sign in from a terminal:"), .command("git credential-gitspace \(verb)")]
        guard let setting else {
            return UserFacingError(
                .nobodyHere,
                account.map {
                    Message(
                        "not signed in to %1$s as %2$s, and there is no terminal or desktop to sign in from", host, $0)
                } ?? Message("not signed in to %1$s, and there is no terminal or desktop to sign in from", host),
                inTerminal)
        }
        if setting == "git maintenance" {
            return UserFacingError(
                .nobodyHere, Message("not signed in to %1$s, and git maintenance starts no sign-in", host), inTerminal)
        }
        return UserFacingError(
            .nobodyHere,
            account.map {
                Message("not signed in to %1$s as %2$s, and sign-in is off because %3$s is set", host, $0, setting)
            } ?? Message("not signed in to %1$s, and sign-in is off because %2$s is set", host, setting),
            setting == "CI"
                ? [
                    Message(
                        "in CI, use a GitHub App (on GitHub) or a token; see \"CI and servers\" in \"man gitspace-config\":"
                    ), .command("git credential-gitspace \(verb) --with-token <token.txt"),
                ]
                : [Message("sign in from a terminal, without %1$s:", setting), without(setting, verb)])
    }

    package static func noLock(_ error: LockError) -> UserFacingError {
        guard case .failed(let folder, let reason) = error else { return lockImpossible }
        return UserFacingError(
            .lockImpossible,
            Message(
                "cannot lock files in %1$s, so gitspace cannot sign in, refresh or remove tokens: %2$s",
                DisplayText(untrusted: folder.utf8), DisplayText(trusted: reason)),
            Message(
                "on NFS, start the lock service, or get a local folder for locks, and sign in to this machine again:"),
            .command("sudo loginctl enable-linger \"$USER\""))
    }

    package static let lockImpossible = UserFacingError(
        .lockImpossible, Message("no safe folder for lock files, so gitspace cannot sign in, refresh or remove tokens"),
        Message("one of these folders must be yours, writable by nobody else, and have disk space left:"),
        .command("ls -ld /run/user/$(id -u) ~/.local/state; df -h /run/user/$(id -u) ~"))

    package static func shortlyRefused(host: DisplayText) -> UserFacingError {
        UserFacingError(
            .shortlyRefused, Message("the sign-in to %1$s was cancelled or declined less than a minute ago", host),
            Message("sign in now:"), .login(host))
    }

    package static func sentAway(host: DisplayText, as account: DisplayText?, until end: Int64) -> UserFacingError {
        UserFacingError(
            .shortlyRefused,
            Message(
                "not signed in to %1$s: the last sign-in notification was closed or not answered, so none is shown until %2$s",
                host, LocalTime.text(end)), Message("sign in from a terminal:"),
            .command("git credential-gitspace \(login(host, as: account))"))
    }

    package static func otherNotFinished(host: DisplayText) -> UserFacingError {
        busy.with([Message("sign in from a terminal:"), .login(host)])
    }

    package static let busy = UserFacingError(
        .otherNotFinished, Message("timed out while waiting for another sign-in or refresh"))

    package static func refreshRefused(
        host: DisplayText, _ code: OAuthErrorCode, _ again: SignInAgain
    ) -> UserFacingError {
        UserFacingError(
            .refreshRefused, Message("your sign-in to %1$s has ended (%2$s)", host, code.name), again.remedy(host))
    }

    package static func issuedElsewhere(host: DisplayText, now: DisplayText, _ again: SignInAgain) -> UserFacingError {
        UserFacingError(
            .issuedElsewhere, Message("tokens for %1$s now come from %2$s, so you have to sign in again", host, now),
            again.remedy(host))
    }

    // A client ID that is missing, rejected, or could not be registered.

    package static func noClientID(host: DisplayText, form: Registration.Form? = nil) -> UserFacingError {
        UserFacingError(
            .noClientID, Message("cannot sign in to %1$s: no %2$s is configured", host, Message.clientName(form)),
            Message("you can enter a personal access token at git's password prompt; gitspace stores it"),
            Message("to register an app or paste a token, run in a terminal:"),
            .command("git credential-gitspace setup \(word: host)"))
    }

    package static func clientRefused(
        host: DisplayText, clientID: DisplayText, _ code: OAuthErrorCode, form: Registration.Form? = nil
    ) -> UserFacingError {
        UserFacingError(
            .clientRefused,
            Message(
                "%1$s rejected the %2$s or its secret (%3$s); the stored token was kept", host,
                Message.client(clientID, form), code.name), Message("check the configured values:"),
            .command("git config --global --get-regexp 'credential\\..*oauthclient'"))
    }

    package static func nobodyToAsk(
        host: DisplayText, because setting: DisplayText?, form: Registration.Form? = nil
    ) -> UserFacingError {
        UserFacingError(
            .nobodyToAsk,
            setting.map { Message("cannot ask for an %2$s: %1$s prevents it", $0, Message.clientName(form)) }
                ?? Message("there is no terminal to ask for an %1$s", Message.clientName(form)),
            Message("once the app is registered, pass its %1$s:", Message.clientName(form)),
            .command("git credential-gitspace setup \(host) --client-id ID"))
    }

    package static func noRegistrationPage(host: DisplayText) -> UserFacingError {
        UserFacingError(
            .nobodyToAsk, Message("gitspace does not know where to register such an app on %1$s", host),
            Message("register it as the host's documentation describes, then pass its client ID:"),
            .command("git credential-gitspace setup \(word: host) --client-id ID"))
    }
}

/// The source of the account that a sign-in is for, which is also where it can be changed.
package enum AccountRequest: Equatable {
    /// A command to sign in.
    case person
    /// git's configuration; the scope is the option of `git config` that chooses the file.
    case configuration(key: DisplayText, scope: DisplayText = "--global")
    /// A repository's address, which is a host and a path, and the name of its remote if there is a folder.
    case repository(AskingRepository.Location, remote: DisplayText, DisplayText)

    /// Returns the place and the command that change the account to `account`, or to none; `nil` for a person.
    func correction(naming account: DisplayText?) -> (place: Message, command: DisplayText)? {
        let user: DisplayText = account.map { "\($0)@" } ?? ""
        switch self {
        case .person: return nil
        case .configuration(let key, let scope):
            let change: DisplayText = account.map { "\(word: key) \(word: $0)" } ?? "--unset-all \(word: key)"
            return (Message("git's configuration"), "git config \(scope) \(change)")
        case .repository(.clone, _, let address):
            return (Message("the URL"), "git clone https://\(user)\(address)")
        case .repository(.submodule, _, let address):
            return (Message("the submodule's URL in .gitmodules"), "https://\(user)\(address)")
        case .repository(.folder(let folder), let name, let address):
            let git: DisplayText = folder.map { "git -C \(word: DisplayText(trusted: $0))" } ?? "git"
            return (Message("the remote's URL"), "\(git) remote set-url \(word: name) https://\(user)\(address)")
        }
    }

    /// Returns a host and a path as in an address, with capitals for a part that is unknown or could not be pasted.
    package static func address(_ host: DisplayText, _ path: String?) -> DisplayText {
        let path = path.flatMap { RepositoryAddress("https://\(host)/\($0)")?.path }
        return "\(host)/\(path.map { DisplayText(trusted: $0) } ?? "OWNER/REPOSITORY")"
    }
}

extension SignInContext {
    func accountRequest(with dependencies: Dependencies) -> AccountRequest {
        let name = String(decoding: username ?? [], as: UTF8.self)
        let repository = dependencies.askingRepository()
        let remote = repository.remotes.first { isAsked($0.address, as: name) }
        let configured = ConfiguredUsername((try? dependencies.configuration()) ?? [], for: host.name)
        let line = ([configured.line].compactMap(\.self) + configured.exceptions).first { $0.entry.value == name }
        if remote == nil, let line { return .configuration(key: DisplayText(trusted: line.entry.name)) }
        let told = remote.map { TypedAddress($0.address) }
        let address = AccountRequest.address(
            told.map { DisplayText(untrusted: $0.host.utf8) } ?? host.displayName,
            told?.path ?? path.map { String(decoding: $0, as: UTF8.self) })
        return .repository(repository.location, remote: DisplayText(trusted: remote?.name ?? "origin"), address)
    }

    private func isAsked(_ address: String, as name: String) -> Bool {
        let address = TypedAddress(address)
        guard address.scheme == "https", address.username == name, let named = HostName(Array(address.host.utf8)),
            path == nil || path == Array(address.path.utf8)
        else { return false }
        return (SignInHost(builtIn: named)?.name ?? named.canonicalForHTTPS) == host.name
    }
}

private func login(_ host: DisplayText, as account: DisplayText?) -> DisplayText {
    account.map { "login \(word: host) \(word: $0)" } ?? "login \(word: host)"
}
