internal import CredentialCore
package import Helper
internal import OAuth

extension UserFacingError {
    /// What failed, and what to do.
    package var words: ErrorText {
        switch self {
        case .requestRefused(let error): error.words.within { Message("refused a request: %1$s", $0) }
        case .downgrade: ErrorText(Message("refused a request: this host is known over https on its own port only"))
        case .keyring(let error): error.words
        case .configurationUnreadable(let error): error.words
        case .configuration(let error, let verb): error.words(verb)
        case .notSaved(let error):
            error.words.within { Message("the token was not saved and serves this command only: %1$s", $0) }
        case .notErased(let error): error.words.within { Message("nothing was removed: %1$s", $0) }
        case .noSuchVerb(let nearest): Self.noSuchVerb(nearest)
        case .noRepositoryHere:
            ErrorText(
                Message("no repository was named, and there is none here with a remote"),
                [Message("name it as in:"), .command("git credential-gitspace check https://github.com/OWNER/NAME")])
        case .notARepository:
            ErrorText(
                Message("this is not the address of a repository"),
                [Message("name it as in:"), .command("git credential-gitspace check https://github.com/OWNER/NAME")])
        case .wrongKeyringPassword:
            ErrorText(Message("this is not the keyring's password"), [Message("try again:")] + Self.unlock)
        case .passwordsDiffer:
            ErrorText(Message("the two passwords differ; no keyring was made"), [Message("try again:")] + Self.unlock)
        case .unlockElsewhere(let program): Self.unlockElsewhere(program)
        case .lockImpossible:
            ErrorText(
                Message(
                    "no safe place for a lock file: without one nobody can sign in, and no token is renewed or removed"),
                [
                    Message("one of these folders has to be yours, and writable:"),
                    .command("ls -ld /run/user/$(id -u) ~/.local/state"),
                ])
        case .nobodyHere(let host, let setting): Self.nobodyHere(host, setting)
        case .noClientID(let host): Self.noClientID(host)
        case .otherNotFinished(let host):
            ErrorText(Message("another sign-in or refresh has not finished"), Self.inTerminal(host))
        case .refreshRefused(let host, let code):
            ErrorText(
                Message("%1$s no longer accepts the stored sign-in (%2$s)", host, code.name), Self.inTerminal(host))
        case .clientRefused(let host, let clientID, let code): Self.clientRefused(host, clientID, code)
        case .signIn(let error, let host, let clientID): error.words(host: host, clientID: clientID)
        case .notForSignIn(let host): Self.notForSignIn(host)
        case .offline(let host, let error):
            error.words(host: host).within { Message("%1$s; the stored token was kept", $0) }
        case .serverInTrouble(let host, let status): Self.serverInTrouble(host, status)
        case .notSignedIn(let host):
            ErrorText(Message("nothing is stored for %1$s", host), [Message("sign in with:"), .login(host)])
        case .notRenewable(let host): Self.notRenewable(host)
        case .severalAccounts(let host, let names, let verb): Self.severalAccounts(host, names, verb)
        case .accountNotStored(let account, let host, let stored):
            ErrorText(
                Message("no account %1$s is stored for %2$s", account, host),
                [Message("stored accounts: %1$s", stored.joined(separator: ", "))])
        case .noAccountNamed(let host, let names):
            ErrorText(
                Message("no terminal to ask which account git should use for %1$s", host),
                [Message("name it:")]
                    + names.map { .command("git credential-gitspace switch \(word: host) \(word: $0)") })
        case .notRevoked(let account, let host, let failure, let page):
            Self.notRevoked(account, host, failure, page)
        case .revokedNotErased(let account, let error):
            error.words.within { Message("the token of %1$s is revoked but still in the keyring: %2$s", account, $0) }
        case .nothingToRevokeAt(let host): Self.nothingToRevokeAt(host)
        case .nobodyToAsk(let host, let setting): Self.nobodyToAsk(host, setting)
        case .malformedClientID: ErrorText(Message("that is no client ID: it has no blanks, and is not empty"))
        case .malformedToken:
            ErrorText(Message("that is no token: it is one line of letters, digits and _ . ~ + / = -"))
        case .tokenRefused(let host): ErrorText(Message("%1$s does not accept this token; nothing was stored", host))
        case .tokenNotVerified(let host):
            ErrorText(
                Message("%1$s could not be asked whose token this is; nothing was stored", host),
                [Message("see what is wrong:"), .command("git credential-gitspace doctor")])
        case .tokenOfAnother(let asked, let owner):
            ErrorText(Message("this is a token of %1$s, not of %2$s; nothing was stored", owner, asked))
        case .registration(let error, let host, let clientID, let form):
            error.registrationWords(host: host, clientID: clientID, form: form)
        case .noRegistrationPage(let host): Self.noRegistrationPage(host)
        case .setupNeedsPerson(let host, let setting): Self.setupNeedsPerson(host, setting)
        case .setupNeedsAnswer(let host):
            ErrorText(
                Message("setup has a question, and there is no terminal to ask on"),
                [
                    Message("run it in a terminal, or without questions:"),
                    .command("git credential-gitspace setup \(word: host) --yes"),
                ])
        case .proactiveNeedsSignIn(let host):
            ErrorText(
                Message("--proactive takes effect only while an account is signed in, and none is"),
                [Message("sign in, then run the command again:"), .login(host)])
        case .clientIDNotKept(let error, let key, let clientID): Self.clientIDNotKept(error, key, clientID)
        }
    }

    /// What failed.
    package var text: Message { words.what }

    /// What to do, a line each.
    package var hints: [Message] { words.hints }

    private static let unlock = [Message.command("git credential-gitspace unlock")]

    private static func unlockElsewhere(_ program: KeyringProgram) -> ErrorText {
        switch program {
        case .keePassXC:
            ErrorText(
                Message("KeePassXC is the keyring here, and it takes its password in its own window only"),
                [
                    Message("unlock the database in KeePassXC; without a desktop, keep credentials in memory:"),
                    .command("git config --global credential.gitspaceStore cache"),
                ])
        case .kwallet:
            ErrorText(
                Message("KWallet is the keyring here, and it takes its password in its own window only"),
                [
                    Message("open the wallet on the desktop; without one, keep credentials in memory:"),
                    .command("git config --global credential.gitspaceStore cache"),
                ])
        case .gnomeKeyring, .other:
            ErrorText(
                Message("this keyring takes its password in its own window only"),
                [
                    Message("unlock it on the desktop; without one, keep credentials in memory:"),
                    .command("git config --global credential.gitspaceStore cache"),
                ])
        }
    }

    private static func noSuchVerb(_ nearest: DisplayText?) -> ErrorText {
        ErrorText(
            Message("there is no command of that name"),
            nearest.map {
                [Message("the most similar command is:"), .command("git credential-gitspace \($0)")]
            } ?? [Message("for a list of the commands:"), .command("git-credential-gitspace --help")])
    }

    private static func inTerminal(_ host: DisplayText) -> [Message] {
        [Message("sign in once in a terminal:"), .login(host)]
    }

    private static func nobodyHere(_ host: DisplayText, _ setting: DisplayText?) -> ErrorText {
        guard let setting else {
            return ErrorText(Message("not signed in to %1$s, and nobody is here to sign in", host), inTerminal(host))
        }
        return ErrorText(
            Message("not signed in to %1$s, and %2$s forbids asking", host, setting),
            [Message("sign in once in a terminal, without %1$s:", setting), .login(host)])
    }

    private static func noClientID(_ host: DisplayText) -> ErrorText {
        ErrorText(
            Message("cannot sign in to %1$s: no OAuth client ID is configured", host),
            [
                Message("a personal access token typed at git's prompt is kept in the keyring as well"),
                Message("register an app or paste a personal access token, in a terminal:"),
                .command("git credential-gitspace setup \(word: host)"),
            ])
    }

    private static func setupNeedsPerson(_ host: DisplayText, _ setting: DisplayText?) -> ErrorText {
        guard let setting else {
            return ErrorText(
                Message("not signed in to %1$s, and there is no terminal or desktop to sign in from", host),
                [Message("continue in a terminal:"), .command("git credential-gitspace setup \(word: host)")])
        }
        return ErrorText(
            Message("not signed in to %1$s, and %2$s forbids asking", host, setting),
            [
                Message("continue in a terminal, without %1$s:", setting),
                .command("git credential-gitspace setup \(word: host)"),
            ])
    }

    /// Services that are known to be another's, and that nobody is to call GitHub.
    private static let otherServices = ["gitlab.com", "bitbucket.org", "codeberg.org", "dev.azure.com", "gitea.com"]

    private static func notForSignIn(_ host: DisplayText) -> ErrorText {
        let what = Message("%1$s is not known as a host to sign in to", host)
        guard !otherServices.contains(host.text) else {
            return ErrorText(
                what, [Message("a personal access token typed at git's prompt is kept in the keyring as well")])
        }
        return ErrorText(
            what,
            [
                Message("if it is a GitHub Enterprise Server, say so; if it is a GitLab, write gitlab:"),
                .command("git config --global \(word: "credential.https://\(host).provider" as DisplayText) github"),
            ])
    }

    private static func serverInTrouble(_ host: DisplayText, _ status: Int) -> ErrorText {
        ErrorText(
            Message("%1$s cannot renew the token just now (status %2$s); the stored token was kept", host, status),
            [Message("try again in a few minutes")])
    }

    private static func notRenewable(_ host: DisplayText) -> ErrorText {
        ErrorText(
            Message("the token for %1$s cannot be renewed: it came without a refresh token", host),
            [Message("sign in anew:"), .login(host, "--force")])
    }

    private static func clientRefused(
        _ host: DisplayText, _ clientID: DisplayText, _ code: OAuthErrorCode
    ) -> ErrorText {
        ErrorText(
            Message(
                "%1$s refuses the client ID %2$s, or its secret (%3$s); the stored token was kept", host, clientID,
                code.name),
            [
                Message("see what is configured, and correct it:"),
                .command("git config --global --get-regexp 'credential\\..*oauthclient'"),
            ])
    }

    /// Only what is removed can be all of them.
    private static func severalAccounts(
        _ host: DisplayText, _ names: [DisplayText], _ verb: DisplayText
    ) -> ErrorText {
        let command: DisplayText = "git credential-gitspace \(verb) \(word: host)"
        let isLogout = verb == "logout"
        return ErrorText(
            Message("several accounts are stored for %1$s: %2$s", host, names.joined(separator: ", ")),
            [isLogout ? Message("name one of them, or all:") : Message("name one of them:")]
                + names.map { .command("\(command) --username \(word: $0)") }
                + (isLogout ? [.command("\(command) --all")] : []))
    }

    private static func notRevoked(
        _ account: DisplayText, _ host: DisplayText, _ failure: RevocationFailure, _ page: HTTPSAddress?
    ) -> ErrorText {
        ErrorText(
            Message("the token of %1$s was not revoked and stays in the keyring: %2$s", account, failure.what(host)),
            [
                page.map { Message("try again, or withdraw the app's access on %1$s", $0) }
                    ?? Message("try again, or withdraw the app's access on %1$s", host),
                Message("to remove it although it may still be valid:"),
                .command(
                    "git credential-gitspace logout \(word: host) --username \(word: account) --revoke --force"),
            ])
    }

    private static func nothingToRevokeAt(_ host: DisplayText) -> ErrorText {
        ErrorText(
            Message("gitspace does not sign in to %1$s, so it cannot revoke a token there; nothing was removed", host),
            [
                Message("to remove what is stored:"), .command("git credential-gitspace logout \(word: host)"),
            ])
    }

    private static func nobodyToAsk(_ host: DisplayText, _ setting: DisplayText?) -> ErrorText {
        ErrorText(
            setting.map { Message("cannot ask for a client ID: %1$s forbids it", $0) }
                ?? Message("nobody is here to enter a client ID"),
            [
                Message("when the app is registered, name its client ID:"),
                .command("git credential-gitspace register \(host) --client-id ID"),
            ])
    }

    private static func noRegistrationPage(_ host: DisplayText) -> ErrorText {
        ErrorText(
            Message("gitspace knows no page to register such an app on %1$s", host),
            [
                Message("register it as the host's manual says, and name its client ID:"),
                .command("git credential-gitspace register \(word: host) --client-id ID"),
            ])
    }

    private static func clientIDNotKept(
        _ error: ConfigurationFileError, _ key: DisplayText, _ clientID: DisplayText
    ) -> ErrorText {
        ErrorText(
            error.words("").what,
            [
                Message("the client ID works; put it where git reads it:"),
                .command("git config --global \(key) \(word: clientID)"),
            ])
    }
}
