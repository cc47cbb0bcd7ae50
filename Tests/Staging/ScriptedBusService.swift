/// A service of a scripted kind on the bus of a session, as long as the object lives.
///
/// The scripts speak through the bus's own library. What no library would send is written byte by byte elsewhere:
/// `ScriptedBus` of SessionBusTests is the bus itself, which lies about lengths and breaks off in the middle.
package final class ScriptedBusService: Sendable {
    /// Which service it is.
    package enum Kind: String {
        /// A keyring: scripted-service.py.
        case keyring = "org.freedesktop.secrets"
        /// A desktop that shows notifications: scripted-notifications.py.
        case notifications = "org.freedesktop.Notifications"
        /// A desktop's portal for pages: scripted-portal.py.
        case portal = "org.freedesktop.portal.Desktop"
        /// A desktop's lock: scripted-screensaver.py.
        case screenSaver = "org.freedesktop.ScreenSaver"

        fileprivate var script: String {
            switch self {
            case .keyring: BuiltFiles.script("scripted-service.py")
            case .screenSaver: BuiltFiles.script("scripted-screensaver.py")
            case .notifications: BuiltFiles.script("scripted-notifications.py")
            case .portal: BuiltFiles.script("scripted-portal.py")
            }
        }
    }

    /// The host of a scripted keyring's one item.
    package static let host = "ghe.test"

    private let program: RunningProgram
    private let input: Lifeline

    /// Starts it, and waits until it has its name on the bus.
    ///
    /// - Parameters:
    ///   - kind: Which service it is.
    ///   - mode: How it behaves; the scripts describe their modes.
    ///   - session: Where; kept as long as the service.
    /// - Throws: `NeverHappened` if it did not start.
    package init(_ kind: Kind, _ mode: String, in session: Session) async throws {
        input = try Lifeline()
        program = try RunningProgram(
            [kind.script, mode], environment: session.environment, input: input.programEnd, surroundings: session)
        let wait = ["gdbus", "wait", "--session", "--timeout", "120", kind.rawValue]
        guard try await session.run(wait).status == 0 else {
            throw NeverHappened(description: "\(kind.rawValue): \(program.errorText)")
        }
    }

    /// What it has said so far: a line for each call that it was sent.
    package var lines: [String] { program.outputLines }

    /// The methods that a scripted keyring was called by so far, in order.
    package var calls: [String] {
        lines.map { $0.split(separator: " ").dropFirst().joined(separator: " ") }
    }

    /// Tells it what happens now.
    package func tell(_ line: String) { input.write(line: line) }

    /// Takes it off the bus.
    package func stop() async throws {
        input.endInput()
        _ = try await program.ended()
    }
}
