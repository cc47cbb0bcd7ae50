/// A service on a session's bus, played by a Python script as long as the object lives.
///
/// The scripts use the bus's own library. Messages that no library would send come from `ScriptedBus` of
/// SessionBusTests, which plays the bus itself: wrong lengths, and a close in the middle of a message.
package final class ScriptedBusService: Sendable {
    package enum Kind: String {
        /// A keyring (scripted-service.py).
        case keyring = "org.freedesktop.secrets"
        case notifications = "org.freedesktop.Notifications"
        /// A desktop's portal, which opens pages (scripted-portal.py).
        case portal = "org.freedesktop.portal.Desktop"
        case screenSaver = "org.freedesktop.ScreenSaver"

        fileprivate var script: String {
            let name = self == .keyring ? "service" : "\(self)".lowercased()
            return BuiltFiles.script("scripted-\(name).py")
        }
    }

    /// The host of a scripted keyring's only item.
    package static let host = "ghe.test"
    private let program: RunningProgram
    private let input: Lifeline

    /// Starts the script, and waits until it owns its name on the bus.
    package init(_ kind: Kind, _ mode: String, in session: Session) async throws {
        input = try Lifeline()
        program = try RunningProgram(
            [kind.script, mode], environment: session.environment, input: input.programEnd, surroundings: session)
        let wait = ["gdbus", "wait", "--session", "--timeout", "120", kind.rawValue]
        guard try await session.run(wait).status == 0 else {
            throw NeverHappened(description: "\(kind.rawValue): \(program.errorText)")
        }
    }

    /// The script's output so far: a line for each call that it received.
    package var lines: [String] { program.outputLines }
    /// The methods called so far on a scripted keyring, in order.
    package var calls: [String] { lines.map { $0.split(separator: " ").dropFirst().joined(separator: " ") } }

    /// Sends a line to the script, which changes the service's behaviour.
    package func tell(_ line: String) { input.write(line: line) }

    /// Ends the script, and so takes its name off the bus.
    package func stop() async throws {
        input.endInput()
        _ = try await program.ended()
    }
}
