internal import Foundation

/// A server that is somebody else's program, on loopback.
///
/// A script starts it, says `ready` and what there is to know as JSON, and answers commands by a line each. It ends with the
/// last reference to it.
package final class RealServer<Announcement: Decodable & Sendable>: Sendable {
    /// What the script says of itself once it is ready.
    package let announcement: Announcement

    private let program: RunningProgram
    private let input: Lifeline
    private let turn = AsyncSemaphore(permits: 1)

    /// Starts it.
    ///
    /// - Parameter command: the script and its arguments.
    /// - Throws: `NeverHappened` with what it says, if it ends instead.
    package init(_ command: [String]) async throws {
        input = try Lifeline()
        program = try RunningProgram(
            command, environment: ProcessInfo.processInfo.environment, input: input.programEnd)
        let program = program
        let line = try await eventually("\(command[0]): \(program.errorText)", by: program) {
            program.outputText.contains("\n") ? program.outputText.split(separator: "\n").first : nil
        }
        announcement = try JSONDecoder().decode(Announcement.self, from: Data(line.drop { $0 != "{" }.utf8))
    }

    deinit {
        input.endInput()
        program.waitUntilEnded()
    }

    /// Has the script do something.
    ///
    /// - Returns: what it answers.
    /// - Throws: `NeverHappened` with the reason why it could not.
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
