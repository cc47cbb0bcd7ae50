import Staging
import Testing

/// The stand-in is the git server, and glewlwyd, a real provider, issues its tokens.
///
/// The tests run one after another: with two requests at a time, glewlwyd over SQLite mixes up their rows and returns a
/// server error ("FOREIGN KEY constraint failed" in its log).
@Suite("Sign-in at a real OpenID provider", .serialized)
struct OpenIDTests {
    @Test(
        "clones after a sign-in, renews without output, and sends each server only its own tokens",
        arguments: OpenIDFixture.Client.allCases)
    fileprivate func signIn(client: OpenIDFixture.Client) async throws {
        guard let open = try await OpenIDFixture(client) else { return }
        let fixture = open.fixture
        let (end, terminal) = try await open.signIn(["clone", "--quiet", open.repository, "clone"])
        #expect(end.status == 0, "\(terminal.text)")
        #expect(terminal.text.contains("Signed in as octocat"), "\(terminal.text)")
        #expect(terminal.text.contains("\(open.provider.issuer())/device\n"), "\(terminal.text)")
        let item = try #require(try await fixture.session.items().first)
        #expect(item.attributes["user"] == "octocat" && item["gitspace_issuer"] == open.provider.issuer())
        #expect(item["gitspace_client_id"] == client.rawValue)
        let refreshToken = try #require(item["oauth_refresh_token"])

        try await fixture.session.age()
        try await fixture.git("ls-remote", open.repository).succeeded(silently: true)
        let renewed = try #require(try await fixture.session.items().first)
        #expect(renewed.password != item.password && renewed["oauth_refresh_token"] != refreshToken)

        // The git host has received access tokens, and no other secret of the issuer's.
        for (_, request) in fixture.github.requests {
            let password = request.basicCredentials?.password
            #expect(password == nil || password == item.password || password == renewed.password)
        }
        #expect(fixture.github.requests.allSatisfy { $0.request.path.contains("/acme/open") })
        #expect(try await !open.log(about: client.rawValue).isEmpty)
    }

    @Test("reports a refresh token that was used before in one line")
    func reuse() async throws {
        guard let open = try await OpenIDFixture(.assertion) else { return }
        let fixture = open.fixture
        #expect(try await open.signIn().end.status == 0)
        let old = try #require(try await fixture.session.items().first)
        try await fixture.session.age()
        #expect(try await fixture.git("ls-remote", open.repository).status == 0)
        try await fixture.session.put(old)
        let forced = try await fixture.gitspace("refresh", fixture.host)
        #expect(forced.status == 1)
        #expect(forced.errors.hasPrefix("gitspace: error: your sign-in to \(fixture.host) has ended (invalid_grant)\n"))
        let item = try #require(try await fixture.session.items().first)
        #expect(item["oauth_refresh_token"] == nil)
    }

    @Test("logout --revoke revokes both tokens at the issuer", arguments: [OpenIDFixture.Client.assertion, .secret])
    fileprivate func revocation(client: OpenIDFixture.Client) async throws {
        guard let open = try await OpenIDFixture(client) else { return }
        let fixture = open.fixture
        #expect(try await open.signIn().end.status == 0)
        let item = try #require(try await fixture.session.items().first)
        #expect(try await open.provider.tell("userinfo \(item.password)") == "octocat")
        let status = try await fixture.gitspace("status", fixture.host)
        #expect(status.output.contains("octocat"), "\(status.output)")
        try await fixture.gitspace("logout", fixture.host, "--revoke").succeeded()
        #expect(try await fixture.session.items().isEmpty)
        #expect(try await open.provider.tell("userinfo \(item.password)") == "")
        // Stored again, the token is known as revoked, and its refresh token is dead too.
        try await fixture.session.put(item)
        let revoked = try await fixture.gitspace("status", fixture.host, "--json")
        #expect(revoked.output.contains(#""state":"revoked""#) || revoked.output.contains(#""state": "revoked""#))
        let refresh = try await fixture.gitspace("refresh", fixture.host)
        #expect(refresh.status == 1 && refresh.errors.contains("invalid_grant"), "\(refresh.errors)")
    }

    @Test("logout --revoke keeps and reports a token that the issuer does not revoke")
    func notRevoked() async throws {
        // glewlwyd requires authentication, which a public client cannot give.
        guard let open = try await OpenIDFixture(.publicClient) else { return }
        #expect(try await open.signIn().end.status == 0)
        let before = try await open.fixture.session.items()
        let logout = try await open.fixture.gitspace("logout", open.fixture.host, "--revoke")
        #expect(logout.status == 1 && logout.errors.contains("status 401"), "\(logout.errors)")
        #expect(try await open.fixture.session.items() == before)
    }

    @Test("ends the sign-in after the person declines")
    func denied() async throws {
        guard let open = try await OpenIDFixture(.publicClient) else { return }
        let (end, terminal) = try await open.signIn(as: "denier")
        let text = terminal.text
        #expect(end.status != 0 && text.contains("the sign-in was declined in the browser"), "\(text)")
        #expect(try await open.fixture.session.items().isEmpty)
    }

    @Test("replaces an expired code, three at most")
    func expired() async throws {
        guard let open = try await OpenIDFixture(.publicClient, plugin: "oidcshort") else { return }
        let terminal = try PseudoTerminal(columns: 200)
        #expect(try await open.fixture.git("ls-remote", open.repository, on: terminal).status != 0)
        #expect(terminal.text.contains("The code expired; here is a new one."))
        #expect(terminal.text.contains("the code expired before it was approved"), "\(terminal.text)")
    }

    @Test("fetches keys again that change during a sign-in")
    func rotation() async throws {
        guard let open = try await OpenIDFixture(.publicClient, plugin: "oidcrs") else { return }
        let (end, terminal) = try await open.signIn(plugin: "oidcrs") { try await open.provider.tell("rotate oidcrs") }
        #expect(end.status == 0 && terminal.text.contains("Signed in as octocat"), "\(terminal.text)")
    }

    @Test("sends nothing to an issuer with another name, and doctor explains why")
    func wrongIssuer() async throws {
        guard let provider = try await OpenIDServer.running() else { return }
        let other = provider.issuer().replacing("localhost", with: "127.0.0.1")
        guard let open = try await OpenIDFixture(.assertion, issuer: other) else { return }
        let terminal = try PseudoTerminal(columns: 200)
        let end = try await open.fixture.git("ls-remote", open.repository, on: terminal)
        let said = "\(other) identifies itself as another issuer: \(provider.issuer())"
        #expect(end.status != 0 && terminal.text.contains(said), "\(terminal.text)")
        #expect(try await open.fixture.session.items().isEmpty)
        let doctor = try await open.fixture.gitspace("doctor")
        #expect(doctor.output.contains("[FAIL] \(said)"), "\(doctor.output)")
    }

    @Test("check and doctor recognize the host and its issuer")
    func check() async throws {
        guard let open = try await OpenIDFixture(.assertion) else { return }
        let fixture = open.fixture
        #expect(try await open.signIn().end.status == 0)
        try await fixture.gitspace("check", open.repository).succeeded()
        #expect(try await fixture.gitspace("check", fixture.address("acme/none")).status == 1)
        let doctor = try await fixture.gitspace("doctor", "--verbose")
        #expect(doctor.output.contains("[ OK ] \(open.provider.issuer()) issues the tokens"), "\(doctor.output)")
    }
}
