package import CredentialCore
package import Helper
internal import OAuth

extension UserFacingError {
    /// What failed, and what to do.
    package var words: ErrorText { words(by: .other(nil)) }

    /// The same, by the program that offers the keyring.
    package func words(by program: KeyringProgram) -> ErrorText {
        switch self {
        case .requestRefused(let error): error.words.within { Message("refused the request: %1$s", $0) }
        case .malformedHostArgument(let host, let verb):
            ErrorText(
                Message("this is not a valid host: %1$s", host),
                [Message("for example:"), .command("git credential-gitspace \(verb) github.com")])
        case .plainHTTPArgument(let host, let verb):
            ErrorText(
                Message("gitspace only works over https: %1$s", host),
                [
                    Message("use the https address, for example:"),
                    .command("git credential-gitspace \(verb) https://github.com"),
                ])
        case .downgrade:
            ErrorText(Message("refused the request: this host is only used over https, on its default port"))
        case .keyring(let error): error.words(by: program)
        case .configurationUnreadable(let error): error.words
        case .configuration(let error, let verb): error.words(verb)
        case .notSaved(let error):
            error.words(by: program).within {
                Message("the token could not be saved and is used for this command only: %1$s", $0)
            }
        case .notErased(let error): error.words(by: program).within { Message("nothing was removed: %1$s", $0) }
        case .notAllErased(let accounts, let host, let error):
            error.words(by: program).within { Self.notAllErased(accounts, host, $0) }
        case .noSuchVerb(let word, let nearest): Self.noSuchVerb(word, nearest)
        case .noRepositoryHere:
            ErrorText(
                Message("no repository given, and the current folder has none with a remote"),
                [Message("for example:"), .command("git credential-gitspace check https://github.com/OWNER/NAME")])
        case .notARepository:
            ErrorText(
                Message("this is not a repository address"),
                [Message("for example:"), .command("git credential-gitspace check https://github.com/OWNER/NAME")])
        case .wrongKeyringPassword:
            ErrorText(Message("wrong password for the keyring"), [Message("try again:")] + Self.unlock)
        case .noKeyringPassword:
            ErrorText(
                Message("no password was given for the keyring"),
                [Message("enter it in a terminal, or pass it on standard input:")] + Self.unlock)
        case .passwordsDiffer:
            ErrorText(
                Message("the passwords do not match; no keyring was created"), [Message("try again:")] + Self.unlock)
        case .unlockElsewhere(let program): program.unlockWords
        case .installation(let failure, let host): failure.words(host: host)
        case .discovery(let error, let issuer, let host): error.words(issuer: issuer, host: host)
        case .signingKey(let error, let name): error.words(name)
        case .lockImpossible:
            ErrorText(
                Message(
                    "no safe folder for lock files, so gitspace cannot sign in, refresh or remove tokens"),
                [
                    Message("you need to own one of these folders, be able to write to it, and have disk space left:"),
                    .command("ls -ld /run/user/$(id -u) ~/.local/state; df -h /run/user/$(id -u) ~"),
                ])
        case .nobodyHere(let host, let account, let setting): Self.nobodyHere(host, account, setting)
        case .noClientID(let host): Self.noClientID(host)
        case .shortlyRefused(let host):
            ErrorText(
                Message("the sign-in to %1$s was cancelled or declined less than a minute ago", host),
                [Message("sign in now:"), .login(host)])
        case .otherNotFinished(let host):
            ErrorText(Message("timed out while waiting for another sign-in or refresh"), Self.inTerminal(host))
        case .refreshRefused(let host, let code, let again):
            ErrorText(
                Message("%1$s rejected the stored sign-in (%2$s)", host, code.name),
                again.map { [Message("sign in from a terminal:"), .login(host, $0)] } ?? Self.inTerminal(host))
        case .clientRefused(let host, let clientID, let code): Self.clientRefused(host, clientID, code)
        case .signIn(let error, let host, let clientID): error.words(host: host, clientID: clientID)
        case .wrongAccount(let asked, let got, let host, let request):
            DeviceFlowError.wrongAccount(asked, got, host: host, request)
        case .notForSignIn(let host): Self.notForSignIn(host)
        case .offline(let host, let error):
            error.words(host: host).within { Message("%1$s; the stored token was kept", $0) }
        case .serverInTrouble(let host, let status): Self.serverInTrouble(host, status)
        case .notSignedIn(let host):
            ErrorText(Message("no stored credentials for %1$s", host), [Message("sign in with:"), .login(host)])
        case .keyringAbsent(let error, let host):
            error.isSurelyEmpty
                ? Self.onlyMemory(error, host, [Message("sign in with:"), .login(host)])
                : error.words.within { Message("cannot look for a stored token for %1$s: %2$s", host, $0) }
        case .nothingToRemove(let host, let error):
            error.map { Self.onlyMemory($0, host, Self.seeStored) }
                ?? ErrorText(Message("no stored credentials for %1$s", host), Self.seeStored)
        case .notRenewable(let host, let again, let neverExpires): Self.notRenewable(host, again, neverExpires)
        case .severalAccounts(let host, let names, let verb): Self.severalAccounts(host, names, verb)
        case .accountNotStored(let account, let host, let stored, let verb):
            Self.accountNotStored(account, host, stored, verb)
        case .noAccountNamed(let host, let names):
            ErrorText(
                Message("no terminal to ask which account git should use for %1$s", host),
                [Message("choose one:")]
                    + names.map { .command("git credential-gitspace switch \(word: host) \(word: $0)") })
        case .notRevoked(let account, let host, let failure, let page):
            Self.notRevoked(account, host, failure, page)
        case .revokedNotErased(let account, let error):
            error.words(by: program).within {
                Message("the token of %1$s is revoked but still in the keyring: %2$s", account, $0)
            }
        case .nothingToRevokeAt(let host): Self.nothingToRevokeAt(host)
        case .nobodyToAsk(let host, let setting): Self.nobodyToAsk(host, setting)
        case .malformedClientID: ErrorText(Message("invalid client ID: it must not be empty or contain spaces"))
        case .malformedToken:
            ErrorText(Message("invalid token: it must be one line of letters, digits and _ . ~ + / = -"))
        case .noToken(let host, let page, let verb, let isTyped): Self.noToken(host, page, verb, isTyped)
        case .tokenRefused(let host, let page):
            ErrorText(Message("%1$s rejected this token; nothing was stored", host), Self.newToken(page))
        case .tokenNotVerified(let host):
            ErrorText(
                Message("could not verify this token with %1$s; nothing was stored", host),
                [Message("see what is wrong:"), .command("git credential-gitspace doctor")])
        case .tokenOfAnother(let asked, let owner):
            ErrorText(Message("this token belongs to %1$s, not to %2$s; nothing was stored", owner, asked))
        case .tokenOwnerUnknown(let host, let permissions): Self.tokenOwnerUnknown(host, permissions)
        case .tokenNeeded(let host, let page): Self.tokenNeeded(host, page)
        case .tokenNeedsAccount(let host): Self.tokenNeedsAccount(host)
        case .hostRecognized(let kind, let host): Self.recognized(kind, host)
        case .gitLacksAuthtype(let host): Self.gitLacksAuthtype(host)
        case .registration(let error, let host, let clientID, let form):
            error.registrationWords(host: host, clientID: clientID, form: form)
        case .noRegistrationPage(let host): Self.noRegistrationPage(host)
        case .setupNeedsPerson(let host, let setting): Self.setupNeedsPerson(host, setting)
        case .setupNeedsAnswer(let host):
            ErrorText(
                Message("setup has a question, but there is no terminal to ask it in"),
                [
                    Message("run it in a terminal, or without questions:"),
                    .command("git credential-gitspace setup \(word: host) --yes"),
                ])
        case .proactiveNeedsSignIn(let host):
            ErrorText(
                Message("--proactive needs a signed-in account, and there is none"),
                [Message("sign in, then run the command again:"), .login(host)])
        case .share(let failure): failure.words
        case .clientIDNotKept(let error, let key, let clientID): Self.clientIDNotKept(error, key, clientID)
        }
    }

    /// What failed.
    package var text: Message { words.what }

    /// What to do, a line each.
    package var hints: [Message] { words.hints }

    private static let unlock = [Message.command("git credential-gitspace unlock")]

    private static func notAllErased(
        _ accounts: [DisplayText], _ host: DisplayText, _ reason: Message
    ) -> Message {
        accounts.isEmpty
            ? Message("another account for %1$s could not be removed: %2$s", host, reason)
            : Message(
                "%1$s could not be removed for %2$s: %3$s", accounts.joined(separator: ", "), host, reason)
    }

    private static func noSuchVerb(_ word: DisplayText, _ nearest: DisplayText?) -> ErrorText {
        ErrorText(
            word.text.hasPrefix("-") ? Message("unknown option: %1$s", word) : Message("unknown command: %1$s", word),
            nearest.map {
                [Message("the most similar command is:"), .command("git credential-gitspace \($0)")]
            } ?? [Message("to list all commands:"), .command("git-credential-gitspace --help")])
    }

    private static func inTerminal(_ host: DisplayText) -> [Message] {
        [Message("sign in from a terminal:"), .login(host)]
    }

    /// Another account may be stored, so the one that git asks for is named.
    private static func nobodyHere(
        _ host: DisplayText, _ account: DisplayText?, _ setting: DisplayText?
    ) -> ErrorText {
        let login: DisplayText =
            account.map { "login \(word: host) --username \(word: $0)" } ?? "login \(word: host)"
        guard let setting else {
            return ErrorText(
                account.map {
                    Message(
                        "not signed in to %1$s as %2$s, and there is no terminal or desktop to sign in from", host, $0)
                } ?? Message("not signed in to %1$s, and there is no terminal or desktop to sign in from", host),
                [Message("sign in from a terminal:"), .command("git credential-gitspace \(login)")])
        }
        return ErrorText(
            account.map {
                Message("not signed in to %1$s as %2$s, and %3$s prevents signing in now", host, $0, setting)
            } ?? Message("not signed in to %1$s, and %2$s prevents signing in now", host, setting),
            [Message("sign in from a terminal, without %1$s:", setting), without(setting, login)])
    }

    /// A command that runs without a setting that prevents a sign-in: as it stands, it would fail in the same way.
    private static func without(_ setting: DisplayText, _ verb: DisplayText) -> Message {
        switch setting.text {
        // This one applies only to git.
        case "gitspaceDeviceFlow=never": return .command("git credential-gitspace \(verb)")
        case "credential.interactive=false":
            return .command("git -c credential.interactive=true credential-gitspace \(verb)")
        default:
            let variable = String(setting.text.prefix { $0 != "=" })
            return .command("env -u \(word: variable) git credential-gitspace \(verb)")
        }
    }

    private static func setupNeedsPerson(_ host: DisplayText, _ setting: DisplayText?) -> ErrorText {
        guard let setting else {
            return ErrorText(
                Message("not signed in to %1$s, and there is no terminal or desktop to sign in from", host),
                [Message("continue in a terminal:"), .command("git credential-gitspace setup \(word: host)")])
        }
        return ErrorText(
            Message("not signed in to %1$s, and %2$s prevents signing in now", host, setting),
            [
                Message("continue in a terminal, without %1$s:", setting), without(setting, "setup \(word: host)"),
            ])
    }

    /// Services that are not GitHub, and must not be configured as GitHub.
    private static let otherServices = ["gitlab.com", "bitbucket.org", "codeberg.org", "dev.azure.com", "gitea.com"]

    private static func notForSignIn(_ host: DisplayText) -> ErrorText {
        let what = Message("gitspace does not know how to sign in to %1$s", host)
        guard !otherServices.contains(host.text) else {
            return ErrorText(
                what,
                [
                    Message(
                        "you can also enter a personal access token at git's password prompt; gitspace stores it"
                    )
                ])
        }
        return ErrorText(
            what,
            [
                Message("if it is a GitHub Enterprise Server, set its provider (for GitLab, use gitlab):"),
                .command("git config --global \(word: "credential.https://\(host).provider" as DisplayText) github"),
            ])
    }

    private static func serverInTrouble(_ host: DisplayText, _ status: Int) -> ErrorText {
        ErrorText(
            Message(
                "%1$s could not refresh the token (server error, status %2$s); the stored token was kept", host, status),
            [Message("try again in a few minutes")])
    }

    private static func notRevoked(
        _ account: DisplayText, _ host: DisplayText, _ failure: RevocationFailure, _ page: HTTPSAddress?
    ) -> ErrorText {
        ErrorText(
            Message(
                "could not revoke the token of %1$s, so it was kept in the keyring: %2$s", account, failure.what(host)),
            [
                page.map { Message("try again, or revoke the app's access at %1$s", $0) }
                    ?? Message("try again, or revoke the app's access at %1$s", host),
                Message("to remove it even though it may still be valid:"),
                .command(
                    "git credential-gitspace logout \(word: host) --username \(word: account) --revoke --force"),
            ])
    }

    private static func nothingToRevokeAt(_ host: DisplayText) -> ErrorText {
        ErrorText(
            Message("gitspace does not sign in to %1$s, so it cannot revoke a token there; nothing was removed", host),
            [
                Message("to remove the stored credentials:"), .command("git credential-gitspace logout \(word: host)"),
            ])
    }
}
