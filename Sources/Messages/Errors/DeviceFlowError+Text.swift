package import CredentialCore
package import OAuth
package import Providers

extension DeviceFlowError {
    /// Why a sign-in came to nothing, and how it can succeed.
    package func words(host: DisplayText, clientID: DisplayText) -> ErrorText {
        switch self {
        case .transport(let error): error.words(host: host)
        case .unknownClient, .deviceFlowDisabled, .deviceFlowUnsupported: aboutClient(host, clientID)
        case .clientSecretWanted:
            ErrorText(
                Message("%1$s wants a secret from the app %2$s", host, clientID),
                [
                    Message(
                        "its owner can make it a public app (on GitLab: untick \"Confidential\"), or name its secret:"),
                    .command("git config --global credential.https://\(host).oauthClientSecret <secret>"),
                ])
        case .invalidScope(let scopes):
            ErrorText(
                Message("the app %1$s may not ask for all of these scopes: %2$s", clientID, scopes),
                [Message("its owner can allow them in the app's settings on %1$s", host)])
        case .wrongAccount, .unverifiedUserEmail: aboutAccount(host)
        case .expired: ErrorText(Message("nobody approved in time, and the code expired"), Self.again(host))
        case .incorrectDeviceCode: ErrorText(Message("%1$s no longer knows this sign-in", host), Self.again(host))
        case .tokenRejected:
            ErrorText(Message("%1$s does not accept the token that it has just issued", host), Self.again(host))
        case .unavailable(let status):
            ErrorText(
                Message("%1$s is in trouble (status %2$s)", host, status), [Message("try again in a few minutes")])
        case .unanswered:
            ErrorText(
                Message("nobody answered the desktop notification in time"),
                [Message("sign in once in a terminal:"), .login(host)])
        case .declined: ErrorText(Message("sign-in was declined in the browser"))
        case .refused(let code): ErrorText(Message("%1$s refused the sign-in: %2$s", host, code))
        case .malformedAnswer: ErrorText(Message("%1$s answered with something that is no answer", host))
        case .foreignAddress:
            ErrorText(Message("%1$s sent an address on another host, which is not shown", host))
        case .cancelled: ErrorText(Message("sign-in cancelled"))
        case .abandoned: ErrorText(Message("git is gone"))
        case .unreachable: ErrorText(Message("the code could not be shown"))
        }
    }

    /// What the server says of the app, as far as another client ID or a click on the app's page helps.
    private func aboutClient(_ host: DisplayText, _ clientID: DisplayText) -> ErrorText {
        let rightOne = [
            Message("client IDs belong to one host; name the right one:"),
            .command("git config --global credential.https://\(host).oauthClientId <client ID>"),
        ]
        return switch self {
        case .unknownClient: ErrorText(Message("%1$s does not know the app %2$s", host, clientID), rightOne)
        case .deviceFlowUnsupported:
            ErrorText(Message("%1$s offers no device flow to the app %2$s", host, clientID), rightOne)
        default:
            ErrorText(
                Message("this app may not use the device flow"),
                [Message("its owner can tick \"Enable Device Flow\" in the app's settings on %1$s", host)])
        }
    }

    private func aboutAccount(_ host: DisplayText) -> ErrorText {
        guard case .wrongAccount(let asked, let got) = self else {
            return ErrorText(
                Message("%1$s wants a verified e-mail address first", host),
                [Message("verify it on https://%1$s/settings/emails and try again", host)])
        }
        let who: any MessageArgument = got ?? Message("somebody unknown")
        return ErrorText(
            Message("signed in as %1$s, but git asked for %2$s; nothing was stored", who, asked),
            [
                Message(
                    "sign in to %1$s as %2$s in the browser first, or name the account in the address:", host, asked),
                .command("git remote set-url origin https://NAME@\(host)/OWNER/REPOSITORY"),
            ])
    }

    private static func again(_ host: DisplayText) -> [Message] { [Message("try again:"), .login(host)] }
}

extension DeviceFlowError {
    /// The same, while a client ID is to be had: then the app's page is at hand, and `register` is what is running.
    package func registrationWords(
        host: DisplayText, clientID: DisplayText, form: Registration.Form?
    ) -> ErrorText {
        let words = words(host: host, clientID: clientID)
        return switch self {
        case .unknownClient where form?.isGitLabs == true:
            ErrorText(
                words.what, [Message("copy the Application ID from the app's page on %1$s, not its secret", host)])
        case .unknownClient, .deviceFlowUnsupported:
            ErrorText(
                words.what,
                [
                    Message(
                        "copy the client ID from the app's page on %1$s; it is neither the name nor the App ID", host)
                ])
        case .deviceFlowDisabled:
            ErrorText(
                words.what,
                [
                    Message("tick \"Enable Device Flow\" on the app's page on %1$s, and save it there", host)
                ])
        default: words
        }
    }
}

extension Registration.Form {
    /// Whether a client ID is called Application ID there.
    fileprivate var isGitLabs: Bool { if case .gitLabApplication = self { true } else { false } }
}
