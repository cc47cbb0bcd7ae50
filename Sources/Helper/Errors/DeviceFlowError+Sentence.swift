package import Messages
package import OAuth

extension DeviceFlowError {
    /// What failed, for people.
    package func sentence(host: String, clientID: String) -> Message {
        switch self {
        case .transport(let error): error.sentence(host: host)
        case .unavailable(let status): Message("%1$s is in trouble (status %2$s)", host, String(status))
        case .unknownClient: Message("%1$s does not know the app %2$s", host, clientID)
        case .deviceFlowDisabled: Message("this app may not use the device flow")
        case .deviceFlowUnsupported: Message("%1$s offers no device flow to the app %2$s", host, clientID)
        case .declined: Message("sign-in was declined in the browser")
        case .expired: Message("nobody approved in time, and the code expired")
        case .incorrectDeviceCode: Message("%1$s no longer knows this sign-in", host)
        case .unverifiedUserEmail: Message("%1$s wants a verified e-mail address first", host)
        case .refused(let code): Message("%1$s refused the sign-in: %2$s", host, code)
        case .malformedAnswer: Message("%1$s answered with something that is no answer", host)
        case .foreignAddress: Message("%1$s sent an address on another host, which is not shown", host)
        case .tokenRejected: Message("%1$s does not accept the token that it has just issued", host)
        case .wrongAccount(let asked, let got):
            Message("signed in as %1$s, but git asked for %2$s; nothing was stored", got, asked)
        case .cancelled: Message("sign-in cancelled")
        case .abandoned: Message("git is gone")
        case .unanswered: Message("nobody answered the desktop notification in time")
        case .unreachable: Message("the code could not be shown")
        }
    }

    /// What to do about it.
    package func hints(host: String) -> [Message] {
        switch self {
        case .transport(let error): error.hints
        case .unavailable: [Message("try again in a few minutes")]
        case .unknownClient, .deviceFlowUnsupported:
            [
                Message("client IDs belong to one host; name the right one:"),
                .command("git config --global credential.https://\(host).oauthClientId <client ID>"),
            ]
        case .deviceFlowDisabled:
            [Message("its owner can tick \"Enable Device Flow\" in the app's settings on %1$s", host)]
        case .expired, .incorrectDeviceCode, .tokenRejected:
            [Message("try again:"), .command("git credential-gitspace login \(host)")]
        case .unverifiedUserEmail: [Message("verify it on https://%1$s/settings/emails and try again", host)]
        case .wrongAccount(let asked, _):
            [
                Message(
                    "sign in to %1$s as %2$s in the browser first, or name the account in the address:", host, asked),
                .command("git remote set-url origin https://NAME@\(host)/OWNER/REPOSITORY"),
            ]
        case .unanswered: [Message("sign in once in a terminal:"), .command("git credential-gitspace login \(host)")]
        case .declined, .refused, .malformedAnswer, .foreignAddress, .cancelled, .abandoned, .unreachable: []
        }
    }
}
