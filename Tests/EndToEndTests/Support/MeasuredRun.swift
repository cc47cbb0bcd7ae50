import Foundation
import Staging
import StandIn

/// A run of the program with what it cost: under GNU time, since a program that is started by another inherits the
/// other's peak of memory in the kernel's own account.
struct MeasuredRun: Sendable {
    /// How it ended.
    let end: RunningProgram.End
    /// Peak of resident memory, in KiB.
    let peakKiB: Int
    /// Seconds of CPU time, its own and its children's.
    let cpuSeconds: Double

    /// Runs the program in a session and waits for its end.
    ///
    /// - Parameters:
    ///   - session: Where.
    ///   - operation: What git would ask.
    ///   - input: All of its standard input.
    ///   - environment: Added to the session's.
    ///   - terminal: Its terminal; standard error goes to a file in any case.
    /// - Throws: `NeverHappened` if it could not be started, or was not measured.
    init(
        in session: Session, _ operation: String, input: [UInt8], environment: [String: String] = [:],
        terminal: PseudoTerminal? = nil
    ) async throws {
        let input = try UnnamedFile(contents: input)
        let measures = "\(session.home)/measures-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: measures) }
        end = try await RunningProgram(
            ["time", "--quiet", "--output=\(measures)", "--format=%M %U %S", BuiltFiles.helper, operation],
            environment: session.environment.merging(environment) { $1 }, in: session.home, input: input.descriptor,
            terminal: terminal.map { .onlyControlling($0) } ?? .none, surroundings: session
        ).ended()
        let figures = try String(contentsOfFile: measures, encoding: .utf8).split { $0 == " " || $0 == "\n" }
        guard figures.count == 3, let peak = Int(figures[0]), let user = Double(figures[1]),
            let system = Double(figures[2])
        else { throw NeverHappened(description: "GNU time measured nothing: \(figures)") }
        peakKiB = peak
        cpuSeconds = user + system
    }
}
