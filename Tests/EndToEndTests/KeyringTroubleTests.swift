import Glibc
import Staging
import StandIn
import Testing

/// Keyrings that are absent, and that nobody has opened; FaultTests have the other troubles.
@Suite("Trouble with the keyring")
struct KeyringTroubleTests {
    @Test(
        "without any keyring the token stays in memory, and one line says so", arguments: Git.all,
        [Session.Kind.noProvider, .noBus])
    func absent(git: Git, kind: Session.Kind) async throws {
        let fixture = try await EndToEndFixture(git: git, session: kind)
        fixture.github.nextSignIn(.approve(as: "monalisa"))
        let terminal = try PseudoTerminal(columns: 100)
        // In one shell, for the cache's daemon ends with the terminal that it was started in.
        let script = "git ls-remote \"$0\" && git ls-remote \"$0\"; echo $?; git credential-cache exit"
        let end = try await fixture.start(
            ["sh", "-c", script, fixture.address()], terminal: .standardError(terminal)
        ).ended()
        #expect(end.output.hasSuffix("\n0\n"), "\(terminal.text)")
        let last = "✓ Signed in as monalisa. No keyring here: git credential-cache keeps the token in memory.\n"
        #expect(terminal.screen.hasSuffix(last), "\(terminal.text)")
        #expect(fixture.github.count(of: .deviceCode) == 1)
    }

    @Test("a keyring that nobody has unlocked since it started is locked, not empty, and no reason to sign in")
    func lockedFromTheStart() async throws {
        let fixture = try await EndToEndFixture()
        try await fixture.remember(fixture.github.issueToken(for: "monalisa", app: fixture.app))
        // The bus starts another one when it is next asked for; it shows the attributes of its items as digests.
        kill(fixture.session.keyring, SIGKILL)
        let terminal = try PseudoTerminal()
        _ = try await fixture.helper("get", on: terminal)
        #expect(terminal.text.hasPrefix("gitspace: error: the keyring is locked"), "\(terminal.text)")
        #expect(fixture.github.requests.isEmpty)
    }

    @Test(
        "what forbids a sign-in forbids the keyring's prompt, wherever it stands",
        arguments: ["GIT_TERMINAL_PROMPT", "credential.interactive", "unreadable"])
    func forbiddenPrompt(how: String) async throws {
        let settings = how == "credential.interactive" ? "[credential]\ninteractive = never" : ""
        let fixture = try await EndToEndFixture(settings: settings)
        try await fixture.remember(fixture.github.issueToken(for: "monalisa", app: fixture.app))
        kill(fixture.session.keyring, SIGKILL)
        // A display on which a prompt could be shown.
        var environment = ["DISPLAY": ":of-the-test"]
        if how == "GIT_TERMINAL_PROMPT" { environment[how] = "0" }
        if how == "unreadable" { environment["GIT_CONFIG_GLOBAL"] = fixture.session.home }
        let terminal = try PseudoTerminal()
        _ = try await fixture.helper("get", environment: environment, on: terminal)
        #expect(
            terminal.text.hasPrefix("gitspace: error: the keyring is locked and no password prompt can be shown here"),
            "\(terminal.text)")
        #expect(fixture.github.requests.isEmpty)
    }
}
