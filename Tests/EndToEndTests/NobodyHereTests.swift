import Staging
import Testing

@Suite("Commands without a person")
struct NobodyHereTests {
    @Test("ends git as without a credential, after one line with the reason", arguments: Git.all)
    func ending(git: Git) async throws {
        let fixture = try await EndToEndFixture(git: git)
        for (environment, reason) in [
            ([:], "there is no terminal or desktop"), (["GIT_TERMINAL_PROMPT": "0"], "sign-in is off because"),
        ] {
            let end = try await fixture.git("ls-remote", fixture.address(), environment: environment)
            let lines = end.errors.split(separator: "\n")
            #expect(end.status == 128 && lines.count == 4 && lines[3].hasPrefix("fatal: "), "\(end.errors)")
            #expect(lines[0].hasPrefix("gitspace: error: not signed in to \(fixture.host), and \(reason)"))
        }
        #expect(fixture.github.count(of: .deviceCode) == 0)
    }

    @Test("asks at a terminal even if git's messages do not go there", arguments: Git.all)
    func onlyControllingTerminal(git: Git) async throws {
        let fixture = try await EndToEndFixture(git: git)
        let terminal = try PseudoTerminal()
        let running = try fixture.startGit(["ls-remote", fixture.address()], on: terminal, keepsErrors: true)
        try await BrowserUser(login: "monalisa", on: fixture).answer(on: terminal)
        try await running.ended().succeeded(silently: true)
    }

    @Test(
        "prints a command that switches off the setting which prevents a sign-in",
        arguments: [("GCM_INTERACTIVE", "never"), ("GIT_TERMINAL_PROMPT", "0"), ("GIT_CONFIG_COUNT", "1")])
    func pasted(variable: String, value: String) async throws {
        let fixture = try await EndToEndFixture()
        // The third one is `credential.interactive=false` of the configuration.
        let environment = [
            variable: value, "GIT_CONFIG_KEY_0": "credential.interactive", "GIT_CONFIG_VALUE_0": "false",
        ]
        func run(_ command: String, on terminal: PseudoTerminal) throws -> RunningProgram {
            try fixture.start(
                ["sh", "-c", "PATH=\"${0%/*}:$PATH\" && \(command)", BuiltFiles.helper], environment: environment,
                on: terminal)
        }
        let refused = try PseudoTerminal(columns: 200)
        let end = try await run("git credential-gitspace login \(fixture.host)", on: refused).ended()
        let hint = try #require(refused.text.split(separator: "\n").last)
        let command = try #require(hint.split(separator: "hint:   ").last)
        #expect(end.status == 1 && command.contains("credential-gitspace login"), "\(refused.text)")
        let terminal = try PseudoTerminal()
        let running = try run(command.filter { $0 != "\r" }, on: terminal)
        try await BrowserUser(login: "monalisa", on: fixture).answer(on: terminal)
        #expect(try await running.ended().status == 0, "\(command): \(terminal.text)")
    }
}
