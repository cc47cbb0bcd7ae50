package import CredentialCore
internal import Messages
package import Providers

/// The user interface of a sign-in, in a terminal or on the desktop.
package protocol SignInUI: AnyObject {
    /// Whether there is a way to show a code.
    var canBeReached: Bool { get }

    /// Whether that way is a terminal, in which git itself would prompt; does not look for a desktop.
    var hasTerminal: Bool { get }

    /// Waits until no other sign-in is shown, where only one can be shown at a time; called just before a code is
    /// requested.
    ///
    /// - Returns: whether the person may be asked.
    func acquirePromptSlot() -> Bool

    /// Shows the command that asks, the address and the code.
    func show(_ prompt: SignInPrompt)

    /// Ends what `show` began, whatever the result: from now on, nothing that the person does is meant for us.
    ///
    /// What is on the screen stays there.
    func dismissPrompt()

    /// Waits, and keeps the display up to date.
    ///
    /// - Parameters:
    ///   - milliseconds: how long.
    ///   - end: when the code expires, in milliseconds of uptime; nil if there is no countdown.
    /// - Returns: why the wait ended.
    func wait(milliseconds: Int64, until end: Int64?) -> WaitOutcome

    /// Shows a message in a line of its own.
    func say(_ notice: Notice)

    /// Removes a prompt that is no longer needed, after a sign-in has ended in any way.
    func withdraw()
}

/// In a terminal there is room for every sign-in, and what is shown stays.
extension SignInUI {
    package func acquirePromptSlot() -> Bool { true }

    package func withdraw() {}
}

/// Why a wait ended.
package enum WaitOutcome: Equatable {
    /// The time has passed.
    case elapsed
    /// Ctrl-C, a key or a signal with the same meaning, or the person has closed the notification.
    case cancelled
    /// Nobody reads our answer any more.
    case abandoned
    /// Nobody approved in the time in which waiting makes sense.
    case unanswered
    /// The code could not be shown.
    case unreachable
}

/// What a person needs to sign in.
package struct SignInPrompt {
    /// The service's name: `GitHub`.
    package let providerName: DisplayText
    /// The host as it is displayed.
    package let host: DisplayText
    /// The account that was asked for, if any.
    package let askedAccount: AskedAccount?
    /// What RFC 8628 requires to be shown.
    package let authorization: DeviceAuthorization
    /// When the code expires, in milliseconds of uptime.
    package let end: Int64
    /// Whether an earlier code has just expired.
    package let isRenewal: Bool
    /// Whether a person ran a command to sign in, so that nobody else has asked.
    package let isExplicit: Bool
}

/// An account that a URL, git's configuration or a person has asked for.
package enum AskedAccount: Equatable {
    /// By a name that the service could have given.
    case named(DisplayText)
    /// By a text that no account is called, which is not shown.
    case another
}

/// What is said during a sign-in or an operation; failures are a `UserFacingError`.
package enum Notice: Equatable {
    /// The sign-in succeeded.
    case signedIn(account: DisplayText, storage: CredentialStorage)
    /// The server granted fewer scopes than were requested.
    case notGranted(granted: DisplayText, missing: DisplayText)
    /// Another process is signing in to the same account.
    case waitingForOtherSignIn(SignInPlace)
    /// A prompt of the keyring's is about to appear, for a password or for a permission.
    case waitingForKeyring(KeyringProgram)
    /// The person cancelled.
    case cancelled
    /// `git credential reject` removed something.
    case signedOut(host: DisplayText, accounts: [DisplayText], of: CredentialStorage)
    /// `git credential reject` found nothing to remove.
    case nothingMatched(host: DisplayText, account: DisplayText?)
    /// A password was not stored, because there is a sign-in for the account.
    case signInKept(host: DisplayText, account: DisplayText)
    /// Another server than the one that is configured now has issued the refresh token, which is not sent there.
    case issuedElsewhere(host: DisplayText, now: DisplayText)
    /// There is no keyring, so git's in-memory cache keeps the password that was typed.
    case keptInMemory
}
