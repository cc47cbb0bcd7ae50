import Glibc
import Staging
import StandIn
import Testing

/// Absent, locked and silent keyrings are three different things.
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

    @Test("a locked keyring that nobody can unlock is told, and costs nothing", arguments: Git.all)
    func locked(git: Git) async throws {
        let fixture = try await EndToEndFixture(git: git)
        try await fixture.remember(fixture.github.issueToken(for: "monalisa", app: fixture.app))
        let before = try await fixture.session.items()
        try await fixture.session.control("lock")

        let fetch = try await fixture.git("ls-remote", fixture.address())
        #expect(
            fetch.errors.hasPrefix("gitspace: error: the keyring is locked and no password prompt can be shown here\n"),
            "\(fetch.errors)")
        #expect(fetch.status == 128)
        _ = try await fixture.git("credential", "reject", input: "url=https://\(fixture.host)\n\n")
        #expect(fixture.github.requests.map(\.endpoint) == [.gitRefs])

        try await fixture.session.control("unlock")
        #expect(try await fixture.session.items() == before)
    }

    @Test(
        "a locked keyring is no reason to sign in, even where a person is, and nobody has unlocked it since it started",
        arguments: [false, true])
    func lockedOnTerminal(isNew: Bool) async throws {
        let fixture = try await EndToEndFixture()
        try await fixture.remember(fixture.github.issueToken(for: "monalisa", app: fixture.app))
        if isNew {
            // The bus starts another one when it is next asked for; it shows the attributes of its items as digests.
            kill(fixture.session.keyring, SIGKILL)
        } else {
            try await fixture.session.control("lock")
        }
        let terminal = try PseudoTerminal()
        _ = try await fixture.helper("get", on: terminal)
        #expect(terminal.text.hasPrefix("gitspace: error: the keyring is locked"), "\(terminal.text)")
        #expect(fixture.github.requests.isEmpty)
    }

    @Test("a keyring that has stopped ends the wait after seconds, and costs nothing")
    func stopped() async throws {
        let fixture = try await EndToEndFixture()
        try await fixture.remember(fixture.github.issueToken(for: "monalisa", app: fixture.app))
        let before = try await fixture.session.items()
        kill(fixture.session.keyring, SIGSTOP)
        let terminal = try PseudoTerminal()
        let answer = try await fixture.helper("get", on: terminal)
        kill(fixture.session.keyring, SIGCONT)
        #expect(
            terminal.text.hasPrefix("gitspace: error: the keyring did not answer within 5 seconds\n"),
            "\(terminal.text)")
        // GDBus by itself would wait for 25.
        #expect(answer.duration < .seconds(20), "\(answer.duration)")
        #expect(fixture.github.requests.isEmpty)
        #expect(try await fixture.session.items() == before)
    }
}
