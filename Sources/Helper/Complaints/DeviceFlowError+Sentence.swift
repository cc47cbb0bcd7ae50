internal import OAuth

extension DeviceFlowError {
    /// What failed, for people.
    func sentence(host: String, clientID: String) -> String {
        switch self {
        case .transport(let error): error.sentence(host: host)
        case .unavailable(let status): "\(host) is in trouble (status \(status))"
        case .unknownClient: "\(host) does not know the app \(clientID)"
        case .deviceFlowDisabled: "this app may not use the device flow"
        case .deviceFlowUnsupported: "\(host) offers no device flow to the app \(clientID)"
        case .declined: "sign-in was declined in the browser"
        case .expired: "nobody approved in time, and the code expired"
        case .incorrectDeviceCode: "\(host) no longer knows this sign-in"
        case .unverifiedUserEmail: "\(host) wants a verified e-mail address first"
        case .refused(let code): "\(host) refused the sign-in: \(code)"
        case .malformedAnswer: "\(host) answered with something that is no answer"
        case .foreignAddress: "\(host) sent an address on another host, which is not shown"
        case .tokenRejected: "\(host) does not accept the token that it has just issued"
        case .wrongAccount(let asked, let got): "signed in as \(got), but git asked for \(asked); nothing was stored"
        case .cancelled: "sign-in cancelled"
        case .abandoned: "git is gone"
        }
    }

    /// What to do about it.
    func hints(host: String) -> [String] {
        switch self {
        case .transport(let error): error.hints
        case .unavailable: ["try again in a few minutes"]
        case .unknownClient, .deviceFlowUnsupported:
            [
                "client IDs belong to one host; name the right one:",
                "  git config --global credential.https://\(host).oauthClientId <client ID>",
            ]
        case .deviceFlowDisabled: ["its owner can tick \"Enable Device Flow\" in the app's settings on \(host)"]
        case .expired, .incorrectDeviceCode, .tokenRejected:
            ["try again:", "  git credential-gitspace login \(host)"]
        case .unverifiedUserEmail: ["verify it on https://\(host)/settings/emails and try again"]
        case .wrongAccount(let asked, _):
            [
                "sign in to \(host) as \(asked) in the browser first, or name the account in the address:",
                "  git remote set-url origin https://NAME@\(host)/OWNER/REPOSITORY",
            ]
        case .declined, .refused, .malformedAnswer, .foreignAddress, .cancelled, .abandoned: []
        }
    }
}
