internal import CredentialCore
package import Messages
internal import OAuth

extension UserFacingError {
    /// Whether another client ID, or a click on the server's side, can help.
    package var isWorthAnotherID: Bool {
        switch self {
        case .malformedClientID: true
        case .registration(.unknownClient, _, _), .registration(.deviceFlowDisabled, _, _),
            .registration(.deviceFlowUnsupported, _, _):
            true
        default: false
        }
    }

    /// What failed, while a client ID was to be had.
    package var registrationText: Message {
        switch self {
        case .nobodyToAsk(_, let setting?): Message("cannot ask for a client ID: %1$s forbids it", setting)
        case .malformedClientID: Message("that is no client ID: it has no blanks, and is not empty")
        case .registration(let error, let host, let clientID): error.sentence(host: host, clientID: clientID)
        case .clientIDNotKept(let error, _, _): error.sentence
        default: Message("nobody is here to enter a client ID")
        }
    }

    /// What to do about it.
    package var registrationHints: [Message] {
        switch self {
        case .nobodyToAsk(let host, _):
            [
                Message("when the app is registered, name its client ID:"),
                .command("git credential-gitspace register \(host) --client-id ID"),
            ]
        case .registration(let error, let host, _): Self.hints(error, host: host)
        case .clientIDNotKept(_, let key, let clientID):
            [
                Message("the client ID works; put it where git reads it:"),
                .command("git config --global \(key) \(ShellWord.quoted(clientID))"),
            ]
        default: []
        }
    }

    private static func hints(_ error: DeviceFlowError, host: String) -> [Message] {
        let again = Message.command("git credential-gitspace register \(host)")
        switch error {
        case .unknownClient, .deviceFlowUnsupported:
            return [
                Message("copy the client ID from the app's page on %1$s; it is neither the name nor the App ID", host),
                again,
            ]
        case .deviceFlowDisabled:
            return [Message("tick \"Enable Device Flow\" on the app's page on %1$s, and save it there", host), again]
        default: return error.hints(host: host)
        }
    }
}
