import Staging
import StandIn
import Testing

/// What the server's refusals of a git command do to the stored token.
@Suite("Refusals")
struct RefusalTests {
    @Test("a push without the right to push (403) leaves the token alone", arguments: Git.all)
    func forbidden(git: Git) async throws {
        let stage = try await Stage(git: git)
        try stage.github.createRepository("acme/readonly", readers: ["monalisa"])
        try await stage.remember(stage.github.issueToken(for: "monalisa", app: stage.app))
        let before = try await stage.session.items()
        let clone = try await stage.git("clone", "--quiet", stage.address("acme/readonly"))
        #expect(clone.status == 0, "\(clone.errors)")
        let push = try await stage.git(
            "push", stage.address("acme/readonly"), "HEAD:refs/heads/other", in: stage.session.home + "/readonly")
        #expect(push.status != 0 && push.errors.contains("403"), "\(push.errors)")
        #expect(try await stage.session.items() == before)
    }

    @Test("a repository that the account does not reach (404) leaves a token just obtained alone", arguments: Git.all)
    func notFound(git: Git) async throws {
        let stage = try await Stage(git: git)
        try stage.github.createRepository("acme/hidden", readers: ["somebody-else"])
        stage.github.nextSignIn(.approve(as: "monalisa"))
        let terminal = try PseudoTerminal()
        let clone = try await stage.git("clone", stage.address("acme/hidden"), on: terminal)
        #expect(clone.status == 128 && terminal.text.contains("not found"), "\(terminal.text)")
        #expect(try await stage.session.items().map(\.password) == stage.github.tokens.map(\.accessToken))
        let next = try await stage.git("ls-remote", stage.address())
        #expect(next.status == 0 && next.errors.isEmpty, "\(next.errors)")
    }

    @Test("a revoked token (401) is forgotten, and the next command signs in", arguments: Git.all)
    func revoked(git: Git) async throws {
        let stage = try await Stage(git: git)
        let token = stage.github.issueToken(for: "monalisa", app: stage.app)
        try await stage.remember(token)
        stage.github.revoke(token.accessToken)
        let failed = try await stage.git("ls-remote", stage.address())
        #expect(failed.status == 128 && failed.errors.contains("Authentication failed"), "\(failed.errors)")
        #expect(try await stage.session.items().isEmpty)
        try await stage.signIn()
    }

    @Test("a revoked token (401) with a refresh token is renewed if git says whose it was", arguments: Git.all)
    func revokedPair(git: Git) async throws {
        let stage = try await Stage(git: git, app: .gitHubApp(interval: 1))
        let item = try await stage.signIn()
        stage.github.revoke(item.password)
        let failed = try await stage.git("ls-remote", stage.address())
        #expect(failed.status == 128 && failed.errors.contains("Authentication failed"), "\(failed.errors)")
        let left = try await stage.session.items()
        if git.knowsState {
            #expect(left.map(\.password) == [""])
            #expect(left.first?["oauth_refresh_token"] == item["oauth_refresh_token"])
            let next = try await stage.git("ls-remote", stage.address())
            #expect(next.status == 0 && next.errors.isEmpty, "\(next.errors)")
            #expect(stage.github.count(of: .refresh) == 1)
        } else {
            #expect(left.isEmpty)
            try await stage.signIn()
        }
    }
}
