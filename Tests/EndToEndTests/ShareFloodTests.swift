import Staging
import Testing

@Suite("share: a flood of connections")
struct ShareFloodTests {
    /// A byte more than a request may have, so the connection is closed once it is read.
    private static let tooLong = [UInt8](repeating: 0x78, count: 8_193)

    /// The most connections of the flood until another client must be answered.
    ///
    /// They are the kernel's queue (128), one turn, and those during the keyring's answer, which takes seconds on a
    /// busy machine. Without the rule there would be some hundred thousand.
    private static let soon = 50_000

    private func flooded() async throws -> (fixture: EndToEndFixture, box: SharedBox, flood: Flood) {
        let (fixture, _) = try await ShareTests.fixture()
        let box = try await SharedBox(fixture)
        let flood = Flood(at: box.socket, sending: Self.tooLong)
        try await eventually("a flood") { flood.connections > 1_000 }
        return (fixture, box, flood)
    }

    @Test("ends at once after SIGTERM")
    func end() async throws {
        let (_, box, flood) = try await flooded()
        let before = flood.connections
        box.program.signal(SIGTERM)
        #expect(try await box.program.ended().status == 0)
        #expect(flood.connections - before < Self.soon)
    }

    @Test("share stop ends it")
    func stop() async throws {
        let (fixture, box, _) = try await flooded()
        let end = try await fixture.gitspace("share", "stop", "box")
        #expect(end.status == 0 && end.output.contains("\"box\" is no longer shared."), "\(end.output)\(end.errors)")
        #expect(try await box.program.ended().status == 0)
    }

    @Test("answers another client soon")
    func honest() async throws {
        let (fixture, box, flood) = try await flooded()
        for _ in 0..<5 {
            let before = flood.connections
            #expect(try await box.ask("get", "protocol=https", "host=\(fixture.host)").contains("password="))
            #expect(flood.connections - before < Self.soon)
        }
        #expect(try await box.interrupt().status == 0)
    }
}
