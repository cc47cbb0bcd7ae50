package import CredentialCore

/// Why a sign-in failed.
package enum DeviceFlowError: Error, Equatable {
    /// The server could not be reached.
    case transport(TransportError)
    /// Server error; the status.
    case unavailable(status: Int)
    /// The host does not know the client ID.
    case unknownClient
    /// The owner of the app has not enabled the device flow.
    case deviceFlowDisabled
    /// The app is not allowed a scope that was requested; all requested scopes.
    case invalidScope(DisplayText)
    /// The host has issued a code to the app, and gives its token to nobody who does not prove to be the app.
    case clientSecretWanted
    /// The host offers no device flow to this app.
    case deviceFlowUnsupported
    /// The person pressed Cancel in the browser.
    case declined
    /// The code expired before anybody approved.
    case expired
    /// The server does not recognise our device code.
    case incorrectDeviceCode
    /// The account's e-mail address has to be verified first.
    case unverifiedUserEmail
    /// Any other error: the server's code, escaped for display.
    case refused(DisplayText)
    /// The response is malformed.
    case malformedAnswer
    /// The page to show is not on the host that was asked.
    case foreignAddress
    /// Who has signed in cannot be believed: the ID token fails a check.
    case untrustedIdentity(IDTokenError)
    /// The server rejected the new token immediately.
    case tokenRejected
    /// The approval came from another account than the requested one; nil if the server does not say from which.
    case wrongAccount(asked: DisplayText, got: DisplayText?)
    /// The person cancelled here.
    case cancelled
    /// git ended while we waited.
    case abandoned
    /// Nobody answered the notification.
    case unanswered
    /// The code could not be shown.
    case unreachable
}
