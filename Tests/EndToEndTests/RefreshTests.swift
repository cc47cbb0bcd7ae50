import Staging
import StandIn
import Testing

/// Expiring tokens, a GitHub App's after eight hours and GitLab's after two, and their one-time refresh tokens.
@Suite("Refresh")
struct RefreshTests {
    /// Returns a fixture with an expired token of monalisa's.
    private func fixture(_ service: Service, git: Git) async throws -> (fixture: EndToEndFixture, token: IssuedToken) {
        let fixture = try await EndToEndFixture(service, git: git, app: service.refreshingApp(interval: 1))
        let token = fixture.server.issueToken(for: "monalisa", app: fixture.app)
        fixture.server.expireAccessTokens()
        try await fixture.remember(token, expiringIn: -10)
        return (fixture, token)
    }

    @Test(
        "renews an expired token once without output, and replaces the old pair", arguments: Git.all,
        Service.allCases)
    func expired(git: Git, service: Service) async throws {
        let (fixture, old) = try await fixture(service, git: git)
        for _ in 1...2 {
            let answer = try await fixture.git("ls-remote", fixture.address())
            #expect(answer.status == 0 && answer.errors.isEmpty, "\(answer.errors)")
        }
        #expect(fixture.server.count(of: .refresh) == 1)
        let new = try #require(fixture.server.tokens.last)
        let items = try await fixture.session.items()
        #expect(items.map(\.password) == [new.accessToken] && new.accessToken != old.accessToken)
        #expect(items.first?["oauth_refresh_token"] == new.refreshToken)
        let expiry = try #require(items.first?["password_expiry_utc"].flatMap(Double.init))
        // The expiry has whole seconds from the time of the answer.
        #expect((-1...60).contains(expiry - (new.accessExpiry ?? 0)))
    }

    @Test("starts a sign-in after a dead refresh token if a person is at hand")
    func deadWithPerson() async throws {
        let (fixture, token) = try await fixture(.gitHub, git: .system)
        fixture.server.revoke(token.refreshToken ?? "")
        let item = try await fixture.signIn()
        #expect(item.password == fixture.server.tokens.last?.accessToken)
        #expect(try await fixture.session.items().count == 1)
        #expect(fixture.server.refreshTokenReuses == 0)
    }
}
