import Staging
import Testing

@Suite("Scripted faults, as curl reports them")
struct FaultTests {
    private static let address = "https://api.github.com/meta"

    /// A scripted answer, and the exit status of curl(1): 1 for an unsupported protocol, 18 for a partial file, 52 for an
    /// empty reply, 56 for a failure to receive; `nil` if curl waits for the rest.
    private static let faults: [(name: String, answer: ScriptedAnswer, exit: Int32?)] = [
        ("silence", .silence, nil), ("late", .late(by: .seconds(600)), nil), ("drip", .drip(every: .seconds(10)), nil),
        ("endless", .endlessBody, nil), ("hang-up", .hangUp, 52), ("lost", .lost, 52), ("cut", .closedMidBody, 18),
        ("header flood", .headerFlood, 56), ("not HTTP", .raw("SSH-2.0-OpenSSH_9.2\r\n"), 1),
    ]

    /// A command with one request and a timeout in seconds.
    private func command(patience: Int, _ more: [String] = []) -> [String] {
        let options = ["--disable", "--silent", "--include", "--suppress-connect-headers", "--max-time"]
        return ["curl"] + options + [String(patience)] + more + [Self.address]
    }

    private func curl(_ github: StandIn, patience: Int = 120) async throws -> RunningProgram.End {
        try await run(command(patience: patience), environment: github.environment)
    }

    @Test("produces each requested fault once", arguments: faults)
    func fault(name: String, answer: ScriptedAnswer, exit: Int32?) async throws {
        let github = try StandIn()
        github.answer(.meta, with: answer)
        guard let exit else { return try await waiting(github) }
        #expect(try await curl(github).status == exit)
        #expect(try await curl(github).status == 0)
        #expect(github.count(of: .meta) == 2)
    }

    /// Checks that the first request still waits when the second one has been answered.
    private func waiting(_ github: StandIn) async throws {
        let nothing = try UnnamedFile(contents: [])
        let environment = ProcessInfo.processInfo.environment.merging(github.environment) { $1 }
        let first = try RunningProgram(
            command(patience: 600, ["--output", "/dev/null"]), environment: environment, input: nothing.descriptor)
        try await github.waitForRequests(1, to: .meta)
        #expect(try await curl(github).status == 0)
        #expect(github.count(of: .meta) == 2)
        #expect(first.isRunning)
    }

    @Test("carries out a request whose answer is lost")
    func lost() async throws {
        let github = try StandIn()
        let app = github.register(.gitHubApp())
        let token = github.issueToken(for: "monalisa", app: app)
        github.answer(.refresh, with: .lost)
        let form = "client_id=\(app.clientID)&grant_type=refresh_token&refresh_token=\(token.refreshToken ?? "")"
        let address = "https://github.com/login/oauth/access_token"
        #expect(try await Client(github: github).curl("--data", form, address).status == "000")
        #expect(github.tokens.count == 2 && !github.isLive(token.accessToken))
    }

    @Test("ends waiting clients with stop(), and leaves no listener and no file")
    func stop() async throws {
        let github = try StandIn()
        #expect(try await curl(github).status == 0)
        github.answer(.meta, with: .silence)
        async let waiting = curl(github, patience: 600)
        try await github.waitForRequests(2, to: .meta)
        await github.stop()
        #expect(try await waiting.status != 28, "the time is up")
        // The port may already belong to another server, which curl does not trust.
        #expect(try await curl(github).status != 0)
        #expect(try await run(["test", "-e", github.caFile]).status == 1)
    }
}
