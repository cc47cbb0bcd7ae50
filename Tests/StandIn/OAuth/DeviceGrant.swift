/// One sign-in by device flow (RFC 8628), from its device code to its token.
struct DeviceGrant {
    let deviceCode: String
    let userCode: String
    let clientID: String
    let scopes: [String]
    /// Seconds since 1970.
    let expiresAt: Double
    let outcome: SignInOutcome
    /// Seconds that must lie between two polls; grows with every `slow_down`.
    var interval: Double
    /// Seconds since 1970 of the last poll, whatever it was answered.
    var lastPoll: Double?
    /// Polls that were not too early.
    var polls = 0
    /// What a person decided at the form; wins over `outcome`.
    var personsDecision = SignInOutcome.Decision.undecided
    /// The code is spent, by its token or by a refusal.
    var isSpent = false

    /// Where the sign-in stands now.
    var decision: SignInOutcome.Decision {
        guard case .undecided = personsDecision else { return personsDecision }
        return polls > outcome.pendingPolls ? outcome.decision : .undecided
    }

    /// Counts a poll at `now` and says whether it came too early.
    ///
    /// As at GitHub, the rate is checked before anything else, and a poll that is too early starts the wait again.
    mutating func isTooEarly(at now: Double) -> Bool {
        defer { lastPoll = now }
        // A microsecond of grace for the rounding of clocks that count fractions.
        if let lastPoll, now - lastPoll < interval - 1e-6 {
            // RFC 8628, 3.5
            interval += 5
            return true
        }
        polls += 1
        return false
    }
}
