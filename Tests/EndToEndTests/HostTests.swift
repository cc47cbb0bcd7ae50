import Staging
import Testing

@Suite("Hosts")
struct HostTests {
    @Test("uses an enterprise's own client and API in GitHub's cloud", .serialized, arguments: Git.all)
    func enterpriseCloud(git: Git) async throws {
        let app = App.oauthApp(clientID: "Ov23liOfOctoAlone", interval: 1)
        let fixture = try await EndToEndFixture(git: git, host: "octo.ghe.com", app: app)
        #expect(try await fixture.signIn().attributes["server"] == "octo.ghe.com")
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
            ("login", "git hub.com", "this is not a valid host", "github.com"),
            ("setup", "http://github.com", "gitspace only works over https", "https://github.com"),
        ])
    func noHost(verb: String, host: String, error: String, right: String) async throws {
        let end = try await Session(.noBus).run([BuiltFiles.helper, verb, host])
        #expect(end.status == 1 && end.errors.hasPrefix("gitspace: error: \(error): \(host)\n"), "\(end.errors)")
        #expect(end.errors.hasSuffix("hint:   git credential-gitspace \(verb) \(right)\n"), "\(end.errors)")
    }
}

/// Tests with the real git, a real terminal, and a server that answers as Bitbucket Cloud's documentation says.
@Suite("Bitbucket", .serialized)
struct BitbucketTests {
    /// A token longer than a terminal's line buffer.
    private static let token = "ATATT3x" + String(repeating: "Fg0=", count: 1_249)

    @Test("takes a pasted token of 5,000 characters, and git uses it with and without a name in the URL")
    func pasted() async throws {
        let fixture = try await EndToEndFixture(host: "bitbucket.org", settings: "[credential]\nhelper =")
        fixture.server.answerGitAsBitbucket()
        fixture.server.admitTokens { $0 == Self.token ? "monalisa" : nil }
        let terminal = try PseudoTerminal(columns: 200)
        let running = try fixture.start([BuiltFiles.helper, "setup", fixture.host], on: terminal)
        try await terminal.shows("to try the token with (Enter for none): ")
        terminal.type("https://monalisa@bitbucket.org/acme/private.git\n")
        try await terminal.type("mona@example.test\n", after: "not your e-mail address [monalisa]: ")
        try await terminal.type("\n", after: "an e-mail address is not a user name")
        try await terminal.shows("Token for bitbucket.org (not shown): ")
        terminal.type("wrong\u{15}" + Self.token + "x\u{7f}\n")
        let end = try await running.ended().succeeded()
        #expect(end.output.contains("bitbucket.org accepted the token for acme/private. Stored as monalisa.\n"))
        #expect(!terminal.text.contains("ATATT3x") && terminal.isCooked)
        #expect(try await fixture.session.items().map(\.password) == [Self.token])
        let named = try await fixture.passesNames() ? [fixture.address(user: "monalisa")] : []
        for address in [fixture.address()] + named {
            try await fixture.git("ls-remote", address).succeeded(silently: true)
        }
    }
}

@Suite("A GitLab of one's own, with a real git")
struct GitLabTests {
    @Test("clones, pushes, shows, refreshes and signs out for a project in groups of groups", arguments: Git.all)
    func wholeLife(git: Git) async throws {
        let fixture = try await EndToEndFixture(.gitLab, git: git)
        try fixture.server.createRepository("acme/tools/widgets", writers: ["monalisa"])
        let terminal = try PseudoTerminal()
        let clone = try fixture.startGit(["clone", fixture.address("acme/tools/widgets.git")], on: terminal)
        try await fixture.answer(on: terminal)
        #expect(try await clone.ended().status == 0, "\(terminal.text)")
        #expect(terminal.text.contains("git needs to sign in to GitLab (\(fixture.host))."))
        #expect(!terminal.text.contains("Hub"))
        let folder = fixture.session.home + "/widgets"
        _ = try await fixture.git("commit", "--quiet", "--allow-empty", "--message=Second commit", in: folder)
        try await fixture.git("push", "--quiet", in: folder).succeeded(silently: true)
        #expect(try fixture.server.git(["log", "-1", "--format=%s"], in: "acme/tools/widgets") == "Second commit\n")

        let status = try await fixture.gitspace("status", fixture.host)
        #expect(status.status == 0 && status.output.contains("read_repository"), "\(status.output)")
        #expect(fixture.server.count(of: .tokenInfo) == 1)
        let first = try #require(fixture.server.tokens.last)
        #expect(try await fixture.gitspace("refresh", fixture.host).status == 0)
        #expect(!fixture.server.isLive(first.accessToken) && fixture.server.refreshTokenReuses == 0)
        #expect(try await fixture.git("fetch", in: folder).status == 0)

        let logout = try await fixture.gitspace("logout", fixture.host, "--revoke")
        #expect(logout.status == 0 && !logout.output.contains("GitHub"), "\(logout.output)\(logout.errors)")
        #expect(try await fixture.session.items().isEmpty)
        #expect(fixture.server.tokens.allSatisfy { !fixture.server.isLive($0.accessToken) })
        #expect(
            fixture.server.requests(to: .revoke).map { $0.form["client_id"] } == [
                fixture.app.clientID, fixture.app.clientID,
            ])
        #expect(Set(fixture.server.tunnels) == [fixture.host])
    }

    @Test("check asks git's own protocol, because the sign-in cannot use the API")
    func check() async throws {
        let fixture = try await EndToEndFixture(.gitLab)
        try fixture.server.createRepository("acme/tools/widgets", readers: ["bob"], writers: ["monalisa"])
        func check() async throws -> RunningProgram.End {
            let end = try await fixture.gitspace("check", fixture.address("acme/tools/widgets"))
            #expect(!(end.output + end.errors).contains("GitHub"))
            for secret in fixture.server.issuedSecrets { #expect(!(end.output + end.errors).contains(secret)) }
            return end
        }
        try await fixture.signedIn("monalisa", expiringIn: 7_200)
        let writer = try await check()
        let page = "https://\(fixture.host)/acme/tools/widgets/-/branches"
        let rules = "protected branches and push rules apply as well; see them here:\n    \(page)\n"
        let rights = "  Read: yes\n  Push: yes\n  \(rules)"
        #expect(writer.output == "acme/tools/widgets on \(fixture.host), as monalisa\n" + rights)
        fixture.server.demandSingleSignOn(of: ["monalisa"], at: "acme/tools/widgets")
        let session = try await check()
        #expect(session.status == 1)
        #expect(session.errors.contains("https://\(fixture.host)/groups/acme/-/saml/sso?token="), "\(session.errors)")
        fixture.server.demandSingleSignOn(of: [], at: "acme/tools/widgets")
        fixture.server.archive("acme/tools/widgets")
        #expect(try await check().output.contains("Push: no"))
    }

    @Test("doctor checks the host by GitLab's own addresses")
    func doctor() async throws {
        let fixture = try await EndToEndFixture(.gitLab)
        let end = try await fixture.gitspace("doctor")
        #expect(fixture.server.count(of: .meta) == 1 && fixture.server.count(of: .unknown) == 0, "\(end.output)")
        #expect(!end.output.contains("GitHub"), "\(end.output)")
    }
}

@Suite("Gitea and Forgejo")
struct GiteaTests {
    private let browser = BrowserTests()

    /// A person on a desktop, whose browser signs in as monalisa.
    private func fixture(git: Git = .system) async throws -> EndToEndFixture {
        try await browser.fixture(.gitea, git: git, browser: #"show "$1&login=monalisa""#)
    }

    @Test("signs in by the browser for a first clone, renews the token, and pushes", arguments: Git.all)
    func mainJob(git: Git) async throws {
        let fixture = try await fixture(git: git)
        try await browser.begin(fixture, ["clone", fixture.address()]).git.ended().succeeded()
        let item = try #require(try await fixture.session.items().first)
        #expect(item.attributes["user"] == "monalisa" && item.password == fixture.server.tokens.first?.accessToken)
        #expect(fixture.server.tokens.first?.scopes == Service.gitea.scopes)
        #expect(fixture.server.count(of: .exchange) == 1 && fixture.server.completedSignIns == 1)
        #expect(try await browser.file("page", in: fixture).contains("monalisa"))

        try await fixture.session.age()
        let folder = fixture.session.home + "/private"
        _ = try await fixture.git("commit", "--quiet", "--allow-empty", "--message=Second commit", in: folder)
        try await fixture.git("push", "--quiet", in: folder).succeeded(silently: true)
        #expect(fixture.server.count(of: .refresh) == 1 && fixture.server.refreshTokenReuses == 0)
        let check = try await fixture.gitspace("check", in: folder)
        #expect(check.status == 0 && check.output.contains("Push: yes"), "\(check.output)\(check.errors)")
    }

    @Test("ends the sign-in after a spent refresh token, and signs in by the browser again")
    func spent() async throws {
        let fixture = try await fixture()
        try await browser.begin(fixture).git.ended().succeeded()
        try await fixture.session.age(expiringIn: -10)
        fixture.server.revoke(try #require(fixture.server.tokens.first?.refreshToken))
        try await browser.begin(fixture).git.ended().succeeded()
        #expect(fixture.server.completedSignIns == 2)
    }
}
