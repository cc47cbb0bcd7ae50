/// One sign-in by device flow (RFC 8628), from the device code to the token.
struct DeviceGrant {
    let deviceCode: String
    let userCode: String
    let clientID: String
    let scopes: [String]
    /// The time of expiry, in seconds since 1970.
    let expiresAt: Double
    let outcome: SignInOutcome
    /// The least time between two polls, in seconds; grows with every `slow_down`.
    var interval: Double
    /// The time of the last poll, in seconds since 1970, whatever the answer was.
    var lastPoll: Double?
    /// How many polls were not too early.
    var polls = 0
    /// The person's decision in the form; overrides `outcome`.
    var personsDecision = SignInOutcome.Decision.undecided
    /// Whether the code was exchanged or refused.
    var isSpent = false

    /// The current decision.
    var decision: SignInOutcome.Decision {
        guard case .undecided = personsDecision else { return personsDecision }
        return polls > outcome.pendingPolls ? outcome.decision : .undecided
    }

    /// Counts a poll at `now`, and returns whether it came too early.
    ///
    /// As at GitHub, the rate is checked first, and an early poll restarts the interval.
    mutating func isTooEarly(at now: Double) -> Bool {
        defer { lastPoll = now }
        // A microsecond of tolerance, for rounding of clocks with fractions.
        if let lastPoll, now - lastPoll < interval - 1e-6 {
            // `slow_down` adds five seconds (RFC 8628, 3.5).
            interval += 5
            return true
        }
        polls += 1
        return false
    }
}
