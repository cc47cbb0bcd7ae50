package import CredentialCore
internal import Messages
package import Providers

/// The way to a person, in a terminal or on the desktop.
package protocol SignInUI: AnyObject {
    var canBeReached: Bool { get }

    /// For which it asks nobody, since the person has just sent a sign-in away or left it unanswered; nil if it asks.
    var secondsOfSilence: Int64? { get }

    /// A terminal, in which git itself would prompt; does not look for a desktop.
    var hasTerminal: Bool { get }

    /// Whether a key or a button can open a browser in front of the person, on this machine.
    var opensBrowser: Bool { get }

    /// Waits until no other sign-in is shown, where only one can be shown at a time.
    ///
    /// Called just before a code is requested.
    ///
    /// - Returns: false if the person may not be asked.
    func acquirePromptSlot() -> Bool

    func show(_ prompt: SignInPrompt)

    /// Whatever the result: from now on, nothing that the person does is meant for us.
    ///
    /// What is on the screen stays there.
    func dismissPrompt()

    /// Keeps the display up to date; `end` is when the code expires, in milliseconds of uptime, nil without a
    /// countdown.
    ///
    /// It also ends, as elapsed, when one of the descriptors becomes readable.
    func wait(milliseconds: Int64, until end: Int64?, watching descriptors: [Int32]) -> WaitOutcome

    /// What was pasted last.
    func takePasted() -> Secret?

    /// In a line of its own.
    func say(_ notice: Notice)

    /// It is no longer needed, after a sign-in has ended in any way.
    func withdraw()
}

extension SignInUI {
    package func wait(milliseconds: Int64, until end: Int64?) -> WaitOutcome {
        wait(milliseconds: milliseconds, until: end, watching: [])
    }

    package var secondsOfSilence: Int64? { nil }

    // In a terminal there is room for every sign-in, and what is shown stays.
    package func acquirePromptSlot() -> Bool { true }

    package func takePasted() -> Secret? { nil }

    package func withdraw() {}
}

package enum WaitOutcome: Equatable {
    case elapsed
    /// By Ctrl-C, a key or a signal with the same meaning, or by closing the notification.
    case cancelled
    /// Nobody reads our answer any more.
    case abandoned
    /// In the time in which waiting makes sense.
    case unanswered
    /// The code could not be shown.
    case unreachable
    /// The person wants to enter a code on another device instead.
    case wantsDeviceCode
    /// A line, which should be the address at which their browser has ended.
    case pasted
}

package struct SignInPrompt {
    /// As in `GitHub`.
    package let providerName: DisplayText
    /// As it is displayed.
    package let host: DisplayText
    package let askedAccount: AskedAccount?
    package let approval: ApprovalPage
    /// In milliseconds of uptime, when the code expires.
    package let end: Int64
    /// An earlier code has just expired.
    package let isRenewal: Bool
    /// A person ran a command to sign in; nobody else has asked.
    package let isExplicit: Bool
}

/// Where the person approves, and what they do there.
package enum ApprovalPage {
    /// RFC 8628 requires it to be shown.
    case deviceCode(DeviceAuthorization)
    /// In a browser on this machine; a code is the other way where the server has one.
    case browser(HTTPSAddress, offersDeviceCode: Bool)
    /// In a browser elsewhere, which cannot come back to us: the person brings its address.
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

/// The account that is asked for by a URL, git's configuration or a person.
package enum AskedAccount: Equatable {
    /// By a name that the service could have given.
    case named(DisplayText)
    /// By a text that is not shown.
    case another

    init(_ name: [UInt8], in context: CredentialContext) { self = context.shown(name).map(Self.named) ?? .another }
}

/// A setting with which a server may issue refresh tokens.
package enum RefreshTokenSetting: Equatable {
    case scopes(DisplayText)
    /// Where `offline_access` is ignored unless the person is asked for consent (OpenID Connect Core 1.0, 11).
    case consent
}

/// During a sign-in or an operation; failures are a `UserFacingError`.
package enum Notice: Equatable {
    case signedIn(account: DisplayText, storage: CredentialStorage)
    /// Although one that does was asked for.
    case doesNotExpire(host: DisplayText)
    /// The server gave no refresh token with one that ends after so many seconds; what may bring one, if anything.
    case endsForGood(host: DisplayText, server: DisplayText, seconds: Int64, setting: RefreshTokenSetting?)
    /// The last token could not be refreshed without the client's secret, so one that does not end is asked for.
    case notShortLived(host: DisplayText)
    /// Fewer scopes than were requested.
    case notGranted(granted: DisplayText, missing: DisplayText)
    /// What was pasted is not the address at which the browser ends.
    case notTheAddress
    /// Nobody here speaks that; at this origin, the browser is heard.
    case redirectByHTTPS(origin: DisplayText)
    /// Somebody else has connected where the browser is waited for.
    case strangerRefused
    /// By another process, to the same account.
    case waitingForOtherSignIn(SignInLocation)
    /// For a password or for a permission.
    case waitingForKeyring(KeyringProgram)
    case cancelled
    /// It wants to be asked later.
    case serverIsBusy(host: DisplayText, seconds: Int64)
    /// `git credential reject` removed something.
    case signedOut(host: DisplayText, accounts: [DisplayText], of: CredentialStorage)
    /// A server rejected what we had stored.
    case rejected(host: DisplayText, account: DisplayText?, AfterRejection)
    /// `git credential reject` found nothing to remove.
    case nothingMatched(host: DisplayText, account: AskedAccount?)
    /// A program's `git credential reject` does not end a sign-in.
    case signInStays(host: DisplayText, accounts: [DisplayText])
    /// The host calls the account by another name, and so does the keyring from now on.
    case accountRenamed(host: DisplayText, from: DisplayText, to: DisplayText)
    /// A password was not stored, because there is a sign-in for the account.
    case signInKept(host: DisplayText, account: DisplayText)
    /// The server refused to refresh it, with the code of the error.
    case signInEnded(host: DisplayText, DisplayText)
    /// Another server than the one that is configured now has issued the refresh token, which is not sent there.
    case issuedElsewhere(host: DisplayText, now: DisplayText)
    /// The keyring that was made in this session cannot be used before the next one.
    case keyringNotReady
    /// There is no keyring, so git's in-memory cache keeps the password that was typed.
    case keptInMemory
}

/// What the next git command does after a stored token was rejected.
package enum AfterRejection {
    case refreshes
    case signsIn
    /// The token was of a sign-in a moment ago: this command does not sign in again.
    case endsAsking
    /// git's own prompt does.
    case asks
}
