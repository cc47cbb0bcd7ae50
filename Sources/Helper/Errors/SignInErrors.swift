package import CredentialCore
package import Messages
package import Providers

extension SignInError {
    /// The server is the one that has answered, which may be another than the git host.
    package func words(host: DisplayText, server: DisplayText, clientID: DisplayText) -> UserFacingError {
        switch self {
        case .transport(let error): error.words(host: server)
        case .unknownClient, .clientOrProofUnknown, .deviceFlowDisabled, .deviceFlowUnsupported, .codeFlowUnsupported:
            aboutClient(host, server, clientID)
        case .clientConfidential:
            UserFacingError(
                .clientUnusable,
                Message(
                    "%1$s refused the client ID %2$s: its app is confidential, or the ID is unknown", server, clientID),
                [Message("untick \"Confidential\" on the app's page, save, and try again:"), .login(host)])
        case .clientSecretRejected:
            UserFacingError(
                .clientUnusable, Message("%1$s knows the client ID %2$s, but rejects its secret", server, clientID),
                [
                    Message("set the right secret:"),
                    .command("git config --global credential.https://\(host).oauthClientSecret <secret>"),
                ])
        case .clientSecretWanted:
            UserFacingError(
                .signIn, Message("%1$s requires a secret for the client ID %2$s", server, clientID),
                [
                    Message(
                        "its owner can make it a public app (on GitLab: untick \"Confidential\"), or name its secret:"),
                    .command("git config --global credential.https://\(host).oauthClientSecret <secret>"),
                ])
        case .invalidScope(let scopes):
            UserFacingError(
                .clientUnusable,
                Message("the client ID %1$s is not allowed to request all of these scopes: %2$s", clientID, scopes),
                [Message("its owner needs to allow them in the app's settings on %1$s", server)])
        case .wrongAccount(let asked, let got): Self.wrongAccount(asked, got)
        case .unverifiedUserEmail:
            UserFacingError(
                .signIn, Message("%1$s requires a verified email address", server),
                [Message("verify it on https://%1$s/settings/emails and try again", server)])
        case .noRedirect:
            UserFacingError(
                .signIn, Message("nothing can listen on 127.0.0.1, where the browser has to come back to"),
                Self.again(host))
        case .foreignIssuer(let name):
            UserFacingError(
                .signIn,
                name.map { Message("another server answered in the browser: %1$s, not %2$s", $0, server) }
                    ?? Message("the answer in the browser does not say that it is from %1$s", server),
                Self.again(host))
        case .expired: UserFacingError(.signIn, Message("the code expired before it was approved"), Self.again(host))
        case .incorrectDeviceCode:
            UserFacingError(.signIn, Message("%1$s no longer recognizes this sign-in", server), Self.again(host))
        case .untrustedIdentity(let error):
            UserFacingError(
                .signIn,
                Message("could not verify who signed in to %1$s, so nothing was stored: %2$s", server, error.what),
                error.hints(host: host))
        case .tokenRejected:
            UserFacingError(.signIn, Message("%1$s rejected the token it has just issued", server), Self.again(host))
        case .unavailable(let status):
            UserFacingError(
                .signIn, Message("%1$s returned a server error (status %2$s)", server, status),
                [Message("try again in a few minutes")])
        case .busy(let seconds):
            UserFacingError(
                .signIn, Message("%1$s is busy and wants no request for %2$s", server, Message.duration(seconds)),
                [Message("then try again:"), .login(host)])
        case .unanswered:
            UserFacingError(
                .signIn, Message("the desktop notification was not answered in time"),
                [Message("sign in from a terminal:"), .login(host)])
        case .declined: UserFacingError(.signIn, Message("the sign-in was declined in the browser"))
        case .refused(let code): UserFacingError(.signIn, Message("%1$s refused the sign-in: %2$s", server, code))
        case .malformedAnswer: UserFacingError(.signIn, Message("%1$s sent an unexpected response", server))
        case .foreignAddress:
            UserFacingError(.signIn, Message("%1$s sent a sign-in page on another host, so it is not shown", server))
        case .cancelled: UserFacingError(.signIn, Message("sign-in cancelled"))
        case .abandoned: UserFacingError(.signIn, Message("git has exited"))
        case .unreachable: UserFacingError(.signIn, Message("the code could not be shown"))
        }
    }

    /// Another client ID or a click on the app's page helps.
    private func aboutClient(_ host: DisplayText, _ server: DisplayText, _ clientID: DisplayText) -> UserFacingError {
        let rightOne = [
            Message("a client ID works on one host only; set the right one:"),
            .command("git config --global credential.https://\(host).oauthClientId <client ID>"),
        ]
        return switch self {
        case .unknownClient:
            UserFacingError(
                .clientUnusable, Message("%1$s does not recognize the client ID %2$s", server, clientID), rightOne)
        case .clientOrProofUnknown:
            UserFacingError(
                .clientUnusable,
                Message(
                    "%1$s refused the client ID %2$s: it is unknown, or its secret or key is wrong", server, clientID),
                rightOne)
        case .deviceFlowUnsupported:
            UserFacingError(
                .clientUnusable,
                Message("%1$s does not offer the device flow for the client ID %2$s", server, clientID),
                rightOne)
        case .codeFlowUnsupported:
            UserFacingError(
                .clientUnusable,
                Message("%1$s does not offer sign-in by the browser for the client ID %2$s", server, clientID),
                [
                    Message("use the device flow:"),
                    .command("git config --global --unset-all credential.https://\(host).gitspaceFlow"),
                ])
        default:
            UserFacingError(
                .clientUnusable, Message("the device flow is not enabled for this app"),
                [Message("its owner needs to tick \"Enable Device Flow\" in the app's settings on %1$s", server)])
        }
    }

    private static func wrongAccount(_ asked: DisplayText, _ got: DisplayText?) -> UserFacingError {
        let who: any MessageArgument = got ?? Message("an unknown account")
        return UserFacingError(.signIn, Message("signed in as %1$s, not as %2$s; nothing was stored", who, asked))
    }

    /// With what helps whoever has asked for the account.
    static func wrongAccount(
        _ asked: DisplayText, _ got: DisplayText?, host: DisplayText, _ request: AccountRequest
    ) -> UserFacingError {
        let who: any MessageArgument = got ?? Message("an unknown account")
        let byGit = Message("signed in as %1$s, but git asked for %2$s; nothing was stored", who, asked)
        return switch request {
        case .person:
            UserFacingError(
                .signIn, wrongAccount(asked, got).text,
                [
                    Message("sign in to %1$s as %2$s in the browser, then try again:", host, asked),
                    .command("git credential-gitspace login \(word: host) --username \(word: asked)"),
                ])
        case .clone(let path):
            UserFacingError(
                .signIn, byGit,
                [
                    Message(
                        "sign in to %1$s as %2$s in the browser first, or put the account in the URL:", host, asked),
                    .command("git clone \(address(got, host, path))"),
                ])
        case .git(let path):
            UserFacingError(
                .signIn, byGit,
                [
                    Message(
                        "sign in to %1$s as %2$s in the browser first, or put the account in the remote's URL:", host,
                        asked),
                    .command("git remote set-url origin \(address(got, host, path))"),
                ])
        }
    }

    /// With the account in the repository's address; in capitals, what is unknown or could not be pasted.
    private static func address(_ got: DisplayText?, _ host: DisplayText, _ path: DisplayText?) -> DisplayText {
        let segments = path.flatMap { RepositoryAddress("https://\(host)/\($0)") }?.segments.joined(separator: "/")
        let repository = segments.map { DisplayText(trusted: $0) } ?? "OWNER/REPOSITORY"
        let name = got.flatMap { RepositoryAddress("https://\($0)@\(host)/a/b")?.username == $0.text ? $0 : nil }
        return "https://\(name ?? "NAME")@\(host)/\(repository)"
    }

    private static func again(_ host: DisplayText) -> [Message] { [Message("try again:"), .login(host)] }
}

extension SignInError {
    /// The app's page is at hand then, and `register` is running.
    package func registrationWords(
        host: DisplayText, clientID: DisplayText, form: Registration.Form?
    ) -> UserFacingError {
        let words = words(host: host, server: host, clientID: clientID)
        return switch self {
        case .clientConfidential where form == .giteaApplication:
            UserFacingError(
                .clientUnusable, words.text,
                [
                    Message(
                        "untick \"Confidential Client\" on the app's page on %1$s, and copy the Client ID (not its secret)",
                        host)
                ])
        case _ where form?.isGitLabs == true && (self == .clientConfidential || self == .unknownClient):
            UserFacingError(
                .clientUnusable, words.text,
                [
                    Message(
                        "untick \"Confidential\" on the app's page on %1$s, and copy the Application ID (not its secret)",
                        host)
                ])
        case .unknownClient, .deviceFlowUnsupported:
            UserFacingError(
                .clientUnusable, words.text,
                [
                    Message(
                        "copy the client ID from the app's page on %1$s (not the app's name or App ID)", host)
                ])
        case .deviceFlowDisabled:
            UserFacingError(
                .clientUnusable, words.text,
                [
                    Message("tick \"Enable Device Flow\" on the app's page on %1$s, then save", host)
                ])
        default: words
        }
    }
}

extension Registration.Form {
    /// A client ID is called Application ID there.
    fileprivate var isGitLabs: Bool { if case .gitLabApplication = self { true } else { false } }
}

extension IDTokenError {
    /// As the end of a sentence.
    var what: Message {
        switch self {
        case .signature(let error): error.what
        case .wrongType(let type): Message("the ID token is of another type (%1$s)", type)
        case .malformedClaims: Message("the ID token is malformed")
        case .missing(let claim): Message("the ID token lacks %1$s", DisplayText(trusted: claim.rawValue))
        case .malformed(let claim): Message("the ID token has an invalid %1$s", DisplayText(trusted: claim.rawValue))
        case .wrongIssuer(let name): Message("the ID token is from another issuer (%1$s)", name)
        case .foreignAudience, .foreignAuthorizedParty: Message("the ID token is for another client")
        case .expired, .stale: Message("the ID token has expired")
        case .fromTheFuture: Message("the ID token is not valid yet")
        case .wrongNonce, .wrongAccessToken: Message("the ID token belongs to another sign-in")
        case .unusableAccount: Message("the account's name cannot be used")
        case .noIssuer: Message("the ID token cannot be verified without an issuer")
        case .keysUnavailable: Message("the server's keys could not be fetched")
        case .unusableKeys: Message("the server publishes no keys that can be used")
        }
    }

    func hints(host: DisplayText) -> [Message] {
        switch self {
        case .expired, .stale, .fromTheFuture:
            [Message("check this machine's clock:"), .command("timedatectl")]
        case .keysUnavailable: [Message("try again:"), .login(host)]
        case .noIssuer:
            [
                Message("name the server that issues the tokens:"),
                .command("git config --global credential.https://\(host).oauthIssuer <issuer>"),
            ]
        default: []
        }
    }
}

extension JSONWebSignatureError {
    fileprivate var what: Message {
        switch self {
        case .tooLong, .notCompact, .notBase64URL, .malformedHeader, .criticalExtension, .malformedSignature:
            Message("the ID token is malformed")
        case .refusedAlgorithm(let name?): Message("the ID token is signed by %1$s, which is not accepted", name)
        case .refusedAlgorithm(nil): Message("the ID token is not signed")
        case .unknownKey, .ambiguousKey, .unsuitableKey, .invalidKey:
            Message("the ID token is signed by a key that the server does not publish")
        case .wrongSignature: Message("the signature of the ID token is wrong")
        }
    }
}

extension SignInAgain {
    /// Without indentation; forced, because the host may accept the stored token, which then is not enough.
    package func command(_ host: DisplayText, isForced: Bool = false) -> DisplayText {
        var words: [DisplayText] = ["git credential-gitspace login \(word: host)"]
        if let account { words.append("--username \(word: account)") }
        // A token that is entered replaces the stored one in any case.
        if isByToken { words.append("--with-token") } else if isForced { words.append("--force") }
        return words.joined(separator: " ")
    }

    /// What mends a token that has expired or that the host rejects: the same wherever a person meets it.
    ///
    /// `login` refreshes it if that is possible. Without a name it would look at the default account, whose token may
    /// be another.
    package func remedy(_ host: DisplayText) -> [Message] {
        [Message("sign in again:"), .command(remedyCommand(host))]
    }

    package func remedyCommand(_ host: DisplayText) -> DisplayText { command(host, isForced: account == nil) }
}

extension Message {
    /// On a line of its own.
    package static func login(_ host: DisplayText, _ again: SignInAgain, isForced: Bool = false) -> Message {
        .command(again.command(host, isForced: isForced))
    }
}

extension UserFacingError {
    package static func signIn(
        _ error: SignInError, host: DisplayText, at server: DisplayText? = nil, clientID: DisplayText
    ) -> UserFacingError {
        error.words(host: host, server: server ?? host, clientID: clientID)
    }

    package static func registration(
        _ error: SignInError, host: DisplayText, clientID: DisplayText, form: Registration.Form?
    ) -> UserFacingError {
        error.registrationWords(host: host, clientID: clientID, form: form)
    }

    package static func wrongAccount(
        asked: DisplayText, got: DisplayText?, host: DisplayText, _ request: AccountRequest
    ) -> UserFacingError {
        SignInError.wrongAccount(asked, got, host: host, request)
    }

    /// Another account may be stored, so the one that git asks for is named.
    package static func nobodyHere(
        host: DisplayText, as account: DisplayText? = nil, because setting: DisplayText?
    ) -> UserFacingError {
        let login: DisplayText =
            account.map { "login \(word: host) --username \(word: $0)" } ?? "login \(word: host)"
        guard let setting else {
            return UserFacingError(
                .nobodyHere,
                account.map {
                    Message(
                        "not signed in to %1$s as %2$s, and there is no terminal or desktop to sign in from", host, $0)
                } ?? Message("not signed in to %1$s, and there is no terminal or desktop to sign in from", host),
                [Message("sign in from a terminal:"), .command("git credential-gitspace \(login)")])
        }
        return UserFacingError(
            .nobodyHere,
            account.map {
                Message("not signed in to %1$s as %2$s, and sign-in is off because %3$s is set", host, $0, setting)
            } ?? Message("not signed in to %1$s, and sign-in is off because %2$s is set", host, setting),
            setting == "CI"
                ? inCI(host)
                : [Message("sign in from a terminal, without %1$s:", setting), without(setting, login)])
    }

    /// There is no terminal to go to.
    private static func inCI(_ host: DisplayText) -> [Message] {
        [
            Message(
                "in CI, use a GitHub App (on GitHub) or a token; see \"CI and servers\" in \"man gitspace-config\":"),
            .command("git credential-gitspace login \(word: host) --with-token <token.txt"),
        ]
    }

    package static func setupNeedsPerson(host: DisplayText, because setting: DisplayText?) -> UserFacingError {
        let setup: DisplayText = "setup \(word: host)"
        guard setting != "CI" else { return nobodyHere(host: host, because: setting) }
        return nobodyHere(host: host, because: setting).with(
            setting.map { [Message("continue in a terminal, without %1$s:", $0), without($0, setup)] }
                ?? [Message("continue in a terminal:"), .command("git credential-gitspace \(setup)")])
    }

    package static func notShortLived(host: DisplayText) -> UserFacingError {
        UserFacingError(
            .malformedArgument, Message("'--short-lived' is only for OAuth apps of GitHub"),
            [Message("leave it out: on %1$s, tokens expire anyway, or as you choose when you create them", host)])
    }

    package static func setupNeedsAnswer(host: DisplayText) -> UserFacingError {
        UserFacingError(
            .nobodyToAsk, Message("setup has a question, but there is no terminal to ask it in"),
            [
                Message("run it in a terminal, or without questions:"),
                .command("git credential-gitspace setup \(word: host) --yes"),
            ])
    }

    package static func proactiveNeedsSignIn(host: DisplayText) -> UserFacingError {
        UserFacingError(
            .needsSignIn, Message("--proactive needs a signed-in account, and there is none"),
            [Message("sign in, then run the command again:"), .login(host)])
    }

    package static let lockImpossible = UserFacingError(
        .lockImpossible,
        Message("no safe folder for lock files, so gitspace cannot sign in, refresh or remove tokens"),
        [
            Message("you need to own one of these folders, be able to write to it, and have disk space left:"),
            .command("ls -ld /run/user/$(id -u) ~/.local/state; df -h /run/user/$(id -u) ~"),
        ])

    package static func shortlyRefused(host: DisplayText) -> UserFacingError {
        UserFacingError(
            .shortlyRefused, Message("the sign-in to %1$s was cancelled or declined less than a minute ago", host),
            [Message("sign in now:"), .login(host)])
    }

    package static func otherNotFinished(host: DisplayText) -> UserFacingError {
        UserFacingError(
            .otherNotFinished, Message("timed out while waiting for another sign-in or refresh"), inTerminal(host))
    }

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

    private static func inTerminal(_ host: DisplayText) -> [Message] {
        [Message("sign in from a terminal:"), .login(host)]
    }
}
