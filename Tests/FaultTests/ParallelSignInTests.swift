import Staging
import Testing

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
        try await BrowserUser(login: "monalisa", on: fixture).answer(on: terminal, with: action)
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
        let killed = ContinuousClock.now
        leader.signal(SIGKILL)
        let code = try await eventually("a code of the next one: \(second.text)") {
            fixture.server.count(of: .deviceCode) == 2
                ? fixture.server.newestUserCode.flatMap { second.text.contains($0) ? $0 : nil } : nil
        }
        print("leader of a sign-in killed: the next one had its code after \(ContinuousClock.now - killed)")
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
        try await BrowserUser(login: "bob", on: fixture).answer(on: second)
        #expect(try await other.ended().output.contains("username=bob\n"))
        #expect(waiting.isRunning)
    }
}
