package import CredentialCore
package import Helper

/// The person's answers, kept in memory only, until the process ends.
struct ShareConsent {
    /// The most milliseconds for which a yes holds.
    private static let longestYes: Int64 = 8 * 3_600_000
    /// Milliseconds after a no in which the person is not asked again.
    private static let silence: Int64 = 600_000

    private let confirmation: SharePlan.Confirmation
    /// Whether a yes allows only the one push in question.
    private let isForOne: Bool
    private var yes: [(subject: ShareRecord.Account, since: Int64)] = []
    private var no: (refusal: ShareRefusal, since: Int64)?

    /// With `each`, a yes to a token holds for all requests that arrived during the question.
    init(for plan: SharePlan) {
        confirmation = plan.confirmation
        isForOne = plan.confirmation == .each && plan.access.gateway != nil
    }

    func isHeld(at now: Int64) -> Bool { yes.contains { now - $0.since < Self.longestYes } }

    /// Whether a yes covers the request; false if the person is to be asked.
    ///
    /// Times are in milliseconds of uptime.
    ///
    /// - Throws: the refusal if there was a no.
    func covers(_ subject: ShareRecord.Account, arrivedAt arrival: Int64, now: Int64) throws(ShareRefusal) -> Bool {
        let isCovered = yes.contains { past in
            guard past.subject == subject, now - past.since < Self.longestYes else { return false }
            return confirmation == .once || arrival <= past.since
        }
        guard !isCovered, let no, now - no.since < Self.silence else { return isCovered }
        // Requests that arrived during the question get its answer; later ones are silenced.
        throw arrival <= no.since ? no.refusal : .silenced
    }

    mutating func record(_ refusal: ShareRefusal?, of subject: ShareRecord.Account, now: Int64) {
        yes.removeAll { $0.subject == subject }
        if let refusal { no = (refusal, now) } else if !isForOne { yes.append((subject, now)) }
    }

    mutating func forget() { yes.removeAll() }
}

/// The desktop, which asks the person whether a target may have a token.
package protocol ShareScreen: AnyObject {
    /// Whether the screen is locked, or `nil` if no service reports it.
    var isLocked: Bool? { get }
    /// Whether a question could be shown and answered now.
    var canAsk: Bool { get }

    /// Returns `nil` for a yes; waits for `SharePrompt.patience` milliseconds at most.
    ///
    /// The names of a push are untrusted. `whileWaiting` is called often, so that arriving requests are read.
    func ask(_ question: SharePrompt, whileWaiting: () -> Void) -> ShareRefusal?
}

/// The question whether a target may have a token.
package struct SharePrompt: Equatable {
    package let plan: SharePlan
    package let host: DisplayText
    package let username: DisplayText
    /// The gateway's intention, or `nil` for a token that is handed out.
    package var intention: GatewayIntention?

    /// The time limit of a question in milliseconds, for which git inside the place waits.
    package static let patience: Int64 = 30_000

    package var question: Message {
        let name = plan.name.displayName
        guard let intention else { return Message("Give your %1$s credentials to \"%2$s\"?", host, name) }
        // Other answers are for the whole host.
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

/// The reason why a target gets nothing, for the log and the person, never for the target.
package struct ShareRefusal: Error, Equatable, Sendable {
    /// The code in a record, which separates its words by blanks.
    let code: String
    package let text: Message

    package static let otherAccount = Self(code: "otherAccount", text: Message("it asked for another account"))
    package static let notSignedIn = Self(code: "notSignedIn", text: Message("no account is signed in"))
    /// The token does not expire, which the share does not allow.
    package static let doesNotExpire = Self(
        code: "doesNotExpire", text: Message("the credentials do not expire; --long-lived allows it"))
    /// git would have to send the credential in another scheme.
    package static let notAPassword = Self(
        code: "notAPassword", text: Message("git in the container cannot send this kind of token"))
    package static let expired = Self(
        code: "expired", text: Message("the token has expired and could not be refreshed"))
    /// The host rejects the token, and there is no other.
    package static let rejected = Self(
        code: "rejected", text: Message("the server rejected the token, and it could not be refreshed"))
    package static let denied = Self(code: "denied", text: Message("you denied it"))
    package static let unanswered = Self(code: "unanswered", text: Message("you did not answer"))
    package static let silenced = Self(
        code: "silenced", text: Message("you denied it or did not answer less than 10 minutes ago"))
    package static let locked = Self(code: "locked", text: Message("the screen is locked"))
    /// No notification service with buttons is available.
    package static let nobodyToAsk = Self(
        code: "nobodyToAsk", text: Message("there is no notification service to ask you"))
    package static let elapsed = Self(code: "elapsed", text: Message("the time of the share is over"))
    package static let configuration = Self(code: "configuration", text: Message("git's configuration cannot be read"))

    // The rules of a gateway.
    package static let notShared = Self(code: "not-shared", text: Message("it is not shared"))
    package static let readOnly = Self(code: "read-only", text: Message("the share is read-only"))
    package static let branches = Self(code: "branches", text: Message("it is no branch that may be pushed"))
    /// The commands are in a certificate, which only the host checks.
    package static let signed = Self(
        code: "signed", text: Message("signed pushes are not passed on where branches are limited"))
    /// The options ask for more than a pull request, such as its merge.
    package static let options = Self(
        code: "options", text: Message("its push options ask for more than a pull request, or are malformed"))
    package static let pullRequests = Self(code: "pull-requests", text: Message("push options need --pull-requests"))

    /// The refusals that a connection's process may report.
    static let rules = [notShared, readOnly, branches, signed, options, pullRequests]
    private static let all = [
        otherAccount, notSignedIn, doesNotExpire, notAPassword, expired, rejected, denied, unanswered, silenced, locked,
        nobodyToAsk, elapsed, configuration,
    ]

    /// The errors that a record distinguishes; others lose their details.
    private static let keyringErrors: [KeyringError] = [
        .noBus, .noProvider, .noCollection, .notReady, .locked, .dismissed, .unresponsive(seconds: 5), .denied,
        .disconnected, .noPlugin, .other(""),
    ]

    package static func keyring(_ error: KeyringError) -> Self {
        let code = "keyring.\(keyringErrors.contains(error) ? error : .other(""))"
        return Self(code: code.filter { $0 != " " }, text: error.words.text)
    }
}

extension ShareRefusal {
    init?(code: String) {
        let all = Self.all + Self.rules + Self.keyringErrors.map(Self.keyring)
        guard let refusal = all.first(where: { $0.code == code }) else { return nil }
        self = refusal
    }
}
