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

    /// The moment of the fault.
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
