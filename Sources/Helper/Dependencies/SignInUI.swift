package import CredentialCore
package import OAuth

/// The person, at the terminal or at the desktop, while a sign-in runs.
package protocol SignInUI: AnyObject {
    /// Whether there is anything to show a code on.
    var canBeReached: Bool { get }

    /// Whether that is a terminal, on which git itself would ask; nobody at a desktop is looked for.
    var hasTerminal: Bool { get }

    /// Waits for the person's attention where there is room for one sign-in at a time; right before a code is requested.
    ///
    /// - Returns: whether they may be asked.
    func acquirePromptSlot() -> Bool

    /// Shows who asks, the address and the code.
    func show(_ prompt: SignInPrompt)

    /// Ends what `show` began, however it came out: whatever the person does from now on is not meant for us.
    ///
    /// What stands on the screen stays.
    func dismissPrompt()

    /// Waits, and keeps what is shown up to date.
    ///
    /// - Parameters:
    ///   - milliseconds: how long.
    ///   - end: when the code ends, in milliseconds of uptime; nil if nothing is counted down.
    /// - Returns: why the wait ended.
    func wait(milliseconds: Int64, until end: Int64?) -> WaitOutcome

    /// Says something in a line of its own.
    func say(_ notice: Notice)

    /// Takes away what asks for something that is over; once a sign-in has ended, however it did.
    func withdraw()
}

/// A terminal has room for all, and what stands on it stays.
extension SignInUI {
    package func acquirePromptSlot() -> Bool { true }

    package func withdraw() {}
}

/// Why a wait ended.
package enum WaitOutcome: Equatable {
    /// The time is over.
    case elapsed
    /// Ctrl-C, a key that means the same, a signal to end; or the person has sent away what was shown.
    case cancelled
    /// Nobody waits for our answer any more.
    case abandoned
    /// Nobody has approved for as long as it makes sense to wait.
    case unanswered
    /// The code could not be shown after all.
    case unreachable
}

/// What a person needs to sign in.
package struct SignInPrompt {
    /// The service's name: `GitHub`.
    package let providerName: DisplayText
    /// The host as it is said to people.
    package let host: DisplayText
    /// The account that git asked for, if it did.
    package let askedAccount: DisplayText?
    /// What RFC 8628 wants shown.
    package let authorization: DeviceAuthorization
    /// When the code ends, in milliseconds of uptime.
    package let end: Int64
    /// Whether an earlier code has just expired.
    package let isRenewal: Bool
}

/// What is said while things take their course; what fails is a `UserFacingError`.
package enum Notice: Equatable {
    /// The sign-in succeeded.
    case signedIn(account: DisplayText, storage: CredentialStorage)
    /// The server granted less than was asked.
    case notGranted(granted: DisplayText, missing: DisplayText)
    /// Another process signs in for the same account.
    case waitingForOtherSignIn
    /// The keyring's password prompt is about to appear.
    case waitingForKeyring
    /// The person has cancelled.
    case cancelled
    /// `git credential reject` has removed something.
    case signedOut(host: DisplayText, accounts: [DisplayText])
    /// A password was not stored, since a sign-in stands there.
    case signInKept(host: DisplayText, account: DisplayText)
    /// There is no keyring: git's in-memory cache keeps what was typed.
    case keptInMemory
}
