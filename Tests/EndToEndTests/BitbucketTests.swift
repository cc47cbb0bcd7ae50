import Foundation
import Staging
import StandIn
import Testing

/// Tests with the real git, a real terminal, and a server that answers as Bitbucket Cloud's documentation says.
@Suite("Bitbucket", .serialized)
struct BitbucketTests {
    /// A token longer than a terminal's line buffer.
    private static let token = "ATATT3x" + String(repeating: "Fg0=", count: 1_249)

    private func fixture() async throws -> EndToEndFixture {
        let fixture = try await EndToEndFixture(host: "bitbucket.org", settings: "[credential]\nhelper =")
        fixture.server.answerGitAsBitbucket()
        fixture.server.admitTokens { $0 == Self.token ? "monalisa" : nil }
        return fixture
    }

    @Test("takes a pasted token of 5,000 characters, and git uses it with and without a name in the URL")
    func pasted() async throws {
        let fixture = try await fixture()
        let terminal = try PseudoTerminal(columns: 200)
        let running = try fixture.start(
            [BuiltFiles.helper, "setup", fixture.host], terminal: .standardError(terminal))
        try await terminal.shows("to try the token with (Enter for none): ")
        terminal.type("https://monalisa@bitbucket.org/acme/private.git\n")
        try await terminal.shows("not your e-mail address [monalisa]: ")
        terminal.type("mona@example.test\n")
        try await terminal.shows("an e-mail address is not a user name")
        terminal.type("\n")
        try await terminal.shows("Token for bitbucket.org (not shown): ")
        terminal.type("wrong\u{15}" + Self.token + "x\u{7f}\n")
        let end = try await running.ended()
        #expect(end.status == 0, "\(end.output)\(terminal.screen)")
        #expect(end.output.contains("bitbucket.org accepted the token for acme/private. Stored as monalisa.\n"))
        #expect(!terminal.text.contains("ATATT3x") && terminal.isCooked)
        #expect(try await fixture.session.items().map(\.password) == [Self.token])
        let named = try await fixture.passesNames() ? [fixture.address(user: "monalisa")] : []
        for address in [fixture.address()] + named {
            let end = try await fixture.git("ls-remote", address)
            #expect(end.status == 0 && end.errors.isEmpty, "\(end.errors)")
        }
    }

    @Test("reads a token from standard input for the repository's remote, and stores none that Bitbucket rejects")
    func piped() async throws {
        let fixture = try await fixture()
        let folder = fixture.session.home + "/work"
        _ = try await fixture.git("init", "--quiet", folder)
        _ = try await fixture.git("config", "remote.origin.url", fixture.address(user: "monalisa"), in: folder)
        func setUp(_ token: String, _ host: String = "bitbucket.org") async throws -> RunningProgram.End {
            try await fixture.start(
                [BuiltFiles.helper, "setup", host, "--with-token"], in: folder, input: token + "\n"
            ).ended()
        }
        let refused = try await setUp("ATATT3xwrong")
        #expect(refused.status == 1, "\(refused.errors)")
        #expect(
            refused.errors.hasPrefix(
                "gitspace: error: bitbucket.org rejected this token of monalisa for acme/private; nothing was stored\n")
        )
        let other = try await setUp(Self.token, "https://bob@bitbucket.org/acme/private")
        #expect(other.status == 1 && other.errors.contains("token of bob for acme/private"), "\(other.errors)")
        let ended = try await setUp("ATBBsecret")
        #expect(ended.status == 1 && ended.errors.contains("this is an app password"), "\(ended.errors)")
        #expect(try await fixture.session.items().isEmpty)
        let end = try await setUp(Self.token)
        #expect(end.status == 0 && end.output.contains(" Stored as monalisa.\n"), "\(end.output)\(end.errors)")
        #expect(try await fixture.git("fetch", "--quiet", in: folder).status == 0)
    }
}
