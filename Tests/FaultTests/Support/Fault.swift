import Dispatch
import Staging
import Synchronization

/// A fault of the program during a refresh.
struct Fault: Sendable, CustomStringConvertible {
    enum Kind: Sendable, CaseIterable {
        case killed, terminated, interrupted, hungUp
        /// The reader of the answer closes its pipe (SIGPIPE).
        case abandoned

        /// The signal to send; `nil` if the fault is not a sent signal.
        var signal: Int32? {
            switch self {
            case .killed: SIGKILL
            case .terminated: SIGTERM
            case .interrupted: SIGINT
            case .hungUp: SIGHUP
            case .abandoned: nil
            }
        }
    }

    enum Moment: Sendable {
        /// The time since the program's start.
        case started(Duration)
        /// The time since the server has spent the old refresh token, just before it answers.
        case spent(Duration)
    }

    let kind: Kind
    let moment: Moment

    var description: String { "\(kind), \(moment)" }

    /// Starts a refresh, strikes, and returns the keyring's state afterwards.
    func strike(_ rotation: Rotation) async throws -> Rotation.Outcome {
        let fixture = rotation.fixture
        let issued = fixture.github.tokens.count
        let pipe = try NamedPipe(in: fixture.session.home)
        let target = Mutex<RunningProgram?>(nil)
        let kind = kind
        let strike: @Sendable () -> Void = {
            if let signal = kind.signal { target.withLock { $0 }?.signal(signal) } else { pipe.closeReader() }
        }
        if case .spent(let delay) = moment {
            fixture.github.answer(
                .refresh,
                with: .edited { body in
                    if delay == .zero { strike() } else { Self.after(delay, strike) }
                    return body
                })
        }
        let bystanders = try rotation.startHostileStores()
        let program = try fixture.startHelper("get", standardOutput: pipe.writer)
        target.withLock { $0 = program }
        if case .started(let delay) = moment { Self.after(delay, strike) }
        for program in bystanders + [program] { _ = try await program.ended() }
        fixture.github.answerGenuinely(.refresh)
        return try await rotation.outcome(since: issued)
    }

    /// Acts after a delay, on a dedicated thread: no event marks the moments of a sweep.
    private static func after(_ delay: Duration, _ action: @escaping @Sendable () -> Void) {
        let (seconds, attoseconds) = delay.components
        let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        let queue = DispatchQueue(label: "strike", qos: .userInteractive)
        queue.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds), execute: action)
    }
}

/// An expired pair of tokens, and its state after a fault during the refresh.
///
/// A second account must stay unchanged. During the fault, passwords from a repository's addresses are stored.
struct Rotation {
    /// The keyring's state after a fault.
    enum Outcome: Hashable {
        /// The old pair, whose refresh token the server has not received.
        case oldUnspent
        /// The newest pair of the server.
        case new
        /// A pair with a spent refresh token: the next command must sign in.
        case spent
    }

    let fixture: EndToEndFixture
    /// The token of the second account.
    private let other: IssuedToken

    /// A fixture with an expired pair for monalisa, in a session started by this script of Tests/Support.
    init(at service: Service = .gitHub, startedBy runner: [String]? = nil) async throws {
        fixture = try await EndToEndFixture(service, app: service.refreshingApp(interval: 1), startedBy: runner)
        other = fixture.server.issueToken(for: "bob", app: fixture.app)
        try await fixture.remember(other, since: 2_000_000_000)
        try await begin()
    }

    /// Stores passwords from a repository's addresses: another password, and another account's token.
    func startHostileStores() throws -> [RunningProgram] {
        try ["username=monalisa", "username=eve"].map {
            try fixture.startHelper("store", [$0, "password=ghp_garbage"])
        }
    }

    /// Puts a new, expired pair into the keyring.
    func begin() async throws { try await fixture.signedIn("monalisa", expiringIn: -10, since: 1_000_000_000) }

    /// Expires the stored pair, so that the next `get` refreshes it.
    func expire() async throws { try await fixture.session.age(expiringIn: -10) }

    func outcome(since issued: Int) async throws -> Outcome {
        let all = try await fixture.session.items()
        let items = all.filter { $0.attributes["user"] == "monalisa" }
        let tokens = fixture.server.tokens
        guard items.count == 1, let item = items.first, item["gitspace_since"] == "1000000000",
            all.contains(where: { $0.attributes["user"] == "bob" && $0.password == other.accessToken }),
            let position = tokens.firstIndex(where: { $0.refreshToken == item["oauth_refresh_token"] }),
            tokens[position].accessToken == item.password
        else { throw NeverHappened(description: "a whole pair in the keyring; there are \(items.count) items") }
        if tokens[position].isRefreshSpent { return .spent }
        return position < issued ? .oldUnspent : .new
    }
}
