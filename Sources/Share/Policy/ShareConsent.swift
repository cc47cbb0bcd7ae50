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
    private var yes: [(subject: Subject, since: Int64)] = []
    private var no: (refusal: ShareRefusal, since: Int64)?

    package init(_ confirmation: ShareTarget.Confirmation) { self.confirmation = confirmation }

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
        if let refusal { no = (refusal, now) } else { yes.append((subject, now)) }
    }

    /// The screen was locked: whoever comes back is asked again.
    package mutating func forget() { yes.removeAll() }
}
