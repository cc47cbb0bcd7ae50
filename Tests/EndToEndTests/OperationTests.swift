import Staging
import StandIn
import Testing

/// What the program is called with, other than one of git's operations.
@Suite("Operations")
struct OperationTests {
    @Test("a word that is no operation prints no secret")
    func operation() async throws {
        let fixture = try await EndToEndFixture(host: "github.com")
        try await fixture.remember(fixture.github.issueToken(for: "monalisa", app: fixture.app))
        let long = String(repeating: "a", count: 100_000)
        for words in [["GET"], [""], ["get", "extra"], ["-x"], ["frobnicate"], [long]] {
            let end = try await fixture.session.run(
                [BuiltFiles.helper] + words, input: "protocol=https\nhost=github.com\n\n")
            #expect(end.status == 0 && end.output.isEmpty && end.errors.isEmpty, "\(words.joined().prefix(20))")
        }
    }

    @Test("without an operation, the usage")
    func usage() async throws {
        let session = try await Session()
        let end = try await session.run([BuiltFiles.helper])
        #expect(end.status == 64 && end.output.isEmpty && end.errors.contains("USAGE: "), "\(end.errors)")
    }
}
