import Staging
import StandIn
import Testing

/// If nobody can see a code, none is requested.
@Suite("Commands without a person")
struct NobodyHereTests {
    @Test("ends git as without a credential, after one line with the reason", arguments: Git.all)
    func ending(git: Git) async throws {
        let fixture = try await EndToEndFixture(git: git)
        for (environment, reason, condition, command) in [
            ([:], "there is no terminal or desktop to sign in from", "", ""),
            (
                ["GIT_TERMINAL_PROMPT": "0"], "sign-in is off because GIT_TERMINAL_PROMPT=0 is set",
                ", without GIT_TERMINAL_PROMPT=0", "env -u GIT_TERMINAL_PROMPT "
            ),
        ] {
            let end = try await fixture.git("ls-remote", fixture.address(), environment: environment)
            let lines = end.errors.split(separator: "\n")
            let said = """
                gitspace: error: not signed in to \(fixture.host), and \(reason)
                hint: sign in from a terminal\(condition):
                hint:   \(command)git credential-gitspace login \(fixture.host)

                """
            #expect(end.status == 128 && end.errors.hasPrefix(said), "\(end.errors)")
            #expect(lines.count == 4 && lines.last?.hasPrefix("fatal: ") == true, "\(end.errors)")
        }
        #expect(fixture.github.count(of: .deviceCode) == 0)
    }

    @Test("asks at a terminal even if git's messages do not go there", arguments: Git.all)
    func onlyControllingTerminal(git: Git) async throws {
        let fixture = try await EndToEndFixture(git: git)
        let terminal = try PseudoTerminal()
        let running = try fixture.startGit(["ls-remote", fixture.address()], terminal: .onlyControlling(terminal))
        try await BrowserUser(login: "monalisa", on: fixture).answer(on: terminal)
        let end = try await running.ended()
        #expect(end.status == 0 && end.errors.isEmpty, "\(end.errors)")
    }
}
