package import CredentialCore
package import Messages

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

    private let confirmation: ShareTarget.Confirmation
    /// A yes allows only the one push that was asked about.
    private let isForOne: Bool
    private var yes: [(subject: Subject, since: Int64)] = []
    private var no: (refusal: ShareRefusal, since: Int64)?

    /// With `each`, a yes to a token is for all requests that came during the question, and a yes to a push for that push.
    package init(for target: ShareTarget) {
        confirmation = target.confirmation
        isForOne = target.confirmation == .each && target.access.gateway != nil
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
    package let target: ShareTarget
    package let host: DisplayText
    package let username: DisplayText
    /// What a gateway would do for it there; nil for a token that is handed out.
    package let intention: GatewayIntention?

    package init(target: ShareTarget, host: DisplayText, username: DisplayText, intention: GatewayIntention? = nil) {
        self.target = target
        self.host = host
        self.username = username
        self.intention = intention
    }

    /// In milliseconds; git inside waits as long.
    package static let patience: Int64 = 30_000

    package var question: Message {
        let name = DisplayText(trusted: target.name.text)
        guard let intention else { return Message("Give your %1$s credentials to \"%2$s\"?", host, name) }
        // Other answers are for the host.
        if target.confirmation == .each, intention.isPush {
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
            switch target.kind {
            case .directory: Message("A container or machine that uses your shared folder asks for it.")
            case .ssh(let destination):
                Message("A program on the SSH host %1$s asks for it.", DisplayText(trusted: destination))
            }
        let validity =
            target.confirmation == .each
            ? Message("You are asked each time.")
            : Message("You are asked again after 8 hours, or when you lock the screen.")
        return [kind, Message("Account: %1$s", username), validity]
    }

    package static let allowButton = Message("Allow")
    package static let denyButton = Message("Deny")
}
