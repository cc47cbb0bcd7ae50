import Staging
import Testing

/// Runs eight processes at a time that do to one account what git does: use its token, store it, erase it, refresh it,
/// and store passwords from a repository's addresses.
///
/// The server is the oracle. In each round the stored token is about to expire, so that the first `get` refreshes it.
/// If no process refreshes a token that was rejected, it must be gone, and its refresh token must be stored. Otherwise the
/// newest pair must be stored: no store or erase of an older token, and no password from a URL, may change it. A second
/// account exists that nobody asks for, and it must never be the answer.
@Suite("Interleavings")
struct InterleavingTests {
    private enum Step: String {
        /// A `get`, which refreshes the token if no other process has.
        case get
        /// A `store` of the round's first token, as git sends it after a success.
        case praise
        /// An `erase` of the round's first token, as git sends it after a 401.
        case reject
        /// An `erase` of a token of an earlier round.
        case rejectOld

        /// A `store` of another password for the account, as `https://monalisa:garbage@host/` causes it.
        case garbage
        /// A `store` of another account's token, for the whole host or for a path.
        case foreign, foreignPath

        /// The steps that keep the stored pair, or replace it by its successor.
        static let harmless: [Step] = [.get, .get, .praise, .rejectOld, .garbage, .foreign, .foreignPath]
    }

    /// Reads `FAULT_SEED`, which repeats a run, or `FAULT_ROUNDS`, which lengthens it; a round has eight processes.
    ///
    /// The simulation covers the orders by the thousand.
    private static func number(_ name: String, else usual: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap(Int.init) ?? usual
    }

    @Test("keeps the last good token, whatever eight processes do in whatever order")
    func model() async throws {
        let seed = Self.number("FAULT_SEED", else: Int.random(in: 0..<1_000_000))
        let rounds = Self.number("FAULT_ROUNDS", else: 8)
        // Print it now, since a failing run may never end.
        print("interleavings: FAULT_SEED=\(seed)")
        var random = SeededGenerator(seed: UInt64(seed))
        let fixture = try await EndToEndFixture(app: .gitHubApp(interval: 1))
        var known: [IssuedToken] = []
        try await fixture.signedIn("mallory", since: 2_000_000_000)
        var last: IssuedToken?
        for round in 1...rounds {
            let current: IssuedToken
            if let item = try await item(fixture), let last {
                try #require(
                    item.password == last.accessToken || item.password.isEmpty, "round \(round) of seed \(seed)")
                current = last
            } else {
                current = fixture.server.issueToken(for: "monalisa", app: fixture.app)
            }
            try await fixture.remember(current, expiringIn: 290, since: 1_000_000_000)
            // Without a `get`, the token stays for the next round, and is then not an earlier one.
            let old = known.filter { $0.accessToken != current.accessToken }.randomElement(using: &random)
            let harmless = Step.harmless.filter { old != nil || $0 != .rejectOld }
            var steps = (1...8).compactMap { _ in harmless.randomElement(using: &random) }
            if Bool.random(using: &random) { steps[Int.random(in: 0..<8, using: &random)] = .reject }
            let programs = try steps.map { try start($0, fixture, current: current, old: old ?? current) }
            var answers: [String] = []
            for (step, program) in zip(steps, programs) {
                let end = try await program.ended()
                if step == .get { answers.append(end.output) }
            }

            let newest = fixture.server.tokens.last { $0.login == "monalisa" } ?? current
            let isRenewed = newest.accessToken != current.accessToken
            let text: Comment = "round \(round) of seed \(seed): \(steps.map(\.rawValue))"
            let item = try #require(try await item(fixture), text)
            if item.password.isEmpty {
                #expect(!isRenewed && steps.contains(.reject), text)
            } else {
                #expect(item.password == newest.accessToken, text)
                #expect(isRenewed || !steps.contains(.get) || steps.contains(.reject), text)
            }
            #expect(item["oauth_refresh_token"] == newest.refreshToken, text)
            #expect(newest.isRefreshSpent == false, text)
            #expect(answers.allSatisfy { $0.hasPrefix("username=monalisa\n") } || steps.contains(.reject), text)
            last = newest
            known.append(current)
        }
        #expect(fixture.server.refreshTokenReuses == 0)
    }

    /// The account's item for the whole host.
    private func item(_ fixture: EndToEndFixture) async throws -> KeyringItem? {
        try await fixture.session.items().first {
            $0.attributes["user"] == "monalisa" && $0.attributes["object"] == nil
        }
    }

    private func start(
        _ step: Step, _ fixture: EndToEndFixture, current: IssuedToken, old: IssuedToken
    ) throws -> RunningProgram {
        func said(_ token: IssuedToken) -> [String] { ["username=monalisa", "password=\(token.accessToken)"] }
        return switch step {
        case .get: try fixture.startHelper("get")
        case .praise: try fixture.startHelper("store", said(current))
        case .reject: try fixture.startHelper("erase", said(current))
        case .rejectOld: try fixture.startHelper("erase", said(old))
        case .garbage: try fixture.startHelper("store", ["username=monalisa", "password=garbage"])
        case .foreign: try fixture.startHelper("store", ["username=eve", "password=ghp_eve"])
        case .foreignPath:
            try fixture.startHelper("store", ["username=eve", "password=ghp_eve", "path=octo/public.git"])
        }
    }
}

/// Schedules of operations that follow from seeds (Tests/Simulation); `make simulate` runs a hundred thousand.
@Suite("Simulated schedules")
struct SimulationTests {
    @Test("breaks no rule in the first two thousand schedules")
    func schedules() async throws {
        let input = try Lifeline()
        try await RunningProgram(
            [BuiltFiles.folder + "simulate", "2000"], environment: ProcessInfo.processInfo.environment,
            input: input.programEnd, surroundings: input
        ).ended().succeeded()
    }
}
