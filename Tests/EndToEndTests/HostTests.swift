import Staging
import Testing

@Suite("Hosts")
struct HostTests {
    @Test("uses an enterprise's own client and API in GitHub's cloud", .serialized, arguments: Git.all)
    func enterpriseCloud(git: Git) async throws {
        let app = App.oauthApp(clientID: "Ov23liOfOctoAlone", interval: 1)
        let fixture = try await EndToEndFixture(git: git, host: "octo.ghe.com", app: app)
        let item = try await fixture.signIn()
        #expect(item.attributes["server"] == "octo.ghe.com")
        #expect(fixture.github.requests(to: .deviceCode).map { $0.form["client_id"] } == [app.clientID])
        #expect(Set(fixture.github.tunnels) == ["octo.ghe.com:443", "api.octo.ghe.com:443"])
    }

    @Test("reads proxy and certificates from git's variables and from its configuration")
    func network() async throws {
        let fixture = try await EndToEndFixture()
        for name in ["http.proxy", "http.sslCAInfo"] {
            _ = try await fixture.git("config", "--global", "--unset", name)
        }
        fixture.github.nextSignIn(.approve(as: "monalisa"))
        let terminal = try PseudoTerminal()
        try await fixture.git("ls-remote", fixture.address(), environment: fixture.github.environment, on: terminal)
            .succeeded()
        #expect(Set(fixture.github.tunnels) == [fixture.host])
    }

    @Test("looks up a proxy's password as git does, and reports a missing or wrong one")
    func proxyPassword() async throws {
        let fixture = try await EndToEndFixture(app: Service.gitHub.refreshingApp(interval: 1))
        let token = fixture.github.issueToken(for: "monalisa", app: fixture.app)
        fixture.github.expireAccessTokens()
        try await fixture.remember(token, expiringIn: -10)
        let proxy = fixture.github.proxyAddress.replacing("://", with: "://mona@")
        _ = try await fixture.git("config", "--global", "http.proxy", proxy)
        // mona:secret
        fixture.github.closeProxy(but: "Basic bW9uYTpzZWNyZXQ=")
        let hint =
            "printf 'url=%s\\n' \(proxy) | git -c credential.helper=gitspace credential fill"
            + " | git -c credential.helper=gitspace credential approve\n"
        let missing = try await fixture.helper("get")
        #expect(missing.errors.contains("the proxy wants a password, and none is stored"), "\(missing.errors)")
        #expect(missing.errors.contains(hint))
        _ = try await fixture.git("credential", "approve", input: "url=\(proxy)\npassword=wrong\n")
        let wrong = try await fixture.helper("get")
        #expect(wrong.errors.contains("the proxy does not accept the stored password"), "\(wrong.errors)")
        #expect(fixture.github.count(of: .refresh) == 0)
        _ = try await fixture.git("credential", "approve", input: "url=\(proxy)\npassword=secret\n")
        try await fixture.git("ls-remote", fixture.address()).succeeded(silently: true)
        #expect(fixture.github.count(of: .refresh) == 1)
    }

    @Test(
        "prints an invalid host as it was typed, with a command that works",
        arguments: [
            (["login", "git hub.com"], "this is not a valid host: git hub.com", "login github.com"),
            (
                ["setup", "http://github.com"], "gitspace only works over https: http://github.com",
                "setup https://github.com"
            ),
        ])
    func noHost(arguments: [String], error: String, command: String) async throws {
        let session = try await Session(.noBus)
        let end = try await session.run([BuiltFiles.helper] + arguments)
        #expect(end.status == 1 && end.errors.hasPrefix("gitspace: error: \(error)\n"), "\(end.errors)")
        #expect(end.errors.hasSuffix("hint:   git credential-gitspace \(command)\n"), "\(end.errors)")
    }
}
