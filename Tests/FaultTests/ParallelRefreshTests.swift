import Staging
import Testing

@Suite("Parallel processes with an expired token")
struct ParallelRefreshTests {
    /// Runs thirty-two `get` at once.
    private static let crowd = 32

    @Test("refreshes once for thirty-two processes, which all get the same answer")
    func once() async throws {
        let fixture = try await expired()
        let programs = try (1...Self.crowd).map { _ in try fixture.startHelper("get") }
        var answers: [RunningProgram.End] = []
        for program in programs { answers.append(try await program.ended()) }
        let new = try #require(fixture.server.tokens.last)
        for answer in answers {
            #expect(
                answer.output == answers[0].output && answer.output.contains("password=\(new.accessToken)\n"),
                "\(answer.status) after \(answer.duration): \(answer.errors)")
        }
        #expect(fixture.server.count(of: .refresh) == 1 && fixture.server.refreshTokenReuses == 0)
        #expect(try await fixture.session.items().map(\.password) == [new.accessToken])
    }

    @Test("refreshes a short-lived token once for six processes, whose answers stay valid", arguments: Service.allCases)
    func shortLife(service: Service) async throws {
        let fixture = try await EndToEndFixture(service, app: service.refreshingApp(interval: 1, lifetime: 290))
        try await fixture.signedIn("monalisa", expiringIn: -10)
        let programs = try (1...6).map { _ in try fixture.startHelper("get") }
        var answers: [String] = []
        for program in programs { answers.append(try await program.ended().output) }
        #expect(fixture.server.count(of: .refresh) == 1)
        for answer in answers {
            let password = answer.split(separator: "\n").first { $0.hasPrefix("password=") }?.dropFirst(9)
            #expect(fixture.server.isLive(String(password ?? "")), "\(answer)")
        }
        #expect(try await fixture.helper("get").output == answers[0] && fixture.server.count(of: .refresh) == 1)
    }

    @Test("delays no other account and no other host while a server is silent")
    func independent() async throws {
        let host = "ghe.test"
        let fixture = try await EndToEndFixture(
            app: .gitHubApp(interval: 1), settings: "[credential \"https://\(host)\"]\nprovider = github")
        let other = fixture.server.issueToken(for: "bob", app: fixture.app)
        for login in ["monalisa", "octocat"] { try await fixture.signedIn(login, expiringIn: -10) }
        let elsewhere = """
            protocol=https
            host=\(host)
            username=bob
            password=\(other.accessToken)
            password_expiry_utc=1
            oauth_refresh_token=\(other.refreshToken ?? "")

            """
        _ = try await fixture.session.run([BuiltFiles.helper, "store"], input: elsewhere)

        fixture.server.answer(.refresh, with: .silence)
        let stuck = try fixture.startHelper("get", ["username=monalisa"])
        try await fixture.server.waitForRequests(1, to: .refresh)
        // Stop it; otherwise it gives up after fifteen seconds, and the waiting processes continue.
        stuck.signal(SIGSTOP)
        #expect(try await fixture.helper("get", "username=octocat").output.contains("password="))
        let client = ["GITSPACE_CLIENT_ID": fixture.app.clientID]
        let get = "protocol=https\nhost=\(host)\n"
        let answer = try await fixture.gitspace("get", environment: client, input: get)
        #expect(answer.output.contains("username=bob\n"), "\(answer.errors)")
        #expect(stuck.isRunning)
    }

    @Test("lets the next process refresh at once after the leader was killed")
    func leaderKilled() async throws {
        let fixture = try await expired()
        // The server reads the request, and neither carries it out nor answers: the token is still valid.
        fixture.server.answer(.refresh, with: .silence)
        let leader = try fixture.startHelper("get")
        try await fixture.server.waitForRequests(1, to: .refresh)
        let next = try fixture.startHelper("get", environment: ["GITSPACE_TRACE": "1"])
        // The trace line about the old pair comes just before the process takes the lock.
        try await eventually("the next one at the lock", by: next) { next.errorText.contains("renewable") }
        let killed = ContinuousClock.now
        leader.signal(SIGKILL)
        let answer = try await next.ended()
        print("leader of a refresh killed: the next one had its answer after \(ContinuousClock.now - killed)")
        #expect(answer.output.contains("password="), "\(answer.errors)")
        #expect(fixture.server.count(of: .refresh) == 2)
    }

    /// An expired pair whose successor is valid for hours.
    private func expired() async throws -> EndToEndFixture {
        let fixture = try await EndToEndFixture(app: .gitHubApp(interval: 1))
        try await fixture.signedIn("monalisa", expiringIn: -10)
        return fixture
    }
}
