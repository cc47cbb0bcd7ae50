import Staging
import Testing

/// Setup from nothing to a sign-in, at a terminal of 80 columns and without one.
@Suite("The verb setup with a real git")
struct SetupTests {
    /// Returns a fixture with only the program: git is not set up, and there may be a client ID.
    private func fixture(_ service: Service = .gitHub, hasClientID: Bool = true) async throws -> EndToEndFixture {
        let fixture = try await EndToEndFixture(service, settings: "[credential]\nhelper =")
        if !hasClientID {
            try await fixture.git("config", "--global", "--unset", fixture.setting("oauthClientId")).succeeded()
        }
        return fixture
    }

    private func start(_ fixture: EndToEndFixture, _ terminal: PseudoTerminal?) throws -> RunningProgram {
        try fixture.start([BuiltFiles.helper, "setup", fixture.host], on: terminal)
    }

    /// Checks that git reaches the private repository without the fixture's settings, with that token.
    private func works(_ fixture: EndToEndFixture, user: String, token: String? = nil) async throws {
        try await fixture.git("ls-remote", fixture.address()).succeeded(silently: true)
        let item = try #require(try await fixture.session.items().first { $0.attributes["server"] != nil })
        #expect(item.attributes["user"] == user)
        if let token { #expect(item.secret?.hasPrefix(token + "\n") == true) }
    }

    @Test(
        "configures git and signs in with a known client ID, and finds nothing to do in a second run",
        arguments: Service.withDeviceFlow)
    func known(service: Service) async throws {
        let fixture = try await fixture(service)
        fixture.github.nextSignIn(.approve(as: "monalisa"))
        let terminal = try PseudoTerminal()
        let end = try await start(fixture, terminal).ended().succeeded()
        #expect(end.output.contains("git now uses gitspace for \(fixture.host) ("))
        #expect(terminal.screen.contains("Signed in as monalisa. Saved in the keyring."))
        #expect(end.output.hasSuffix("Ready. Try:\n  git clone https://\(fixture.host)/OWNER/REPO\n"))
        try await works(fixture, user: "monalisa")
        let again = try await start(fixture, try PseudoTerminal()).ended().succeeded()
        #expect(again.output.contains("Already signed in to \(fixture.host) as monalisa.\n"), "\(again.output)")
        #expect(fixture.github.completedSignIns == 1)
    }

    @Test("verifies gh's sign-in and takes it over with one key, without client ID and browser")
    func takeOver() async throws {
        let fixture = try await fixture(hasClientID: false)
        let token = fixture.github.issueToken(for: "monalisa", app: fixture.app).accessToken
        try await fixture.session.run(
            ["secret-tool", "store", "--label=gh", "service", "gh:\(fixture.host)", "username", "monalisa"],
            input: token
        ).succeeded()
        let terminal = try PseudoTerminal(columns: 200)
        let running = try start(fixture, terminal)
        try await terminal.shows(
            "gh is signed in to \(fixture.host) as monalisa. Use this account for git, too? [Y/n] ")
        terminal.type("\n")
        let end = try await running.ended().succeeded()
        #expect(end.output.contains("✓ Signed in as monalisa. Saved in the keyring.\n"))
        try await works(fixture, user: "monalisa", token: token)
        #expect(fixture.github.count(of: .deviceCode) == 0)
    }

    @Test("takes a pasted token without echo, after one that the host rejects", arguments: Service.allCases)
    func pasted(service: Service) async throws {
        let fixture = try await fixture(service, hasClientID: false)
        let token = fixture.github.issueToken(for: "bob", app: fixture.app).accessToken
        let terminal = try PseudoTerminal()
        let running = try start(fixture, terminal)
        try await terminal.shows(service == .gitHub ? "1, 2 or 3? [1] " : "1 or 2? [1] ")
        terminal.type(service == .gitHub ? "3\n" : "2\n")
        try await terminal.type("ghp_wrong\n", after: "Token for \(fixture.host) (not shown): ")
        try await terminal.shows("rejected this token")
        try await eventually("the second question") { terminal.count(of: "(not shown): ") == 2 }
        terminal.type("\(token)\n")
        let end = try await running.ended().succeeded()
        #expect(!terminal.text.contains(token) && !end.output.contains(token))
        try await works(fixture, user: "bob", token: token)
    }

    @Test(
        "the long address of a GitHub App's page is a QR code as well, if the terminal has room for it",
        arguments: [
            (100, 24, "xterm", true), (100, 20, "xterm", false), (39, 24, "xterm", false), (100, 24, "dumb", false),
        ])
    func picture(columns: UInt16, rows: UInt16, kind: String, isShown: Bool) async throws {
        let fixture = try await fixture(hasClientID: false)
        let terminal = try PseudoTerminal(columns: columns, rows: rows)
        let running = try fixture.start(
            [BuiltFiles.helper, "setup", fixture.host, "--github-app"], environment: ["TERM": kind], on: terminal)
        try await terminal.shows("Client ID: ")
        #expect(terminal.text.contains("\u{2580}") == isShown, "\(terminal.text)")
        terminal.type("\u{3}")
        #expect(try await running.ended().status == 130)
    }

    @Test("registers an app and signs in with it, and loses nothing by Ctrl-C at the code")
    func registered() async throws {
        let fixture = try await fixture(hasClientID: false)
        fixture.github.register(.oauthApp(clientID: "Ov23liMine", interval: 1))
        let terminal = try PseudoTerminal()
        let running = try start(fixture, terminal)
        try await terminal.type("\n", after: "1, 2 or 3? [1] ")
        try await terminal.shows("Client ID: ")
        fixture.github.everySignIn(.waitForPerson)
        terminal.type("Ov23liMine\n")
        try await terminal.type("\u{3}", after: "Enter this code")
        let end = try await running.ended()
        #expect(end.status == 130, "\(end.output)\(terminal.screen)")
        #expect(end.output.hasSuffix("  git credential-gitspace setup \(fixture.host)\n"))
        // A blank line separates numbered steps from the numbered choice, and the sign-in from both.
        #expect(end.output.contains("instead.\n\n1. Open this page"))
        #expect(end.output.contains(" Ov23liMine. It is saved in git's configuration.\n\n"))
        fixture.github.everySignIn(.approve(as: "monalisa"))
        try await start(fixture, try PseudoTerminal()).ended().succeeded()
        try await works(fixture, user: "monalisa")
        #expect(try await fixture.session.items().first?["gitspace_client_id"] == "Ov23liMine")
    }

    @Test("asks about a server that is not configured, sets its provider, and signs in")
    func recognized() async throws {
        let fixture = try await fixture()
        let key = fixture.setting("provider")
        #expect(try await fixture.git("config", "--global", "--unset-all", key).status == 0)
        let silent = try await start(fixture, nil).ended()
        #expect(silent.status == 1 && silent.errors.contains("looks like a GitHub server"), "\(silent.errors)")
        fixture.github.nextSignIn(.approve(as: "monalisa"))
        let terminal = try PseudoTerminal(columns: 200)
        let running = try start(fixture, terminal)
        try await terminal.shows("\(fixture.host) looks like a GitHub server. Use it as a GitHub server? [Y/n] ")
        terminal.type("\n")
        let end = try await running.ended()
        #expect(end.status == 0 && end.output.hasPrefix("Saved in git's configuration.\n"), "\(end.output)")
        #expect(try await fixture.git("config", "--global", key).output == "github\n")
        try await works(fixture, user: "monalisa")
    }

    /// Returns whether a process blocks a signal: SigBlk in /proc/PID/status (proc(5)).
    private static func blocks(_ process: pid_t, _ signal: Int32) -> Bool {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        let mask = status.firstMatch(of: #/SigBlk:\s*(\w+)/#).flatMap { UInt64($0.1, radix: 16) } ?? 0
        return mask & (1 << UInt64(signal - 1)) != 0
    }

    @Test("ends after Ctrl-C while it waits for a token on standard input", arguments: ["setup", "login"])
    func silentInput(verb: String) async throws {
        let fixture = try await fixture(hasClientID: false)
        let input = try Lifeline()
        let program = try RunningProgram(
            [BuiltFiles.helper, verb, fixture.host, "--with-token"], environment: fixture.session.environment,
            in: fixture.session.home, input: input.programEnd, surroundings: fixture.session)
        try await eventually("a program that holds signals back") { Self.blocks(program.id, SIGINT) }
        program.signal(SIGINT)
        #expect(try await program.ended().status == 130)
        withExtendedLifetime(input) {}
    }
}
