package import CredentialCore
package import Providers

/// The connection to a person, in a terminal or on the desktop.
package protocol SignInUI: AnyObject {
    var canBeReached: Bool { get }
    /// The seconds for which no question is shown after a dismissed or unanswered one, or `nil` if one can be shown.
    var secondsOfSilence: Int64? { get }
    /// Whether there is a terminal, in which git itself would prompt; does not look for a desktop.
    var hasTerminal: Bool { get }
    /// Whether a key or a button can open a browser in front of the person, on this machine.
    var opensBrowser: Bool { get }

    /// Waits until no other sign-in is shown, if only one can be shown at a time; request a code right afterwards.
    ///
    /// - Returns: false if the person may not be asked.
    func acquirePromptSlot() -> Bool
    func show(_ prompt: SignInPrompt)
    /// Ends the prompt; the text on the screen stays, but later actions of the person have no effect.
    func dismissPrompt()

    /// Waits and keeps the display up to date.
    ///
    /// `end` is the time when the code expires, in milliseconds of uptime, or `nil` without a countdown. A readable
    /// descriptor ends the wait as `.elapsed`.
    func wait(milliseconds: Int64, until end: Int64?, watching descriptors: [Int32]) -> WaitOutcome
    func takePasted() -> Secret?
    func say(_ notice: Notice)
    /// Removes the message after a sign-in has ended.
    func withdraw()
}

extension SignInUI {
    package func wait(milliseconds: Int64, until end: Int64?) -> WaitOutcome {
        wait(milliseconds: milliseconds, until: end, watching: [])
    }

    package var secondsOfSilence: Int64? { nil }

    // A terminal has room for every sign-in, and its text stays.
    package func acquirePromptSlot() -> Bool { true }
    package func takePasted() -> Secret? { nil }
    package func withdraw() {}
}

package enum WaitOutcome: Equatable {
    case elapsed
    /// The person cancelled by Ctrl-C, a key or a signal with the same meaning, or closed the notification.
    case cancelled
    /// No process reads our answer any more.
    case abandoned
    /// The person did not answer in the time in which waiting makes sense.
    case unanswered
    /// The code could not be shown.
    case unreachable
    /// The person wants to enter a code on another device instead.
    case wantsDeviceCode
    /// The person pasted a line, which should be the address at which their browser has ended.
    case pasted
}

package struct SignInPrompt {
    package let providerName: DisplayText
    package let host: DisplayText
    package let askedAccount: AskedAccount?
    package let approval: ApprovalPage
    /// The time when the code expires, in milliseconds of uptime.
    package let end: Int64
    /// Whether an earlier code has just expired.
    package let isRenewal: Bool
    /// Whether a person ran a command to sign in.
    package let isExplicit: Bool
}

package enum ApprovalPage {
    /// RFC 8628 requires that the page is shown.
    case deviceCode(DeviceAuthorization)
    /// A page in a browser on this machine; a code is the alternative if the server has one.
    case browser(HTTPSAddress, offersDeviceCode: Bool)
    /// A page in a browser elsewhere, which cannot reach us, so the person brings back its address.
    case pastedAddress(HTTPSAddress)

    package var address: HTTPSAddress {
        switch self {
        case .deviceCode(let authorization): authorization.verificationURI
        case .browser(let address, _), .pastedAddress(let address): address
        }
    }

    package var userCode: String? {
        if case .deviceCode(let authorization) = self { authorization.userCode } else { nil }
    }
}

package enum AskedAccount: Equatable {
    /// A name that the service could have given.
    case named(DisplayText)
    /// A text that is not shown.
    case another

    init(_ name: [UInt8], in context: CredentialContext) { self = context.shown(name).map(Self.named) ?? .another }
}

/// A message during a sign-in or an operation; failures are a `UserFacingError`.
package enum Notice: Equatable {
    case signedIn(account: DisplayText, storage: CredentialStorage)
    /// The token does not expire, although one that does was requested.
    case doesNotExpire(host: DisplayText)
    /// The token expires after so many seconds without a refresh token; the command may bring one.
    case endsForGood(server: DisplayText, seconds: Int64, command: DisplayText?)
    /// The last token could not be refreshed without the client's secret, so one without an expiry is requested.
    case notShortLived(host: DisplayText)
    case notGranted(granted: DisplayText, missing: DisplayText)
    case notTheAddress
    case redirectByHTTPS(origin: DisplayText)
    case strangerRefused
    case waitingForOtherSignIn(SignInLocation)
    case waitingForKeyring(KeyringProgram)
    case cancelled
    case serverIsBusy(host: DisplayText, seconds: Int64)
    case signedOut(host: DisplayText, accounts: [DisplayText], of: CredentialStorage)
    case rejected(host: DisplayText, account: DisplayText?, AfterRejection)
    case nothingMatched(host: DisplayText, account: AskedAccount?)
    /// A program's `git credential reject` does not end a sign-in.
    case signInStays(host: DisplayText, accounts: [DisplayText])
    /// The host calls the account by another name, and so does the keyring from now on.
    case accountRenamed(host: DisplayText, from: DisplayText, to: DisplayText)
    /// A password was not stored, because there is a sign-in for the account.
    case signInKept(host: DisplayText, account: DisplayText)
    /// The server refused to refresh the token, with this error code.
    case signInEnded(host: DisplayText, DisplayText)
    case issuedElsewhere(host: DisplayText, now: DisplayText)
    /// The keyring that was created in this session cannot be used before the next one.
    case keyringNotReady
    /// There is no keyring, so git's in-memory cache keeps the typed password.
    case keptInMemory
    /// A command for another machine's sign-in, in a container where memory keeps the token.
    case shareInstead(Message)
}

/// The next git command's action after a stored token was rejected.
package enum AfterRejection {
    case refreshes
    case signsIn
    /// The token was of a sign-in a moment ago, so this command does not sign in again.
    case endsAsking
    /// git's own prompt asks.
    case asks
}

/// The terminal, or else the desktop.
package final class FallbackUI: SignInUI {
    private let terminal: any SignInUI
    private let desktop: any SignInUI
    /// The terminal until the desktop is needed, since a question to the desktop is expensive.
    private var found: any SignInUI

    package init(_ terminal: any SignInUI, else desktop: any SignInUI) {
        self.terminal = terminal
        self.desktop = desktop
        found = terminal
    }

    package var hasTerminal: Bool { terminal.hasTerminal }

    package var canBeReached: Bool {
        guard !terminal.canBeReached else { return true }
        guard desktop.canBeReached else { return false }
        found = desktop
        return true
    }

    package var secondsOfSilence: Int64? { terminal.canBeReached ? nil : desktop.secondsOfSilence }
    package var opensBrowser: Bool { found.opensBrowser }
    package func acquirePromptSlot() -> Bool { found.acquirePromptSlot() }
    package func show(_ prompt: SignInPrompt) { found.show(prompt) }
    package func dismissPrompt() { found.dismissPrompt() }

    package func wait(milliseconds: Int64, until end: Int64?, watching descriptors: [Int32]) -> WaitOutcome {
        found.wait(milliseconds: milliseconds, until: end, watching: descriptors)
    }

    package func takePasted() -> Secret? { found.takePasted() }
    package func say(_ notice: Notice) { found.say(notice) }
    package func withdraw() { found.withdraw() }
}
