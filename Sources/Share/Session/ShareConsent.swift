package import CredentialCore
package import Helper

/// The person's yes and no, in memory alone: it ends with the process, and so with the session.
package struct ShareConsent {
    package struct Subject: Equatable {
        /// As git named it in the request.
        package let host: [UInt8]
        /// As it stands in the keyring.
        package let username: [UInt8]

        package init(host: [UInt8], username: [UInt8]) {
            self.host = host
            self.username = username
        }
    }

    package enum Standing: Equatable {
        case allowed
        case open
        case refused(ShareRefusal)
    }

    /// In milliseconds.
    package static let longestYes: Int64 = 8 * 3_600_000
    /// In milliseconds: nobody is asked again after a no.
    package static let silence: Int64 = 600_000

    private let confirmation: SharePlan.Confirmation
    /// A yes allows only the one push that was asked about.
    private let isForOne: Bool
    private var yes: [(subject: Subject, since: Int64)] = []
    private var no: (refusal: ShareRefusal, since: Int64)?

    /// With `each`, a yes to a token is for all requests that came during the question, and a yes to a push for that push.
    package init(for plan: SharePlan) {
        confirmation = plan.confirmation
        isForOne = plan.confirmation == .each && plan.access.gateway != nil
    }

    package var isNeeded: Bool { confirmation != .never }

    package func isHeld(at now: Int64) -> Bool { yes.contains { now - $0.since < Self.longestYes } }

    /// All times are in milliseconds of uptime.
    package func standing(of subject: Subject, arrivedAt arrival: Int64, now: Int64) -> Standing {
        guard isNeeded else { return .allowed }
        let isCovered = yes.contains { past in
            guard past.subject == subject, now - past.since < Self.longestYes else { return false }
            return confirmation == .once || arrival <= past.since
        }
        if isCovered { return .allowed }
        guard let no, now - no.since < Self.silence else { return .open }
        // Whoever came while the prompt was there gets its answer; whoever comes later, that nobody is asked now.
        return .refused(arrival <= no.since ? no.refusal : .silenced)
    }

    package mutating func record(_ refusal: ShareRefusal?, of subject: Subject, now: Int64) {
        yes.removeAll { $0.subject == subject }
        if let refusal { no = (refusal, now) } else if !isForOne { yes.append((subject, now)) }
    }

    /// The screen was locked: whoever comes back is asked again.
    package mutating func forget() { yes.removeAll() }
}

/// The desktop, where the person is asked whether a target may have a token.
package protocol ShareScreen: AnyObject {
    /// Whether the screen is locked; nil if no service tells.
    var isLocked: Bool? { get }
    /// Whether a question could be shown now, and answered.
    var canAsk: Bool { get }

    /// Waits for the answer for `patience` milliseconds at most; nil for a yes.
    ///
    /// In the question are facts of our own, and of a push the names that it has: shown, and nothing else. `whileWaiting`
    /// is called ten times a second, so that requests that come meanwhile are taken in.
    func ask(_ question: SharePrompt, whileWaiting: () -> Void) -> ShareRefusal?
}

/// The question whether a target may have a token.
package struct SharePrompt: Equatable {
    package let plan: SharePlan
    package let host: DisplayText
    package let username: DisplayText
    /// What a gateway would do for it there; nil for a token that is handed out.
    package let intention: GatewayIntention?

    package init(_ plan: SharePlan, host: DisplayText, username: DisplayText, intention: GatewayIntention? = nil) {
        self.plan = plan
        self.host = host
        self.username = username
        self.intention = intention
    }

    /// In milliseconds; git inside waits as long.
    package static let patience: Int64 = 30_000

    package var question: Message {
        let name = DisplayText(trusted: plan.name.text)
        guard let intention else { return Message("Give your %1$s credentials to \"%2$s\"?", host, name) }
        // Other answers are for the host.
        if plan.confirmation == .each, intention.isPush {
            if let pullRequest = intention.pullRequest {
                return Message(
                    "Let \"%1$s\" push %2$s to %3$s on %4$s, and open the pull request \"%5$s\" into %6$s?", name,
                    intention.names, intention.repository.displayName, host, pullRequest.shownTitle ?? intention.names,
                    pullRequest.target.map { Message(verbatim: DisplayText(foreign: $0.utf8)) }
                        ?? Message("the default branch"))
            }
            return Message(
                "Let \"%1$s\" push %2$s to %3$s on %4$s?", name, intention.names, intention.repository.displayName, host
            )
        }
        return switch intention.service {
        case .uploadPack: Message("Let \"%1$s\" fetch from %2$s?", name, host)
        case .receivePack: Message("Let \"%1$s\" push to %2$s?", name, host)
        }
    }

    /// What asks for it, whose token it is, and how long the answer holds.
    package var explanation: [Message] {
        let kind =
            switch plan.kind {
            case .directory: Message("A container or machine that uses your shared folder asks for it.")
            case .ssh(let destination):
                Message("A program on the SSH host %1$s asks for it.", DisplayText(trusted: destination))
            }
        let validity =
            plan.confirmation == .each
            ? Message("You are asked each time.")
            : Message("You are asked again after 8 hours, or when you lock the screen.")
        return [kind, Message("Account: %1$s", username), validity]
    }

    package static let allowButton = Message("Allow")
    package static let denyButton = Message("Deny")
}

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
        case .rule(.options): Message("its push options ask for more than a pull request, or are malformed")
        case .rule(.pullRequests): Message("push options need --pull-requests")
        case .keyring(let error): error.words.text
        case .configuration: Message("git's configuration cannot be read")
        }
    }
}
