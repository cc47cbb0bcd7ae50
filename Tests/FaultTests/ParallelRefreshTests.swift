import Glibc
import Staging
import StandIn
import Testing

/// Many processes that find the same expired token.
@Suite("Many at once, with an expired token")
struct ParallelRefreshTests {
    /// Thirty-two `get` at once.
    private static let crowd = 32

    @Test("thirty-two renew it once and have the same answer")
    func once() async throws {
        let rotation = try await expired()
        let programs = try (1...Self.crowd).map { _ in try rotation.stage.startHelper("get") }
        var answers: Set<String> = []
        for program in programs { answers.insert(try await program.ended().output) }
        let new = try #require(rotation.stage.github.tokens.last)
        #expect(answers.count == 1 && answers.first?.contains("password=\(new.accessToken)\n") == true)
        #expect(rotation.stage.github.count(of: .refresh) == 1 && rotation.stage.github.refreshTokenReuses == 0)
        #expect(try await rotation.stage.session.items().map(\.password) == [new.accessToken])
    }

    @Test("other accounts and other hosts do not wait for one whose server is silent")
    func independent() async throws {
        let stage = try await Stage(
            app: .gitHubApp(interval: 1), settings: "[credential \"https://ghe.test\"]\nprovider = github")
        let other = stage.github.issueToken(for: "bob", app: stage.app)
        for login in ["monalisa", "octocat"] {
            try await stage.remember(stage.github.issueToken(for: login, app: stage.app), expiringIn: -10)
        }
        let elsewhere = """
            protocol=https
            host=ghe.test
            username=bob
            password=\(other.accessToken)
            password_expiry_utc=1
            oauth_refresh_token=\(other.refreshToken ?? "")

            """
        _ = try await stage.session.run([BuiltFiles.helper, "store"], input: elsewhere)

        stage.github.answer(.refresh, with: .silence)
        let stuck = try stage.startHelper("get", ["username=monalisa"])
        try await stage.github.waitForRequests(1, to: .refresh)
        #expect(try await stage.helper("get", "username=octocat").output.contains("password=ghu_"))
        let client = ["GITSPACE_CLIENT_ID": stage.app.clientID]
        let get = "protocol=https\nhost=ghe.test\n"
        let answer = try await stage.start([BuiltFiles.helper, "get"], environment: client, input: get).ended()
        #expect(answer.output.contains("username=bob\n"), "\(answer.errors)")
        #expect(stuck.isRunning)
    }

    @Test("after the leader was killed the next one goes on at once")
    func leaderKilled() async throws {
        let rotation = try await expired()
        // Read, and neither carried out nor answered: the token is still good.
        rotation.stage.github.answer(.refresh, with: .silence)
        let leader = try rotation.stage.startHelper("get")
        try await rotation.stage.github.waitForRequests(1, to: .refresh)
        let next = try rotation.stage.startHelper("get", environment: ["GITSPACE_TRACE": "1"])
        // What it says of the old pair, it says just before it wants the lock.
        try await eventually("the next one at the lock") { next.errorText.contains("renewable") ? true : nil }
        let killed = ContinuousClock.now
        leader.signal(SIGKILL)
        let answer = try await next.ended()
        print("leader of a refresh killed: the next one had its answer after \(ContinuousClock.now - killed)")
        #expect(answer.output.contains("password=ghu_"), "\(answer.errors)")
        #expect(rotation.stage.github.count(of: .refresh) == 2)
    }

    /// A pair that has expired, and whose successor lasts for hours.
    private func expired() async throws -> (stage: Stage, old: IssuedToken) {
        let stage = try await Stage(app: .gitHubApp(interval: 1))
        let old = stage.github.issueToken(for: "monalisa", app: stage.app)
        try await stage.remember(old, expiringIn: -10)
        return (stage, old)
    }
}
