import Staging
import Testing

/// Schedules of operations that follow from seeds (Tests/Simulation); `make simulate` runs a hundred thousand.
@Suite("Simulated schedules")
struct SimulationTests {
    @Test("breaks no rule in the first two thousand schedules")
    func schedules() async throws {
        let input = try Lifeline()
        try await RunningProgram(
            [BuiltFiles.folder + "simulate", "2000"], environment: ProcessInfo.processInfo.environment,
            input: input.programEnd, surroundings: input
        ).ended().succeeded()
    }
}
