package import CredentialCore
internal import Helper
package import Messages

/// The reason why a target gets nothing, for the log and the person here, never for the target.
package enum ShareRefusal: Error, Equatable {
    case otherAccount
    case notSignedIn
    /// The target may not have such tokens.
    case doesNotExpire
    /// git would have to send it in another scheme.
    case notAPassword
    /// The token; it could not be refreshed.
    case expired
    /// By the host, and there is no other.
    case rejected
    case denied
    case unanswered
    /// A no, or nothing, less than ten minutes ago.
    case silenced
    case locked
    /// There is no notification service with buttons.
    case nobodyToAsk
    /// The time of the share is over.
    case elapsed
    /// A rule of the share forbids it.
    case rule(GatewayRefusal)
    case keyring(KeyringError)
    case configuration

    private static let all: [Self] = [
        .otherAccount, .notSignedIn, .doesNotExpire, .notAPassword, .expired, .rejected, .denied, .unanswered,
        .silenced, .locked, .nobodyToAsk, .elapsed, .configuration,
    ]

    /// Those that a record tells apart; of any other it says as much as there is to say without its words.
    private static let keyringErrors: [KeyringError] = [
        .noBus, .noProvider, .noCollection, .notReady, .locked, .dismissed, .unresponsive(seconds: 5), .denied,
        .disconnected, .noPlugin, .other(""),
    ]

    /// As a record has it.
    var code: String {
        if case .rule(let rule) = self { return rule.rawValue }
        guard case .keyring(let error) = self else { return "\(self)" }
        return "keyring.\(Self.keyringErrors.contains(error) ? error : .other(""))"
    }

    init?(code: String) {
        let all = Self.all + Self.keyringErrors.map(Self.keyring) + GatewayRefusal.allCases.map(Self.rule)
        guard let refusal = all.first(where: { $0.code == code }) else { return nil }
        self = refusal
    }

    package var text: Message {
        switch self {
        case .otherAccount: Message("it asked for another account")
        case .notSignedIn: Message("no account is signed in")
        case .doesNotExpire: Message("the credentials do not expire; --long-lived allows it")
        case .notAPassword: Message("git in the container cannot send this kind of token")
        case .expired: Message("the token has expired and could not be refreshed")
        case .rejected: Message("the server rejected the token, and it could not be refreshed")
        case .denied: Message("you denied it")
        case .unanswered: Message("you did not answer")
        case .silenced: Message("you denied it or did not answer less than 10 minutes ago")
        case .locked: Message("the screen is locked")
        case .nobodyToAsk: Message("there is no notification service to ask you")
        case .elapsed: Message("the time of the share is over")
        case .rule(.notShared): Message("it is not shared")
        case .rule(.readOnly): Message("the share is read-only")
        case .rule(.branches): Message("it is no branch that may be pushed")
        case .rule(.signed): Message("signed pushes are not passed on where branches are limited")
        case .rule(.options): Message("push options are not passed on where branches are limited")
        case .keyring(let error): error.words.text
        case .configuration: Message("git's configuration cannot be read")
        }
    }
}
