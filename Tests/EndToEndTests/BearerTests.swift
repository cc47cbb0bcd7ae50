import Foundation
import Staging
import StandIn
import Testing

/// Credentials with a scheme, with git's own `credential` commands and the real keyring.
@Suite("Credentials with a scheme, with git and the keyring")
struct BearerTests {
    private static let request = "protocol=https\nhost=git.example\n"
    private static let bearer = "capability[]=authtype\nauthtype=Bearer\ncredential=tok-bearer\nusername=alice\n"

    @Test("git 2.46 and newer get the credential back; an older git and git's libsecret helper read no password")
    func roundTrip() async throws {
        guard let git = Git.all.first(where: \.knowsState) else { return }
        let fixture = try await EndToEndFixture(git: git)
        let approved = try await fixture.git("credential", "approve", input: Self.request + Self.bearer)
        #expect(approved.status == 0 && approved.errors.isEmpty, "\(approved.errors)")
        let filled = try await fixture.git(
            "credential", "fill", input: "capability[]=authtype\n" + Self.request)
        #expect(
            filled.output
                == "capability[]=authtype\nauthtype=Bearer\ncredential=tok-bearer\nprotocol=https\n"
                + "host=git.example\nusername=alice\n", "\(filled.output)\(filled.errors)")
        let item = try #require(try await fixture.session.items().first)
        #expect(item.password.isEmpty && item.attributes["xdg:schema"] == "org.git.Password")
        // Without a prompt, only a helper can answer.
        let quiet = ["GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "false"]
        let older = try await fixture.startGit(
            ["credential", "fill"], environment: quiet, input: Self.request
        ).ended()
        #expect(older.status == 128 && !older.output.contains("tok-bearer"), "\(older.output)")
        _ = try await fixture.git(
            "credential", "reject", input: Self.request + "capability[]=authtype\nauthtype=Bearer\ncredential=other\n")
        #expect(try await fixture.session.items().count == 1)
        _ = try await fixture.git("credential", "reject", input: Self.request + Self.bearer)
        #expect(try await fixture.session.items().isEmpty)
    }
}
