import Staging

/// A measured run of the program.
///
/// GNU time measures it, since a program that is started by another inherits the other's peak of memory in the kernel's
/// own account.
struct MeasuredRun: Sendable {
    let end: RunningProgram.End
    /// The peak of resident memory, in KiB.
    let peakKiB: Int
    /// The CPU time of the program and its children, in seconds.
    let cpuSeconds: Double

    /// Runs the program in a session and waits for its end.
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
            on: terminal, keepsErrors: true, surroundings: session
        ).ended()
        let figures = try String(contentsOfFile: measures, encoding: .utf8).split { $0 == " " || $0 == "\n" }
        guard figures.count == 3, let peak = Int(figures[0]), let user = Double(figures[1]),
            let system = Double(figures[2])
        else { throw NeverHappened(description: "GNU time measured nothing: \(figures)") }
        peakKiB = peak
        cpuSeconds = user + system
    }
}
