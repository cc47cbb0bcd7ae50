import Staging
import Testing

/// Tests with the real git, a real terminal, and a server that answers as Bitbucket Cloud's documentation says.
@Suite("Bitbucket", .serialized)
struct BitbucketTests {
    /// A token longer than a terminal's line buffer.
    private static let token = "ATATT3x" + String(repeating: "Fg0=", count: 1_249)

    @Test("takes a pasted token of 5,000 characters, and git uses it with and without a name in the URL")
    func pasted() async throws {
        let fixture = try await EndToEndFixture(host: "bitbucket.org", settings: "[credential]\nhelper =")
        fixture.server.answerGitAsBitbucket()
        fixture.server.admitTokens { $0 == Self.token ? "monalisa" : nil }
        let terminal = try PseudoTerminal(columns: 200)
        let running = try fixture.start([BuiltFiles.helper, "setup", fixture.host], on: terminal)
        try await terminal.shows("to try the token with (Enter for none): ")
        terminal.type("https://monalisa@bitbucket.org/acme/private.git\n")
        try await terminal.type("mona@example.test\n", after: "not your e-mail address [monalisa]: ")
        try await terminal.type("\n", after: "an e-mail address is not a user name")
        try await terminal.shows("Token for bitbucket.org (not shown): ")
        terminal.type("wrong\u{15}" + Self.token + "x\u{7f}\n")
        let end = try await running.ended().succeeded()
        #expect(end.output.contains("bitbucket.org accepted the token for acme/private. Stored as monalisa.\n"))
        #expect(!terminal.text.contains("ATATT3x") && terminal.isCooked)
        #expect(try await fixture.session.items().map(\.password) == [Self.token])
        let named = try await fixture.passesNames() ? [fixture.address(user: "monalisa")] : []
        for address in [fixture.address()] + named {
            try await fixture.git("ls-remote", address).succeeded(silently: true)
        }
    }
}
