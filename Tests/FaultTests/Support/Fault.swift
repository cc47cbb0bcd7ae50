import Dispatch
import Glibc
import Staging
import StandIn
import Synchronization

/// Something that happens to the program while it renews a token.
struct Fault: Sendable, CustomStringConvertible {
    /// What happens.
    enum Kind: Sendable, CaseIterable {
        case killed, terminated, interrupted, hungUp
        /// Nobody reads the answer any more (SIGPIPE).
        case abandoned

        /// The signal; nil if it is none that somebody sends.
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

    /// When it happens.
    enum Moment: Sendable {
        /// So long after the start of the program.
        case started(Duration)
        /// So long after the server has spent the old refresh token; it is just about to answer.
        case spent(Duration)
    }

    let kind: Kind
    let moment: Moment

    var description: String { "\(kind), \(moment)" }

    /// Lets the program renew the pair, strikes it, and looks what the keyring holds afterwards.
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

    /// Does something at a moment, on a thread of its own: a sweep is over time, so nothing else can say when.
    private static func after(_ delay: Duration, _ action: @escaping @Sendable () -> Void) {
        let (seconds, attoseconds) = delay.components
        let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        let queue = DispatchQueue(label: "strike", qos: .userInteractive)
        queue.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds), execute: action)
    }
}
