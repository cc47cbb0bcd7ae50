import StandIn

/// What a server does to a renewal.
enum Trouble: String, CaseIterable, Sendable {
    /// A server error, and nothing has happened.
    case internalError, badGateway, unavailable
    /// The connection ends before an answer, and nothing has happened.
    case hungUp
    /// The refresh token is spent, and the answer is lost, whole or half.
    case lost, cutOff
    /// The refresh token is refused.
    case refused
    /// The answer comes, but late, or byte by byte.
    case late, dripping
    /// There is no answer at all: rare, since the program waits for half a minute.
    case silent

    /// The troubles that cost no time.
    static let quick = allCases.filter { $0 != .silent }

    /// What becomes of the pair.
    enum Effect {
        /// It is where it was.
        case kept
        /// The server has replaced it, and nobody knows the new one.
        case spent
        /// The server wants it no more.
        case refused
        /// It is renewed all the same.
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

    /// The same as the stand-in is told it.
    func answer(of service: Service) -> ScriptedAnswer {
        switch self {
        case .internalError: .status(500)
        case .badGateway: .status(502)
        case .unavailable: .status(503)
        case .hungUp: .hangUp
        case .lost: .lost
        case .cutOff: .closedMidBody
        case .refused:
            service == .gitHub ? .oauthError("bad_refresh_token") : .oauthError("invalid_grant", status: 400)
        case .late: .late(by: .milliseconds(300))
        case .dripping: .drip(every: .milliseconds(1))
        case .silent: .silence
        }
    }
}
