import Staging
import StandIn
import Testing

/// Commands from hints that are pasted where they were printed, and two simultaneous sign-ins.
@Suite("login and setup: hints, and two at once")
struct SignInHintTests {
    @Test("shows one code for two simultaneous commands, and names the account in both", arguments: ["login", "setup"])
    func twice(verb: String) async throws {
        let fixture = try await EndToEndFixture()
        func start(_ terminal: PseudoTerminal) throws -> RunningProgram {
            try fixture.start([BuiltFiles.helper, verb, fixture.host], terminal: .standardError(terminal))
        }
        let (first, second) = (try PseudoTerminal(), try PseudoTerminal())
        let running = try start(first)
        try await first.shows("Waiting for you to approve")
        let waiting = try start(second)
        try await second.shows("Waiting for the sign-in in another terminal...")
        try await BrowserUser(login: "monalisa", on: fixture).answer(on: first)
        let ends = (try await running.ended(), try await waiting.ended())
        #expect(ends.0.status == 0 && ends.1.status == 0, "\(first.screen)\(second.screen)")
        #expect(second.text.contains("Enter this code"), "\(second.text)")
        #expect(ends.1.output.contains("Already signed in to \(fixture.host) as monalisa.\n"), "\(ends.1.output)")
        #expect(fixture.github.completedSignIns == 1 && fixture.github.count(of: .deviceCode) == 1)
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
                terminal: .standardError(terminal))
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

    @Test("prints the URL for the account that approved a clone as somebody else", arguments: [false, true])
    func clone(namesRepository: Bool) async throws {
        let fixture = try await EndToEndFixture(settings: "[credential]\nuseHttpPath = \(namesRepository)\n")
        guard try await fixture.passesNames() else { return }
        let terminal = try PseudoTerminal(columns: 200)
        let running = try fixture.startGit(
            ["clone", fixture.address(user: "alice"), fixture.session.home + "/clone"],
            terminal: .standardError(terminal))
        try await BrowserUser(login: "bob", on: fixture).answer(on: terminal)
        #expect(try await running.ended().status == 128)
        #expect(
            terminal.screen.contains("\nhint:   git clone https://bob@\(fixture.host)/acme/private\n"),
            "\(terminal.screen)")
    }
}
