import Staging
import StandIn
import Testing

/// Failed sign-ins, and what the person reads.
@Suite("Failed sign-ins with a real git")
struct SignInOutcomeTests {
    @Test("reports a failure once, stores nothing, and git asks for nothing more", arguments: [false, true])
    func failure(expires: Bool) async throws {
        let fixture = try await EndToEndFixture()
        fixture.server.everySignIn(expires ? .expire() : .deny())
        let terminal = try PseudoTerminal(columns: 200)
        let end = try await fixture.git("ls-remote", fixture.address(), on: terminal)
        let sentence = expires ? "the code expired before it was approved" : "the sign-in was declined in the browser"
        let lines = terminal.screen.split(separator: "\n")
        #expect(
            lines.filter { $0.contains("gitspace: error: ") } == ["gitspace: error: \(sentence)"], "\(terminal.text)")
        #expect(lines.last?.hasPrefix("fatal: credential helper ") == true, "\(terminal.text)")
        #expect(end.status == 128)
        #expect(lines.count { $0.contains("2. Enter this code:") } == (expires ? 3 : 1))
        #expect(try await fixture.session.items().isEmpty)
    }

    @Test("reports the wrong account, and stores nothing", arguments: Service.withDeviceFlow)
    func wrongAccount(service: Service) async throws {
        let fixture = try await EndToEndFixture(service)
        guard try await fixture.passesNames() else { return }
        let terminal = try PseudoTerminal()
        let running = try fixture.startGit(
            ["ls-remote", fixture.address(user: "alice")], terminal: .standardError(terminal))
        try await BrowserUser(login: "bob", on: fixture).answer(on: terminal)
        #expect(try await running.ended().status == 128)
        #expect(terminal.text.contains("\nSign in as: alice\nAsked by: git ls-remote, in \"~\"\n"))
        #expect(
            terminal.screen.contains(
                "\ngitspace: error: signed in as bob, but git asked for alice; nothing was stored\n"),
            "\(terminal.text)")
        #expect(try await fixture.session.items().isEmpty)
        // The stand-in plays an Enterprise Server for GitHub here, which has no such endpoint.
        #expect(fixture.server.count(of: .revoke) == (service == .gitLab ? 2 : 0))
    }

    @Test("reports how to get a client ID in one line, and git asks for a token")
    func noClientID() async throws {
        var app = Service.gitHub.app(interval: 1)
        app.clientID = ""
        let fixture = try await EndToEndFixture(app: app)
        let terminal = try PseudoTerminal(columns: 200)
        let running = try fixture.startGit(["ls-remote", fixture.address()], terminal: .standardError(terminal))
        try await terminal.shows("Username for 'https://\(fixture.host)': ")
        #expect(
            terminal.text.hasPrefix(
                """
                gitspace: error: cannot sign in to \(fixture.host): no OAuth client ID is configured
                hint: you can also enter a personal access token at git's password prompt; gitspace stores it

                """), "\(terminal.text)")
        let token = fixture.server.issueToken(for: "monalisa", app: .personalAccessTokens)
        terminal.type("monalisa\n")
        try await terminal.shows("Password for ")
        terminal.type("\(token.accessToken)\n")
        #expect(try await running.ended().status == 0, "\(terminal.text)")
        #expect(try await fixture.session.items().map(\.password) == [token.accessToken])
        let next = try await fixture.git("ls-remote", fixture.address())
        #expect(next.status == 0 && next.errors.isEmpty, "\(next.errors)")
        #expect(fixture.server.count(of: .deviceCode) == 0)
    }
}
