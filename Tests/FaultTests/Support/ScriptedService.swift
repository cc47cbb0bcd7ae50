import Glibc
import Staging

/// The Secret Service of scripted-service.py, on the bus of a session as long as the object lives.
final class ScriptedService: Sendable {
    /// The host of its one item.
    static let host = "ghe.test"

    private let program: RunningProgram
    private let lifeline: Int32

    /// Starts it, and waits until it has its name on the bus.
    init(_ mode: String, in session: Session) async throws {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw NeverHappened(description: "no pair of sockets")
        }
        lifeline = ends[0]
        defer { close(ends[1]) }
        program = try RunningProgram(
            [BuiltFiles.script("scripted-service.py"), mode, Self.host], environment: session.environment,
            input: ends[1],
            surroundings: session)
        let wait = ["gdbus", "wait", "--session", "--timeout", "30", "org.freedesktop.secrets"]
        guard try await session.run(wait).status == 0 else {
            throw NeverHappened(description: "the scripted service: \(program.errorText)")
        }
    }

    deinit { close(lifeline) }

    /// The calls that it was sent, by their methods, in order.
    var calls: [String] {
        program.outputText.split(separator: "\n").map { $0.split(separator: " ").dropFirst().joined(separator: " ") }
    }
}
