import Foundation
import Glibc
import Staging

/// The notification service of scripted-notifications.py, on the bus of a session as long as the object lives.
final class ScriptedDesktop: Sendable {
    /// How the service behaves; the script describes it.
    enum Mode: String {
        case full, forgetful, plain, silent, stuck
    }

    /// What the service was asked to do.
    struct Call: Decodable {
        let call: String
        var number: Int?
        var replaced: Int?
        var summary: String?
        var body: String?
        var actions: [String]?
        var urgency: Int?
        var expiry: Int?
    }

    private let program: RunningProgram
    private let lifeline: Int32

    /// Starts it, and waits until it has its name on the bus.
    init(_ mode: Mode, in session: Session) async throws {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw NeverHappened(description: "no pair of sockets")
        }
        lifeline = ends[0]
        defer { close(ends[1]) }
        program = try RunningProgram(
            [BuiltFiles.script("scripted-notifications.py"), mode.rawValue], environment: session.environment,
            input: ends[1], surroundings: session)
        let wait = ["gdbus", "wait", "--session", "--timeout", "30", "org.freedesktop.Notifications"]
        guard try await session.run(wait).status == 0 else {
            throw NeverHappened(description: "the scripted desktop: \(program.errorText)")
        }
    }

    deinit { close(lifeline) }

    /// The calls so far, in order.
    var calls: [Call] {
        get throws {
            // What stands behind the last line end has not been written to its end.
            try program.outputText.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map {
                try JSONDecoder().decode(Call.self, from: Data($0.utf8))
            }
        }
    }

    /// The notifications that were shown so far, in order.
    var notifications: [Call] {
        get throws { try calls.filter { $0.call == "Notify" } }
    }

    /// Waits for the notification of that number in the order, from 1.
    @discardableResult
    func notification(_ count: Int = 1) async throws -> Call {
        try await eventually("notification \(count)") {
            let shown = try notifications
            return shown.count >= count ? shown[count - 1] : nil
        }
    }

    /// Waits until a notification was taken away.
    func withdrawal() async throws -> Call {
        try await eventually("the end of a notification") { try calls.first { $0.call == "CloseNotification" } }
    }

    /// What the person does to the last notification: `press KEY`, `dismiss`, `expire`.
    func person(_ act: String) {
        let line = Array((act + "\n").utf8)
        _ = write(lifeline, line, line.count)
    }
}
