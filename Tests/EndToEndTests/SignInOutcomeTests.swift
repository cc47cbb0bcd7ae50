import Staging
import Testing

@Suite("Failed sign-ins with a real git")
struct SignInOutcomeTests {
    @Test("reports the wrong account, and stores nothing", arguments: Service.withDeviceFlow)
    func wrongAccount(service: Service) async throws {
        let fixture = try await EndToEndFixture(service)
        guard try await fixture.passesNames() else { return }
        let terminal = try PseudoTerminal()
        let running = try fixture.startGit(["ls-remote", fixture.address(user: "alice")], on: terminal)
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
        let running = try fixture.startGit(["ls-remote", fixture.address()], on: terminal)
        try await terminal.shows("Username for 'https://\(fixture.host)': ")
        #expect(
            terminal.text.hasPrefix(
                """
                gitspace: error: cannot sign in to \(fixture.host): no OAuth client ID is configured
                hint: you can also enter a personal access token at git's password prompt; gitspace stores it

                """), "\(terminal.text)")
        let token = fixture.server.issueToken(for: "monalisa", app: .personalAccessTokens)
        terminal.type("monalisa\n")
        try await terminal.type("\(token.accessToken)\n", after: "Password for ")
        #expect(try await running.ended().status == 0, "\(terminal.text)")
        #expect(try await fixture.session.items().map(\.password) == [token.accessToken])
        try await fixture.git("ls-remote", fixture.address()).succeeded(silently: true)
        #expect(fixture.server.count(of: .deviceCode) == 0)
    }
}
