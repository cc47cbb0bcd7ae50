package import CredentialCore
internal import Helper
package import OAuth
package import Providers

extension DeviceFlowError {
    /// Why a sign-in failed, and how it can succeed.
    package func words(host: DisplayText, clientID: DisplayText) -> ErrorText {
        switch self {
        case .transport(let error): error.words(host: host)
        case .unknownClient, .deviceFlowDisabled, .deviceFlowUnsupported: aboutClient(host, clientID)
        case .clientSecretWanted:
            ErrorText(
                Message("%1$s requires a secret for the client ID %2$s", host, clientID),
                [
                    Message(
                        "its owner can make it a public app (on GitLab: untick \"Confidential\"), or name its secret:"),
                    .command("git config --global credential.https://\(host).oauthClientSecret <secret>"),
                ])
        case .invalidScope(let scopes):
            ErrorText(
                Message("the client ID %1$s is not allowed to request all of these scopes: %2$s", clientID, scopes),
                [Message("its owner needs to allow them in the app's settings on %1$s", host)])
        case .wrongAccount(let asked, let got): Self.wrongAccount(asked, got)
        case .unverifiedUserEmail:
            ErrorText(
                Message("%1$s requires a verified email address", host),
                [Message("verify it on https://%1$s/settings/emails and try again", host)])
        case .expired: ErrorText(Message("the code expired before it was approved"), Self.again(host))
        case .incorrectDeviceCode: ErrorText(Message("%1$s no longer recognizes this sign-in", host), Self.again(host))
        case .untrustedIdentity(let error):
            ErrorText(
                Message("could not verify who signed in to %1$s, so nothing was stored: %2$s", host, error.what),
                error.hints(host: host))
        case .tokenRejected:
            ErrorText(Message("%1$s rejected the token it has just issued", host), Self.again(host))
        case .unavailable(let status):
            ErrorText(
                Message("%1$s returned a server error (status %2$s)", host, status),
                [Message("try again in a few minutes")])
        case .unanswered:
            ErrorText(
                Message("the desktop notification was not answered in time"),
                [Message("sign in from a terminal:"), .login(host)])
        case .declined: ErrorText(Message("the sign-in was declined in the browser"))
        case .refused(let code): ErrorText(Message("%1$s refused the sign-in: %2$s", host, code))
        case .malformedAnswer: ErrorText(Message("%1$s sent an unexpected response", host))
        case .foreignAddress:
            ErrorText(Message("%1$s sent a sign-in page on another host, so it is not shown", host))
        case .cancelled: ErrorText(Message("sign-in cancelled"))
        case .abandoned: ErrorText(Message("git has exited"))
        case .unreachable: ErrorText(Message("the code could not be shown"))
        }
    }

    /// What the server says about the app, where another client ID or a click on the app's page helps.
    private func aboutClient(_ host: DisplayText, _ clientID: DisplayText) -> ErrorText {
        let rightOne = [
            Message("a client ID works on one host only; set the right one:"),
            .command("git config --global credential.https://\(host).oauthClientId <client ID>"),
        ]
        return switch self {
        case .unknownClient: ErrorText(Message("%1$s does not recognize the client ID %2$s", host, clientID), rightOne)
        case .deviceFlowUnsupported:
            ErrorText(Message("%1$s does not offer the device flow for the client ID %2$s", host, clientID), rightOne)
        default:
            ErrorText(
                Message("the device flow is not enabled for this app"),
                [Message("its owner needs to tick \"Enable Device Flow\" in the app's settings on %1$s", host)])
        }
    }

    private static func wrongAccount(_ asked: DisplayText, _ got: DisplayText?) -> ErrorText {
        let who: any MessageArgument = got ?? Message("an unknown account")
        return ErrorText(Message("signed in as %1$s, not as %2$s; nothing was stored", who, asked))
    }

    /// The same, with what helps whoever has asked for the account.
    static func wrongAccount(
        _ asked: DisplayText, _ got: DisplayText?, host: DisplayText, _ request: AccountRequest
    ) -> ErrorText {
        let who: any MessageArgument = got ?? Message("an unknown account")
        let byGit = Message("signed in as %1$s, but git asked for %2$s; nothing was stored", who, asked)
        return switch request {
        case .person:
            ErrorText(
                wrongAccount(asked, got).what,
                [
                    Message("sign in to %1$s as %2$s in the browser, then try again:", host, asked),
                    .command("git credential-gitspace login \(word: host) --username \(word: asked)"),
                ])
        case .clone(let path):
            ErrorText(
                byGit,
                [
                    Message(
                        "sign in to %1$s as %2$s in the browser first, or put the account in the URL:", host, asked),
                    .command("git clone \(address(got, host, path))"),
                ])
        case .git(let path):
            ErrorText(
                byGit,
                [
                    Message(
                        "sign in to %1$s as %2$s in the browser first, or put the account in the remote's URL:", host,
                        asked),
                    .command("git remote set-url origin \(address(got, host, path))"),
                ])
        }
    }

    /// The repository's address with the account in it; in capitals, what is unknown or could not be pasted.
    private static func address(_ got: DisplayText?, _ host: DisplayText, _ path: DisplayText?) -> DisplayText {
        let segments = path.flatMap { RepositoryAddress("https://\(host)/\($0)") }?.segments.joined(separator: "/")
        let repository = segments.map { DisplayText(own: $0) } ?? "OWNER/REPOSITORY"
        let name = got.flatMap { RepositoryAddress("https://\($0)@\(host)/a/b")?.username == $0.text ? $0 : nil }
        return "https://\(name ?? "NAME")@\(host)/\(repository)"
    }

    private static func again(_ host: DisplayText) -> [Message] { [Message("try again:"), .login(host)] }
}

extension DeviceFlowError {
    /// The same during registration: the app's page is at hand then, and `register` is running.
    package func registrationWords(
        host: DisplayText, clientID: DisplayText, form: Registration.Form?
    ) -> ErrorText {
        let words = words(host: host, clientID: clientID)
        return switch self {
        case .unknownClient where form?.isGitLabs == true:
            ErrorText(
                words.what, [Message("copy the Application ID from the app's page on %1$s (not its secret)", host)])
        case .unknownClient, .deviceFlowUnsupported:
            ErrorText(
                words.what,
                [
                    Message(
                        "copy the client ID from the app's page on %1$s (not the app's name or App ID)", host)
                ])
        case .deviceFlowDisabled:
            ErrorText(
                words.what,
                [
                    Message("tick \"Enable Device Flow\" on the app's page on %1$s, then save", host)
                ])
        default: words
        }
    }
}

extension Registration.Form {
    /// Whether a client ID is called Application ID there.
    fileprivate var isGitLabs: Bool { if case .gitLabApplication = self { true } else { false } }
}
