import Staging
import StandIn
import Testing

/// The main job.
///
/// One after the other, since all sign in to github.com: see `EndToEndFixture`.
@Suite("The first clone", .serialized)
struct FirstCloneTests {
    @Test("a first clone signs in, and nobody notices anything after that", arguments: Git.all)
    func mainJob(git: Git) async throws {
        let fixture = try await EndToEndFixture(git: git, host: "github.com")
        let terminal = try PseudoTerminal()
        let clone = try fixture.startGit(["clone", fixture.address()], terminal: .standardError(terminal))
        try await BrowserUser(login: "monalisa", on: fixture).answer(on: terminal)
        #expect(try await clone.ended().status == 0, "\(terminal.text)")
        #expect(terminal.screen.contains("✓ Signed in as monalisa. Saved in the keyring.\n"))
        let folder = fixture.session.home + "/private"

        let items = try await fixture.session.items()
        #expect(
            items.map(\.attributes) == [
                ["xdg:schema": "org.git.Password", "protocol": "https", "server": "github.com", "user": "monalisa"]
            ])
        #expect(items.first?.label == "Git: https://github.com/")
        #expect(items.first?.password == fixture.github.tokens.first?.accessToken)

        let fetch = try await fixture.git("fetch", in: folder)
        #expect(fetch.status == 0 && fetch.output.isEmpty && fetch.errors.isEmpty, "\(fetch.errors)")

        _ = try await fixture.git("commit", "--quiet", "--allow-empty", "--message=Second commit", in: folder)
        let push = try await fixture.git("push", "--quiet", in: folder)
        #expect(push.status == 0 && push.errors.isEmpty, "\(push.errors)")
        #expect(try fixture.github.git(["log", "-1", "--format=%s"], in: "acme/private") == "Second commit\n")

        #expect(try await fixture.session.items() == items)
        #expect(fixture.github.count(of: .deviceCode) == 1)
        #expect(fixture.github.completedSignIns == 1)
    }

    @Test("the screen at 80 columns is what the documentation says", arguments: Git.all)
    func screen(git: Git) async throws {
        let fixture = try await EndToEndFixture(git: git, host: "github.com")
        let terminal = try PseudoTerminal(columns: 80)
        let clone = try fixture.startGit(["clone", "--quiet", fixture.address()], terminal: .standardError(terminal))
        try await terminal.shows("Ctrl-C cancels.")
        let code = fixture.github.newestUserCode ?? ""
        #expect(
            terminal.screen == """
                git needs to sign in to GitHub (github.com).
                Asked by: git clone, in ~

                1. Open this page, here or on any other device:
                  https://github.com/login/device
                2. Enter this code:
                  \(code)

                Press c to copy the code, r for a QR code, q to quit.
                Waiting for you to approve. 15 min left. Ctrl-C cancels.
                """)
        try await BrowserUser(login: "monalisa", on: fixture).answer(on: terminal)
        #expect(try await clone.ended().status == 0)
        #expect(terminal.screen.hasSuffix("\n✓ Signed in as monalisa. Saved in the keyring.\n"))
    }

    @Test("only the account and nothing else of the person is sent: who was contacted, and for what")
    func contacts() async throws {
        let fixture = try await EndToEndFixture(host: "github.com")
        try await fixture.signIn()
        #expect(Set(fixture.github.tunnels) == ["github.com:443", "api.github.com:443"])
        #expect(fixture.github.requests(to: .user).count == 1)
        #expect(fixture.github.requests(to: .deviceCode).map { $0.form["scope"] } == ["repo workflow gist"])
    }
}
