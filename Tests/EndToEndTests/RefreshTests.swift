import Staging
import Testing

/// Expiring tokens, a GitHub App's after eight hours and GitLab's after two, and their one-time refresh tokens.
@Suite("Refresh")
struct RefreshTests {
    @Test(
        "renews an expired token once without output, and replaces the old pair", arguments: Git.all, Service.allCases)
    func expired(git: Git, service: Service) async throws {
        let fixture = try await EndToEndFixture(service, git: git, app: service.refreshingApp(interval: 1))
        let old = fixture.server.issueToken(for: "monalisa", app: fixture.app)
        fixture.server.expireAccessTokens()
        try await fixture.remember(old, expiringIn: -10)
        for _ in 1...2 { try await fixture.git("ls-remote", fixture.address()).succeeded(silently: true) }
        #expect(fixture.server.count(of: .refresh) == 1)
        let new = try #require(fixture.server.tokens.last)
        let items = try await fixture.session.items()
        #expect(items.map(\.password) == [new.accessToken] && new.accessToken != old.accessToken)
        #expect(items.first?["oauth_refresh_token"] == new.refreshToken)
        let expiry = try #require(items.first?["password_expiry_utc"].flatMap(Double.init))
        // The expiry has whole seconds from the time of the answer.
        #expect((-1...60).contains(expiry - (new.accessExpiry ?? 0)))
    }

    @Test(
        "login requests a short-lived token of an OAuth app, status shows its expiry, and git refreshes it without output"
    )
    func shortLived() async throws {
        var app = App.oauthApp(interval: 1)
        app.shortLived = App.TokenLifetime()
        let fixture = try await EndToEndFixture(app: app, settings: "gitspaceShortLived = true")
        fixture.server.everySignIn(.approve(as: "monalisa"))
        let terminal = try PseudoTerminal(columns: 200)
        try await fixture.gitspace("login", fixture.host, on: terminal).succeeded()
        let scopes = fixture.server.requests(to: .deviceCode).map { $0.form["scope"] }
        #expect(scopes == ["repo workflow gist offline_access"])
        let status = try await fixture.gitspace("status", fixture.host)
        #expect(status.output.contains(", then refreshed automatically\n"), "\(status.output)")
        try await fixture.session.age(expiringIn: -10)
        try await fixture.git("ls-remote", fixture.address()).succeeded(silently: true)
        #expect(fixture.server.count(of: .refresh) == 1)
    }
}
