package import CredentialCore

/// Why a sign-in came to nothing.
package enum DeviceFlowError: Error, Equatable {
    /// A fault on the way to the server.
    case transport(TransportError)
    /// The server is in trouble; its status.
    case unavailable(status: Int)
    /// The host does not know the client ID.
    case unknownClient
    /// The app's owner has not ticked "Enable Device Flow".
    case deviceFlowDisabled
    /// The app may not have a scope that was asked for; all that was asked for.
    case invalidScope(DisplayText)
    /// The host has issued a code to the app, and gives its token to nobody who does not prove to be the app.
    case clientSecretWanted
    /// The host offers no device flow to this app.
    case deviceFlowUnsupported
    /// The person pressed Cancel in the browser.
    case declined
    /// The code ended before anybody approved.
    case expired
    /// The server takes our device code for none.
    case incorrectDeviceCode
    /// The account's e-mail address has to be verified first.
    case unverifiedUserEmail
    /// An error that we have no words for; the server's, fit to be shown.
    case refused(DisplayText)
    /// The answer makes no sense.
    case malformedAnswer
    /// The address to show is not one of the host that was asked.
    case foreignAddress
    /// The token works for nobody: the server refuses it at once.
    case tokenRejected
    /// Somebody else signed in than was asked for; nil if the server does not say who.
    case wrongAccount(asked: DisplayText, got: DisplayText?)
    /// The person cancelled here.
    case cancelled
    /// git ended while we waited.
    case abandoned
    /// Nobody has answered the notification.
    case unanswered
    /// The code could not be shown.
    case unreachable
}
