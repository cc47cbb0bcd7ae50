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
        let lines = [other.accessToken, "password_expiry_utc=1", "oauth_refresh_token=\(other.refreshToken ?? "")"]
        try await fixture.session.put(KeyringItem(host: host, login: "bob", lines: lines))

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
        leader.signal(SIGKILL)
        let answer = try await next.ended()
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

@Suite("Parallel processes without a token")
struct ParallelSignInTests {
    /// Runs thirty-two `get` at once; each writes its answer to a file of its own.
    private static let script = """
        printf 'protocol=https\\nhost=%s\\n' "$1" >request
        for n in $(seq 32); do "$0" get <request >answer.$n & done
        wait
        """

    /// Runs all processes for the same host, answers as the person, and collects the answers for git.
    private func crowd(_ fixture: EndToEndFixture, on terminal: PseudoTerminal, action: String) async throws -> [String]
    {
        let running = try fixture.start(["sh", "-c", Self.script, BuiltFiles.helper, fixture.host], on: terminal)
        // Wait for all of them: a late one would rightly ask again.
        try await eventually("thirty-one that wait: \(terminal.text)") { Self.waiting(on: terminal) == 31 }
        try await fixture.answer(on: terminal, with: action)
        _ = try await running.ended()
        return try (1...32).map { try String(contentsOfFile: fixture.session.home + "/answer.\($0)", encoding: .utf8) }
    }

    private static func waiting(on terminal: PseudoTerminal) -> Int {
        // Counts both forms of the waiting line: with the name of the other terminal, and without.
        terminal.screen.split(separator: "\n").count { $0.hasPrefix("Waiting for ") && $0.contains("sign-in") }
    }

    @Test("asks once for thirty-two processes, which all get the same answer", arguments: Service.withDeviceFlow)
    func approved(service: Service) async throws {
        let fixture = try await EndToEndFixture(service)
        let terminal = try PseudoTerminal()
        let answers = try await crowd(fixture, on: terminal, action: "approve")
        let token = try #require(fixture.server.tokens.last)
        #expect(
            Set(answers).count == 1 && answers[0].hasPrefix("username=monalisa\npassword=\(token.accessToken)\n"),
            "\(terminal.text)")
        #expect(fixture.server.count(of: .deviceCode) == 1 && fixture.server.tokens.count == 1)
        #expect(try await fixture.session.items().count == 1)
    }

    @Test("ends all thirty-two processes after one no, and tells git to stop asking")
    func declined() async throws {
        let fixture = try await EndToEndFixture()
        let terminal = try PseudoTerminal()
        #expect(Set(try await crowd(fixture, on: terminal, action: "deny")) == ["quit=1\n"])
        #expect(fixture.server.count(of: .deviceCode) == 1)
        #expect(terminal.text.split(separator: "\n").count { $0.contains("gitspace: error: ") } == 1)
        #expect(try await fixture.session.items().isEmpty)
    }

    @Test("lets the next process ask at once after the leader was killed")
    func leaderKilled() async throws {
        let fixture = try await EndToEndFixture()
        let (first, second) = (try PseudoTerminal(), try PseudoTerminal())
        let leader = try fixture.startHelper("get", on: first)
        try await first.shows("Waiting for you to approve")
        let next = try fixture.startHelper("get", on: second)
        try await second.shows("the sign-in in another terminal")
        // It shows the leader's code until it has one of its own.
        try await second.shows("Waiting for you to approve")
        leader.signal(SIGKILL)
        let code = try await eventually("a code of the next one: \(second.text)") {
            fixture.server.count(of: .deviceCode) == 2
                ? fixture.server.newestUserCode.flatMap { second.text.contains($0) ? $0 : nil } : nil
        }
        #expect(fixture.server.enter(userCode: code, approvingAs: "monalisa"))
        #expect(try await next.ended().output.contains("username=monalisa\n"))
    }

    @Test("delays no other account and no other host while a sign-in waits for its person")
    func independent() async throws {
        let fixture = try await EndToEndFixture(app: .gitHubApp(interval: 1))
        let (first, second) = (try PseudoTerminal(), try PseudoTerminal())
        let waiting = try fixture.startHelper("get", on: first)
        try await first.shows("Waiting for you to approve")
        let other = try fixture.startHelper("get", ["username=bob"], on: second)
        try await fixture.answer(on: second, as: "bob")
        #expect(try await other.ended().output.contains("username=bob\n"))
        #expect(waiting.isRunning)
    }
}

@Suite("Parallel stores of a first password")
struct ParallelStoreTests {
    /// The number of rounds: without the second look after a creation, a quarter of them left two items.
    private static let rounds = 20

    @Test("leaves one item after six simultaneous stores")
    func one() async throws {
        let fixture = try await EndToEndFixture()
        for round in 1...Self.rounds {
            let stores = try (1...6).map { number in
                try fixture.startHelper("store", ["username=user\(round)", "password=secret\(number)"])
            }
            for store in stores { #expect(try await store.ended().errors.isEmpty) }
            let items = try await fixture.session.items().filter { $0.attributes["user"] == "user\(round)" }
            #expect(items.count == 1, "\(items)")
        }
    }
}
