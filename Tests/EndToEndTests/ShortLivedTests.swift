import Staging
import StandIn
import Testing

/// Tokens for eight hours instead of unlimited ones, if the server grants them to an OAuth app.
@Suite("Expiring tokens of GitHub's OAuth apps, with a real git")
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

    @Test("login requests a short-lived token, status shows its expiry, and git refreshes it without output")
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

    @Test("signs in without a short-lived token if the refresh needs the app's secret, and prints the reason")
    func secretWanted() async throws {
        let fixture = try await fixture(refreshNeedsSecret: true)
        _ = try await login(fixture)
        try await fixture.session.age(expiringIn: -10)
        // No person is at hand when it is refused.
        #expect(try await fixture.git("ls-remote", fixture.address()).status != 0)
        let terminal = try PseudoTerminal(columns: 200)
        let end = try await fixture.git("ls-remote", fixture.address(), on: terminal)
        #expect(end.status == 0, "\(terminal.screen)")
        #expect(terminal.screen.contains("does not refresh expiring tokens of this app without its client secret"))
        #expect(scopes(fixture).last == "repo workflow gist")
        #expect(try await fixture.session.items().map { $0["oauth_refresh_token"] } == [nil])
    }

    @Test("names a server that ignores the request")
    func notGranted() async throws {
        let terminal = try await login(try await fixture(isGranted: false))
        #expect(
            terminal.screen.contains("issued a token that does not expire, although an expiring one was requested."))
    }
}
