import Staging
import Testing

@Suite("Refusals")
struct RefusalTests {
    @Test(
        "keeps the token after a push without the right to push (403, at Gitea 404)", arguments: Git.all,
        Service.allCases)
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

    @Test(
        "keeps a new token after a repository that the account does not reach (404)", arguments: Git.all,
        Service.withDeviceFlow)
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
