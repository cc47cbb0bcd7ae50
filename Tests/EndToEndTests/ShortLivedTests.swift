import Staging
import StandIn
import Testing

/// Eight hours instead of no end, where the server of an OAuth app grants it.
@Suite("Tokens of GitHub's OAuth apps that end")
struct ShortLivedTests {
    private func fixture(refreshNeedsSecret: Bool = false, isGranted: Bool = true) async throws -> EndToEndFixture {
        var app = App.oauthApp(interval: 1)
        app.shortLived = isGranted ? App.TokenLifetime() : nil
        app.refreshNeedsSecret = refreshNeedsSecret
        let fixture = try await EndToEndFixture(app: app, settings: "gitspaceShortLived = true")
        fixture.server.everySignIn(.approve(as: "monalisa"))
        return fixture
    }

    private func login(_ fixture: EndToEndFixture) async throws -> PseudoTerminal {
        let terminal = try PseudoTerminal(columns: 200)
        let end = try await fixture.start(
            [BuiltFiles.helper, "login", fixture.host], terminal: .standardError(terminal)
        ).ended()
        #expect(end.status == 0, "\(end.output)\(terminal.screen)")
        return terminal
    }

    private func scopes(_ fixture: EndToEndFixture) -> [String?] {
        fixture.server.requests(to: .deviceCode).map { $0.form["scope"] }
    }

    @Test("login asks for it, status says until when, and git has it refreshed in silence")
    func refreshed() async throws {
        let fixture = try await fixture()
        _ = try await login(fixture)
        #expect(scopes(fixture) == ["repo workflow gist offline_access"])
        let status = try await fixture.start([BuiltFiles.helper, "status", fixture.host]).ended()
        #expect(status.output.contains(", then refreshed automatically\n"), "\(status.output)")
        try await fixture.session.age(expiringIn: -10)
        let end = try await fixture.git("ls-remote", fixture.address())
        #expect(end.status == 0 && end.errors.isEmpty, "\(end.errors)")
        #expect(fixture.server.count(of: .refresh) == 1)
    }

    @Test("a refresh for which the server wants the app's secret ends in a sign-in without, which says why")
    func secretWanted() async throws {
        let fixture = try await fixture(refreshNeedsSecret: true)
        _ = try await login(fixture)
        try await fixture.session.age(expiringIn: -10)
        // Nobody is there when it is refused.
        #expect(try await fixture.git("ls-remote", fixture.address()).status != 0)
        let terminal = try PseudoTerminal(columns: 200)
        let end = try await fixture.git("ls-remote", fixture.address(), on: terminal)
        #expect(end.status == 0, "\(terminal.screen)")
        #expect(terminal.screen.contains("does not refresh expiring tokens of this app without its client secret"))
        #expect(scopes(fixture).last == "repo workflow gist")
        #expect(try await fixture.session.items().map { $0["oauth_refresh_token"] } == [nil])
    }

    @Test("a server that passes over the wish is named")
    func notGranted() async throws {
        let terminal = try await login(try await fixture(isGranted: false))
        #expect(
            terminal.screen.contains("issued a token that does not expire, although an expiring one was requested."))
    }
}
