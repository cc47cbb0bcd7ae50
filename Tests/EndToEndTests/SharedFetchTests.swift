import Foundation
import Staging
import StandIn
import Testing

/// git, where there is no keyring, and a machine that has one.
@Suite("git with a shared sign-in")
struct SharedFetchTests {
    @Test("it fetches with the token, which stays where it came from", arguments: Git.all)
    func fetch(git: Git) async throws {
        let fixture = try await EndToEndFixture(git: git, session: .noBus)
        let token = fixture.github.issueToken(for: "monalisa", app: fixture.app)
        let path = fixture.session.home + "/share"
        let share = try await ScriptedShare(.answers, at: path, password: token.accessToken)
        let end = try await fixture.git(
            "ls-remote", fixture.address(), environment: ["GITSPACE_SHARE": path])
        #expect(end.status == 0 && end.errors.isEmpty, "\(end.errors)")
        // A git before 2.40 forgets that it expires, so the other machine is asked what it hands out.
        #expect(share.requests.allSatisfy { $0.first == "action=get" } && share.requests.count <= 2)
        // Nothing was kept in memory: without the other machine, there is no token.
        let alone = try await fixture.helper("get")
        #expect(alone.output.isEmpty && alone.errors.contains("no keyring is running in this session"))
    }

    @Test("a rejected token is reported to where it came from, and not sent there", arguments: Git.all)
    func rejected(git: Git) async throws {
        let fixture = try await EndToEndFixture(git: git, session: .noBus)
        let path = fixture.session.home + "/share"
        let share = try await ScriptedShare(.answers, at: path, password: "ghu_revoked")
        let end = try await fixture.git(
            "ls-remote", fixture.address(), environment: ["GITSPACE_SHARE": path, "GIT_TERMINAL_PROMPT": "0"])
        #expect(end.status == 128, "\(end.errors)")
        let erase = try await eventually("an erase") { share.requests.first { $0.first == "action=erase" } }
        #expect(erase.contains("username=monalisa") && erase.last?.hasPrefix("state[]=gitspace:") == true)
        #expect(!share.requests.joined().contains { $0.contains("ghu_revoked") })
    }

    @Test("a socket at which nobody listens any more is passed over, and a sign-in goes on as without it")
    func gone() async throws {
        let fixture = try await EndToEndFixture(session: .noBus)
        let path = fixture.session.home + "/share"
        let share = try await ScriptedShare(.gone, at: path)
        fixture.github.nextSignIn(.approve(as: "monalisa"))
        let terminal = try PseudoTerminal(columns: 100)
        let script = "git ls-remote \"$0\"; git credential-cache exit"
        let end = try await fixture.start(
            ["sh", "-c", script, fixture.address()], environment: ["GITSPACE_SHARE": path],
            terminal: .standardError(terminal)
        ).ended()
        #expect(end.status == 0 && terminal.screen.contains("Signed in as monalisa"), "\(terminal.text)")
        withExtendedLifetime(share) {}
    }
}
