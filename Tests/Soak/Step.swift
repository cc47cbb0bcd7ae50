/// A step with an account.
enum Step: String, CaseIterable, Sendable {
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

    /// The frequency, as parts of a thousand.
    private var weight: Int {
        switch self {
        case .get: 520
        case .getNameless: 60
        case .getAtAnotherTime: 45
        case .renew: 80
        case .renewInTrouble: 60
        case .strike: 25
        case .praise: 80
        case .reject: 30
        case .rejectOld: 20
        case .hostileStore: 40
        case .lsRemote: 20
        case .refresh, .logout: 6
        case .status: 8
        }
    }

    /// A random step, weighted by frequency.
    static func random(using random: inout some RandomNumberGenerator) -> Step {
        var rest = Int.random(in: 0..<allCases.map(\.weight).reduce(0, +), using: &random)
        for step in allCases {
            if rest < step.weight { return step }
            rest -= step.weight
        }
        return .get
    }
}
