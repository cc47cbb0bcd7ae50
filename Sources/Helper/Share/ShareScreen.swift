package import CredentialCore

/// The person at the desktop, who is asked whether a place may have a token.
package protocol ShareScreen: AnyObject {
    /// Whether the screen is locked; nil if nothing here can tell.
    var isLocked: Bool? { get }

    /// Asks, and waits for the answer, for `patience` milliseconds at most.
    ///
    /// - Parameters:
    ///   - question: what is asked, in facts of our own: nothing in it comes from the place.
    ///   - whileWaiting: called ten times a second, so that requests that come meanwhile are taken in.
    /// - Returns: why not; nil for a yes.
    func ask(_ question: SharePrompt, whileWaiting: () -> Void) -> ShareRefusal?
}

/// What the person is asked.
package struct SharePrompt: Equatable {
    /// The place.
    package let place: SharedPlace
    /// The host whose token it would get.
    package let host: DisplayText
    /// The account whose token it would get.
    package let username: DisplayText

    package init(place: SharedPlace, host: DisplayText, username: DisplayText) {
        self.place = place
        self.host = host
        self.username = username
    }

    /// How long the person has, in milliseconds; git inside waits as long.
    package static let patience: Int64 = 30_000
}

/// Who is at the other end of a connection, as the kernel vouches for it (unix(7), SO_PEERCRED).
package struct SharePeer: Equatable, Sendable {
    /// In our own namespace, and of use for nothing but a name: the process may have ended.
    package let process: Int32
    /// The effective user ID in our own namespace.
    package let user: UInt32

    package init(process: Int32, user: UInt32) {
        self.process = process
        self.user = user
    }
}

/// What has happened at a place, for the log: never a token.
package enum ShareEvent: Equatable {
    case given(host: DisplayText, username: DisplayText, SharePeer)
    case refused(ShareRefusal, host: DisplayText, SharePeer)
    /// The host rejects the token that the place has, so there is a new one.
    case replaced(host: DisplayText, username: DisplayText)
}

/// What the person has said about one place, and how long it holds.
///
/// Kept in memory alone: it ends with the process, and so with the session.
package struct ShareConsent {
    /// For what somebody is asked.
    package struct Subject: Equatable {
        /// As git named it in the request.
        package let host: [UInt8]
        /// Whose token it is, as it stands in the keyring.
        package let username: [UInt8]

        package init(host: [UInt8], username: [UInt8]) {
            self.host = host
            self.username = username
        }
    }

    /// How things stand for a request.
    package enum Standing: Equatable {
        case allowed
        /// The person has to be asked.
        case open
        case refused(ShareRefusal)
    }

    /// How long a yes holds, in milliseconds.
    package static let longestYes: Int64 = 8 * 3_600_000
    /// How long nobody is asked again after a no, in milliseconds.
    package static let silence: Int64 = 600_000

    private let confirmation: SharedPlace.Confirmation
    private var yes: [(subject: Subject, since: Int64)] = []
    private var no: (refusal: ShareRefusal, since: Int64)?

    /// Nothing has been said yet.
    package init(_ confirmation: SharedPlace.Confirmation) { self.confirmation = confirmation }

    /// Whether the person has a say at all.
    package var isNeeded: Bool { confirmation != .never }

    /// Whether a yes holds at this moment.
    package func isHeld(at now: Int64) -> Bool { yes.contains { now - $0.since < Self.longestYes } }

    /// How things stand.
    ///
    /// - Parameters:
    ///   - subject: what is asked for.
    ///   - arrival: when the request came, in milliseconds of uptime.
    ///   - now: milliseconds of uptime.
    /// - Returns: whether it may have the token, or why not, or that the person has to be asked.
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

    /// The person said yes, or no in one of its ways.
    package mutating func record(_ refusal: ShareRefusal?, of subject: Subject, now: Int64) {
        yes.removeAll { $0.subject == subject }
        if let refusal { no = (refusal, now) } else { yes.append((subject, now)) }
    }

    /// The screen was locked: whoever comes back is asked again.
    package mutating func forget() { yes.removeAll() }
}
