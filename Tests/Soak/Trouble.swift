import StandIn

/// A server's fault during a renewal.
enum Trouble: String, CaseIterable {
    /// The server returns an error, and the pair is unchanged.
    case internalError, badGateway, unavailable
    /// The server closes the connection, and the pair is unchanged.
    case hungUp
    /// The server replaces the pair, and its answer is lost in whole or in part.
    case lost, cutOff
    /// The server refuses the refresh token.
    case refused
    /// The answer comes late, or byte by byte.
    case late, dripping
    /// The server never answers: rare, since the program waits half a minute.
    case silent

    /// The faults that do not delay the program.
    static let quick = allCases.filter { $0 != .silent }

    /// The state of the token pair afterwards.
    enum Effect {
        /// The pair is unchanged.
        case kept
        /// The server has replaced the pair, and the new one is lost.
        case spent
        /// The server no longer accepts the pair.
        case refused
        /// The pair is renewed nevertheless.
        case renewed
    }

    var effect: Effect {
        switch self {
        case .internalError, .badGateway, .unavailable, .hungUp, .silent: .kept
        case .lost, .cutOff: .spent
        case .refused: .refused
        case .late, .dripping: .renewed
        }
    }

    func answer(of service: Service) -> ScriptedAnswer {
        switch self {
        case .internalError: .status(500)
        case .badGateway: .status(502)
        case .unavailable: .status(503)
        case .hungUp: .hangUp
        case .lost: .lost
        case .cutOff: .closedMidBody
        case .refused: service == .gitHub ? .oauthError("bad_refresh_token") : .oauthError("invalid_grant", status: 400)
        case .late: .late(by: .milliseconds(300))
        case .dripping: .drip(every: .milliseconds(1))
        case .silent: .silence
        }
    }
}

/// A step with an account.
enum Step: String {
    /// `get` with a name; without one; with a wrong clock.
    case get, getNameless, getAtAnotherTime
    /// `get` of a token about to expire, at a good server and at a faulty one.
    case renew, renewInTrouble
    /// A renewal that a signal ends at any moment, including SIGKILL.
    case strike
    /// git's `store` after a success; git's `erase` of the stored token; git's `erase` of an earlier token.
    case praise, reject, rejectOld
    /// A `store` of another password, as `https://mona:garbage@host/` causes it.
    case hostileStore
    /// `git ls-remote`, with everything that git calls.
    case lsRemote
    /// Verbs that a person runs.
    case refresh, status, logout

    /// A step that is not in this list is never taken.
    private static let weights: [(Step, Int)] = [
        (.get, 520), (.getNameless, 60), (.getAtAnotherTime, 45), (.renew, 80), (.renewInTrouble, 60),
        (.strike, 25), (.praise, 80), (.reject, 30), (.rejectOld, 20), (.hostileStore, 40), (.lsRemote, 20),
        (.refresh, 6), (.status, 8), (.logout, 6),
    ]

    /// Each step as often as it is taken in a thousand.
    static let weighted = weights.flatMap { Array(repeating: $0, count: $1) }
}
