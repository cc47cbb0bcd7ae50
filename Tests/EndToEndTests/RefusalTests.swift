import Staging
import Testing

@Suite("Refusals")
struct RefusalTests {
    @Test("keeps the token after a push without permission (403, at Gitea 404)", arguments: Git.all, Service.allCases)
    func forbidden(git: Git, service: Service) async throws {
        let fixture = try await EndToEndFixture(service, git: git)
        try fixture.server.createRepository("acme/readonly", readers: ["monalisa"])
        try await fixture.signedIn("monalisa")
        let before = try await fixture.session.items()
        try await fixture.git("clone", "--quiet", fixture.address("acme/readonly")).succeeded()
        let push = try await fixture.git(
            "push", fixture.address("acme/readonly"), "HEAD:refs/heads/other", in: fixture.session.home + "/readonly")
        #expect(push.status != 0 && push.errors.contains(service == .gitea ? "not found" : "403"), "\(push.errors)")
        #expect(try await fixture.session.items() == before)
    }

    @Test("keeps a new token after a repository was not found (404)", arguments: Git.all, Service.withDeviceFlow)
    func notFound(git: Git, service: Service) async throws {
        let fixture = try await EndToEndFixture(service, git: git)
        try fixture.server.createRepository("acme/hidden", readers: ["somebody-else"])
        fixture.server.nextSignIn(.approve(as: "monalisa"))
        let terminal = try PseudoTerminal()
        let clone = try await fixture.git("clone", fixture.address("acme/hidden"), on: terminal)
        #expect(clone.status == 128 && terminal.text.contains("not found"), "\(terminal.text)")
        #expect(try await fixture.session.items().map(\.password) == fixture.server.tokens.map(\.accessToken))
        try await fixture.git("ls-remote", fixture.address()).succeeded(silently: true)
    }

    @Test("removes a revoked token (401), and the next command signs in", arguments: Git.all)
    func revoked(git: Git) async throws {
        let fixture = try await EndToEndFixture(git: git)
        let token = try await fixture.signedIn("monalisa")
        fixture.server.revoke(token.accessToken)
        let terminal = try PseudoTerminal(columns: 200)
        let failed = try await fixture.git("ls-remote", fixture.address(), on: terminal)
        let told = "gitspace: \(fixture.host) rejected the token of monalisa, so it was removed."
        #expect(failed.status == 128 && terminal.screen.contains(told), "\(terminal.screen)")
        #expect(terminal.screen.contains("Authentication failed"), "\(terminal.screen)")
        #expect(try await fixture.session.items().isEmpty)
        try await fixture.signIn()
    }

    @Test(
        "refreshes a revoked token (401) in the next command if it has a refresh token", arguments: Git.all,
        Service.withDeviceFlow)
    func revokedPair(git: Git, service: Service) async throws {
        let fixture = try await EndToEndFixture(service, git: git, app: service.refreshingApp(interval: 1))
        let item = try await fixture.signIn()
        fixture.server.revoke(item.password)
        let terminal = try PseudoTerminal(columns: 200)
        let failed = try await fixture.git("ls-remote", fixture.address(), on: terminal)
        #expect(failed.status == 128, "\(terminal.screen)")
        #expect(terminal.screen.contains("Run the command again to refresh it."), "\(terminal.screen)")
        let left = try await fixture.session.items()
        #expect(left.map(\.password) == [""])
        #expect(left.first?["oauth_refresh_token"] == item["oauth_refresh_token"])
        try await fixture.git("ls-remote", fixture.address()).succeeded(silently: true)
        #expect(fixture.server.count(of: .refresh) == 1)
    }
}

/// Expiring tokens, a GitHub App's after eight hours and GitLab's after two, and their one-time refresh tokens.
@Suite("Refresh")
struct RefreshTests {
    @Test("renews an expired token once without output and replaces the old pair", arguments: Git.all, Service.allCases)
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

    @Test("login requests a short-lived token of an OAuth app, status shows its expiry, and git refreshes it silently")
    func shortLived() async throws {
        var app = App.oauthApp(interval: 1)
        app.shortLived = App.TokenLifetime()
        let fixture = try await EndToEndFixture(app: app, settings: "gitspaceShortLived = true")
        fixture.server.everySignIn(.approve(as: "monalisa"))
        try await fixture.gitspace("login", fixture.host, on: PseudoTerminal(columns: 200)).succeeded()
        let scopes = fixture.server.requests(to: .deviceCode).map { $0.form["scope"] }
        #expect(scopes == ["repo workflow gist offline_access"])
        let status = try await fixture.gitspace("status", fixture.host)
        #expect(status.output.contains(", then refreshed automatically\n"), "\(status.output)")
        try await fixture.session.age(expiringIn: -10)
        try await fixture.git("ls-remote", fixture.address()).succeeded(silently: true)
        #expect(fixture.server.count(of: .refresh) == 1)
    }
}

@Suite("Rejections by persons and programs")
struct RejectTests {
    private func fixture(git: Git = .system) async throws -> EndToEndFixture {
        let fixture = try await EndToEndFixture(git: git)
        for login in ["monalisa", "bob"] { try await fixture.signedIn(login) }
        return fixture
    }

    /// Writes a program that runs the body, under the name of a real one.
    private func program(_ fixture: EndToEndFixture, named name: String = "gh", body: String) async throws -> String {
        let path = fixture.session.home + "/bin/" + name
        try await fixture.session.write(
            program: path,
            """
            #!/usr/bin/python3
            import subprocess
            request = b"protocol=https\\nhost=\(fixture.host)\\n\\n"
            \(body)
            """)
        return path
    }

    @Test(
        "keeps every sign-in if a program rejects, and shows at a terminal how to sign out", arguments: Git.all,
        [
            "subprocess.run(['git', 'credential', 'reject'], input=request)",
            "subprocess.run(['sh', '-c', 'git credential reject; exit 0'], input=request)",
            "subprocess.run(['bash', '-eo', 'pipefail', '-c', 'git credential reject; exit 0'], input=request)",
        ])
    func program(git: Git, body: String) async throws {
        let fixture = try await fixture(git: git)
        let terminal = try PseudoTerminal(columns: 200)
        let end = try await fixture.start([program(fixture, body: body)], on: terminal).ended()
        #expect(end.status == 0 && terminal.text.contains("which was kept. To sign out: "), "\(terminal.text)")
        #expect(terminal.text.contains("git credential-gitspace logout \(fixture.host) --all"), "\(terminal.text)")
        #expect(try await fixture.session.items().count == 2)
    }

    @Test("removes the sign-ins if a script, a typed line or an alias rejects, whoever starts it", arguments: Git.all)
    func person(git: Git) async throws {
        let command = "printf 'protocol=https\\nhost=HOST\\n\\n' | git credential reject; exit 0"
        for starter in ["script", "program", "sh", "bash", "alias", "helper"] {
            let fixture = try await fixture(git: git)
            let line = command.replacing("HOST", with: fixture.host)
            let script = fixture.session.home + "/bin/leave"
            try await fixture.session.write(program: script, "#!/bin/sh\n\(line)")
            let arguments: [String]
            switch starter {
            case "script": arguments = [script]
            case "program": arguments = [try await program(fixture, body: "subprocess.run(['\(script)'])")]
            // The shell leads a session here, as one of ssh, cron or a terminal does.
            case "sh": arguments = ["sh", "-c", line]
            case "bash": arguments = ["bash", "-c", "bash -c \"$0\"; exit 0", line]
            case "alias": arguments = ["sh", "-c", "git -c alias.leave='!\(script)' leave; exit 0"]
            default:
                let erase = line.replacing("git credential reject", with: BuiltFiles.helper + " erase")
                arguments = ["sh", "-c", erase]
            }
            let terminal = try PseudoTerminal(columns: 200)
            _ = try await fixture.start(arguments, on: terminal).ended()
            #expect(terminal.text.hasPrefix("Signed out of \(fixture.host): removed "), "\(starter): \(terminal.text)")
            #expect(try await fixture.session.items().isEmpty, "\(starter)")
        }
    }

    /// The body of a program that rejects the credential that git has filled in.
    private static let rejection = """
        filled = subprocess.run(['git', 'credential', 'fill'], input=request, stdout=subprocess.PIPE).stdout
        subprocess.run(['git', 'credential', 'reject'], input=filled + b"\\n")
        """

    @Test("keeps our token if a program rejects it after a 404 (git-annex)", arguments: Git.all)
    func annex(git: Git) async throws {
        let fixture = try await EndToEndFixture(git: git, app: Service.gitHub.refreshingApp(interval: 1))
        let item = try await fixture.signIn()
        let program = try await program(fixture, named: "git-annex", body: Self.rejection)
        for _ in 1...3 { #expect(try await fixture.start([program]).ended().status == 0) }
        #expect(try await fixture.session.items().map(\.password) == [item.password])
        #expect(fixture.server.count(of: .refresh) == 0)
    }

    @Test("removes a token that Git LFS rejects, keeps its refresh token, with any version of git", arguments: Git.all)
    func lfs(git: Git) async throws {
        let fixture = try await EndToEndFixture(git: git, app: Service.gitHub.refreshingApp(interval: 1))
        let item = try await fixture.signIn()
        let program = try await program(fixture, body: Self.rejection)
        // The process is recognized by its name git-lfs.
        _ = try await fixture.start(["bash", "-c", "exec -a git-lfs /usr/bin/python3 \(program)"]).ended()
        let left = try await fixture.session.items()
        #expect(left.map(\.password) == [""])
        #expect(left.first?["oauth_refresh_token"] == item["oauth_refresh_token"])
    }
}
