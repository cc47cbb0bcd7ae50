internal import Foundation

/// Somebody else's server program, on loopback.
///
/// A script starts it, prints `ready` and an announcement as JSON, and answers each command with one line. The server
/// ends with the last reference to the object.
package final class RealServer<Announcement: Decodable & Sendable>: Sendable {
    /// The JSON that the script prints when it is ready.
    package let announcement: Announcement
    private let program: RunningProgram
    private let input: Lifeline
    private let turn = AsyncSemaphore(permits: 1)

    /// Starts the server, and waits until it is ready.
    package init(_ command: [String]) async throws {
        input = try Lifeline()
        program = try RunningProgram(command, environment: ProcessInfo.processInfo.environment, input: input.programEnd)
        let program = program
        let line = try await eventually("\(command[0]): \(program.errorText)", by: program) {
            program.outputLines.first
        }
        announcement = try JSONDecoder().decode(Announcement.self, from: Data(line.drop { $0 != "{" }.utf8))
    }

    deinit {
        input.endInput()
        program.waitUntilEnded()
    }

    /// Sends a command to the script.
    @discardableResult
    package func tell(_ command: String) async throws -> String {
        let permit = await turn.wait()
        defer { withExtendedLifetime(permit) {} }
        let count = program.outputLines.count
        input.write(line: command)
        let answer = try await eventually("an answer to \(command)") {
            let lines = program.outputLines
            return lines.count > count ? lines[count] : nil
        }
        guard answer.hasPrefix("done") else { throw NeverHappened(description: "\(command): \(answer)") }
        return String(answer.dropFirst("done ".count))
    }
}
