import Staging
import StandIn
import Testing

/// Tokens of a GitHub App, which last for eight hours and are renewed with a refresh token that is good for one use.
@Suite("Refresh")
struct RefreshTests {
    /// One where monalisa's token ends in some seconds, or ended some seconds ago.
    private func fixture(
        git: Git = .system, expiringIn seconds: Double
    ) async throws -> (fixture: EndToEndFixture, token: IssuedToken) {
        let fixture = try await EndToEndFixture(git: git, app: .gitHubApp(interval: 1))
        let token = fixture.github.issueToken(for: "monalisa", app: fixture.app)
        if seconds < 0 { fixture.github.expireAccessTokens() }
        try await fixture.remember(token, expiringIn: seconds)
        return (fixture, token)
    }

    @Test("an expired token is renewed once, in silence, and the new pair replaces the old one", arguments: Git.all)
    func expired(git: Git) async throws {
        let (fixture, old) = try await fixture(git: git, expiringIn: -10)
        for _ in 1...2 {
            let answer = try await fixture.git("ls-remote", fixture.address())
            #expect(answer.status == 0 && answer.errors.isEmpty, "\(answer.errors)")
        }
        #expect(fixture.github.count(of: .refresh) == 1)
        let new = try #require(fixture.github.tokens.last)
        let items = try await fixture.session.items()
        #expect(items.map(\.password) == [new.accessToken] && new.accessToken != old.accessToken)
        #expect(items.first?["oauth_refresh_token"] == new.refreshToken)
        let expiry = try #require(items.first?["password_expiry_utc"].flatMap(Double.init))
        #expect(abs(expiry - (new.accessExpiry ?? 0)) <= 2)
    }

    @Test("a refresh sends no client secret, and asks nobody else")
    func request() async throws {
        let (fixture, old) = try await fixture(expiringIn: -10)
        _ = try await fixture.git("ls-remote", fixture.address())
        #expect(
            fixture.github.requests(to: .refresh).map(\.form) == [
                [
                    "client_id": fixture.app.clientID, "grant_type": "refresh_token",
                    "refresh_token": old.refreshToken ?? "",
                ]
            ])
        #expect(fixture.github.count(of: .user) == 0)
    }

    @Test(
        "a token that lasts for less than five minutes, or for less than the person wants, is renewed",
        arguments: [(290.0, nil, 1), (600, nil, 0), (290, "10", 0), (600, "1h", 1)] as [(Double, String?, Int)])
    func margin(seconds: Double, minValidity: String?, refreshes: Int) async throws {
        let (fixture, _) = try await fixture(expiringIn: seconds)
        let environment = minValidity.map { ["GITSPACE_MIN_VALIDITY": $0] } ?? [:]
        let answer = try await fixture.git("ls-remote", fixture.address(), environment: environment)
        #expect(answer.status == 0, "\(answer.errors)")
        #expect(fixture.github.count(of: .refresh) == refreshes)
    }

    @Test("a dead refresh token is one clear line where nobody is", arguments: Git.all)
    func deadWithoutPerson(git: Git) async throws {
        let (fixture, token) = try await fixture(git: git, expiringIn: -10)
        fixture.github.revoke(token.refreshToken ?? "")
        let answer = try await fixture.git("ls-remote", fixture.address())
        #expect(answer.status == 128)
        #expect(
            answer.errors.hasPrefix(
                """
                gitspace: error: GitHub no longer accepts the stored sign-in
                hint: sign in once in a terminal:
                hint:   git credential-gitspace login \(fixture.host)

                """), "\(answer.errors)")
        #expect(fixture.github.count(of: .deviceCode) == 0)
    }

    @Test("a dead refresh token leads to a sign-in where a person is", arguments: Git.all)
    func deadWithPerson(git: Git) async throws {
        let (fixture, token) = try await fixture(git: git, expiringIn: -10)
        fixture.github.revoke(token.refreshToken ?? "")
        let item = try await fixture.signIn()
        #expect(item.password == fixture.github.tokens.last?.accessToken)
        #expect(try await fixture.session.items().count == 1)
        #expect(fixture.github.refreshTokenReuses == 0)
    }

    @Test("a refresh token that the server refuses is tried once; its access token serves while it lives")
    func refused() async throws {
        let lifetime = App.TokenLifetime(access: 200)
        let fixture = try await EndToEndFixture(app: .gitHubApp(interval: 1, lifetime: lifetime))
        let item = try await fixture.signIn()
        fixture.github.revoke(item["oauth_refresh_token"] ?? "")
        for _ in 1...2 {
            let answer = try await fixture.git("ls-remote", fixture.address())
            #expect(answer.status == 0 && answer.errors.isEmpty, "\(answer.errors)")
        }
        #expect(fixture.github.count(of: .refresh) == 1)
        let items = try await fixture.session.items()
        #expect(items.map(\.password) == [item.password])
        #expect(items.first?["oauth_refresh_token"] == nil)
    }

    @Test("a server in trouble costs nothing: the token serves while it lives, and the keyring stays as it is")
    func serverInTrouble() async throws {
        let (fixture, token) = try await fixture(expiringIn: 100)
        fixture.github.answer(.refresh, with: .status(500))
        let before = try await fixture.session.items()
        let answer = try await fixture.helper("get")
        #expect(answer.output.contains("password=\(token.accessToken)\n") && answer.errors.isEmpty)
        #expect(fixture.github.count(of: .refresh) == 1)
        #expect(try await fixture.session.items() == before)
    }

    @Test("a server in trouble costs nothing: an expired token is kept for later, and one line says so")
    func serverInTroubleAndExpired() async throws {
        let (fixture, _) = try await fixture(expiringIn: -10)
        fixture.github.answer(.refresh, with: .status(500))
        let before = try await fixture.session.items()
        let failed = try await fixture.git("ls-remote", fixture.address())
        #expect(
            failed.errors.hasPrefix(
                """
                gitspace: error: \(fixture.host) cannot renew the token just now (status 500); the stored token was kept
                hint: try again in a few minutes

                """), "\(failed.errors)")
        #expect(failed.status == 128)
        #expect(try await fixture.session.items() == before)
        #expect(try await fixture.git("ls-remote", fixture.address()).status == 0)
    }

    @Test("a server that cannot be reached costs nothing either", arguments: [100.0, -10])
    func offline(seconds: Double) async throws {
        let (fixture, token) = try await fixture(expiringIn: seconds)
        let before = try await fixture.session.items()
        await fixture.github.stop()
        // Without the proxy, which is gone as well: nobody listens at the server's port.
        let environment = [
            "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "http.proxy", "GIT_CONFIG_VALUE_0": "",
        ]
        let answer = try await fixture.helper("get", environment: environment)
        if seconds > 0 {
            #expect(answer.output.contains("password=\(token.accessToken)\n") && answer.errors.isEmpty)
        } else {
            #expect(answer.output == "quit=1\n")
            #expect(
                answer.errors.hasPrefix(
                    "gitspace: error: cannot reach \(fixture.host); the stored token was kept\n"), "\(answer.errors)")
        }
        #expect(try await fixture.session.items() == before)
    }
}
