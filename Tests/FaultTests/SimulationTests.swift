import Foundation
import Staging
import Testing

/// The operations in schedules that follow from seeds (Tests/Simulation); `make simulate` runs a hundred thousand.
@Suite("Simulation")
struct SimulationTests {
    @Test("no schedule of the first two thousand breaks a rule")
    func schedules() async throws {
        let input = try Lifeline()
        let end = try await RunningProgram(
            [BuiltFiles.folder + "simulate", "2000"], environment: ProcessInfo.processInfo.environment,
            input: input.programEnd, surroundings: input
        ).ended()
        #expect(end.status == 0, "\(end.output)")
    }
}
