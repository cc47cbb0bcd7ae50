import Foundation

/// A machine that shares its sign-in, as far as a socket shows it: scripted-share.py, as long as the object lives.
package final class ScriptedShare: Sendable {
    /// How it answers; the script describes it.
    package enum Mode: String, CaseIterable, Sendable {
        case answers, endless, lies, other, twice, control, expired, nothing, quit, half, floods, dribbles, hangs,
            resets
        case full, gone
    }

    private let program: RunningProgram
    private let input: Lifeline

    /// Starts it, and waits until it listens.
    ///
    /// - Parameters:
    ///   - mode: How it answers.
    ///   - path: Where; not longer than a socket's address.
    ///   - password: What it hands out.
    /// - Throws: `NeverHappened` if it does not listen.
    package init(_ mode: Mode, at path: String, password: String = "ghu_shared") async throws {
        input = try Lifeline()
        var environment = ProcessInfo.processInfo.environment
        environment["SHARED_PASSWORD"] = password
        program = try RunningProgram(
            [BuiltFiles.script("scripted-share.py"), mode.rawValue, path], environment: environment,
            input: input.programEnd)
        try await eventually("a shared socket: \(program.errorText)") { lines.isEmpty ? nil : true }
    }

    private var lines: [Substring] {
        program.outputText.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    }

    /// What it was sent so far: the lines of each request.
    package var requests: [[String]] {
        lines.dropFirst().split(separator: "", omittingEmptySubsequences: false).dropLast().map { $0.map(String.init) }
    }

    /// Ends it; its socket stays where it is.
    package func stop() async throws {
        input.endInput()
        _ = try await program.ended()
    }
}
