internal import Foundation
import StandIn

/// A real OpenID provider, glewlwyd, on loopback: Tests/Support/openid-provider.sh.
///
/// One serves all tests of a process; each has a git host of its own, and so locks and grants of its own.
package final class OpenIDServer: Sendable {
    /// Where it listens: `https://localhost:PORT`.
    package let address: String
    /// The file of the authority that has signed its certificate.
    package let authority: String
    /// The file of the private key with which the client `gitspace-jwt` signs.
    package let key: String

    private let program: RunningProgram
    private let input: Lifeline
    private let turn = AsyncSemaphore(permits: 1)

    /// What the script says of itself once it is ready.
    private struct Announcement: Decodable {
        let address: String
        let authority: String
        let key: String
    }

    private static let shared = Task { try await OpenIDServer() }

    /// The server; nil where its packages are not, which is told as a test that was left out.
    package static func running() async throws -> OpenIDServer? {
        guard isAvailable else {
            Skipped.note(
                "a sign-in at a real OpenID provider",
                because: "glewlwyd is not here; packaging/dependencies.sh test fetches it")
            return nil
        }
        return try await shared.value
    }

    private static var isAvailable: Bool {
        FileManager.default.fileExists(atPath: BuiltFiles.root + ".build/openid-provider/done")
    }

    private init() async throws {
        input = try Lifeline()
        program = try RunningProgram(
            [BuiltFiles.script("openid-provider.sh")], environment: ProcessInfo.processInfo.environment,
            input: input.programEnd)
        let program = program
        let line = try await eventually("the OpenID provider: \(program.errorText)") {
            guard program.isRunning else { throw NeverHappened(description: program.errorText) }
            return program.outputText.split(separator: "\n").first
        }
        let announcement = try JSONDecoder().decode(Announcement.self, from: Data(line.drop { $0 != "{" }.utf8))
        (address, authority, key) = (announcement.address, announcement.authority, announcement.key)
    }

    /// The issuer that one of its plugins is: `oidc`, `oidcrs` or `oidcshort`.
    package func issuer(_ plugin: String = "oidc") -> String { "\(address)/api/\(plugin)" }

    /// Has the script do something.
    ///
    /// - Returns: what it answers.
    /// - Throws: `NeverHappened` with the reason why it could not.
    @discardableResult
    package func tell(_ command: String) async throws -> String {
        let permit = await turn.wait()
        defer { withExtendedLifetime(permit) {} }
        let count = lines.count
        input.write(line: command)
        let answer = try await eventually("an answer to \(command)") { lines.count > count ? lines[count] : nil }
        guard answer.hasPrefix("done") else { throw NeverHappened(description: "\(command): \(answer)") }
        return String(answer.dropFirst("done ".count))
    }

    private var lines: [String] {
        // What stands behind the last line end has not been written to its end.
        program.outputText.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }
}
