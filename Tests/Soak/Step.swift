/// What is done to an account.
enum Step: String, CaseIterable, Sendable {
    /// `get` by name; without one; with a clock that has jumped.
    case get, getNameless, getAtAnotherTime
    /// `get` of a token that is about to end: with a good server, and with one in trouble.
    case renew, renewInTrouble
    /// A renewal that a signal ends at any moment, `kill -9` among them.
    case strike
    /// What git says after a success; after a refusal of the stored token, and of one from before.
    case praise, reject, rejectOld
    /// A `store` of another password, as of `https://mona:garbage@host/`.
    case hostileStore
    /// `git ls-remote`, with all that git makes of it.
    case lsRemote
    /// What a person does.
    case refresh, status, logout

    /// How often of a thousand steps.
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

    /// Any of them, the usual ones more often.
    static func random(using random: inout some RandomNumberGenerator) -> Step {
        var rest = Int.random(in: 0..<allCases.map(\.weight).reduce(0, +), using: &random)
        for step in allCases {
            if rest < step.weight { return step }
            rest -= step.weight
        }
        return .get
    }
}
