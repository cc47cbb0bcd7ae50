import Staging
import Testing

@testable import Share

@Suite("A trial of git on another machine")
struct GatewayTrialTests {
    @Test("does not replace a closed connection by one without the person's settings")
    func noConnection() async throws {
        let machine = try ScriptedServer(.plain)
        let trial = GatewayTrial("ssh://127.0.0.1:\(machine.port)", over: "/nonexistent", in: "/nonexistent") { _ in }
        try await eventually("its end") { trial.hasEnded ? true : nil }
        #expect(machine.connections == 0)
    }
}
