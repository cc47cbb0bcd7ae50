import Staging
import Testing

@Suite("Parallel stores of a first password")
struct ParallelStoreTests {
    /// The number of rounds: without the second look after a creation, a quarter of them left two items.
    private static let rounds = 20

    @Test("leaves one item after six simultaneous stores")
    func one() async throws {
        let fixture = try await EndToEndFixture()
        for round in 1...Self.rounds {
            let stores = try (1...6).map { number in
                try fixture.startHelper("store", ["username=user\(round)", "password=secret\(number)"])
            }
            for store in stores { #expect(try await store.ended().errors.isEmpty) }
            let items = try await fixture.session.items().filter { $0.attributes["user"] == "user\(round)" }
            #expect(items.count == 1, "\(items)")
        }
    }
}
