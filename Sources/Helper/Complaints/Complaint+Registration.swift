internal import Messages
internal import OAuth

extension Complaint {
    /// Whether another client ID, or a click on the server's side, can help.
    var isWorthAnotherID: Bool {
        switch self {
        case .malformedClientID: true
        case .registration(.unknownClient, _, _), .registration(.deviceFlowDisabled, _, _),
            .registration(.deviceFlowUnsupported, _, _):
            true
        default: false
        }
    }

    /// What to do about a client ID that did not work.
    static func registrationHints(_ error: DeviceFlowError, host: String) -> [Message] {
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
