import Foundation
import Staging
import StandIn
import Testing

/// Eight processes at a time do to one account what git does: use its token, praise it, reject it, have it renewed, and
/// store what a repository has written into its addresses.
///
/// The model is the server. In each round the stored token is about to end, so the first `get` renews it. A token was
/// rejected before that, and then all of the pair is gone; or it was not, and then the newest pair that the server issued
/// is in place, since nothing that is true of an older one (it works, it does not work), and nothing that a URL holds, may
/// touch it. A second account is there that nobody asks for, and never is it the answer.
@Suite("Interleavings")
struct InterleavingTests {
    /// What a process does.
    private enum Step: String {
        /// `get`, which renews the token if nobody has done so.
        case get
        /// `store`, as git says it after a success, of the token that this round began with.
        case praise
        /// `erase`, as git says it after a 401, of the token that this round began with.
        case reject
        /// `erase` of a token that was good in an earlier round.
        case rejectOld

        /// `store` of another password for the account, as of `https://monalisa:garbage@host/`.
        case garbage
        /// `store` of somebody else's token, for the whole host or a path on it.
        case foreign, foreignPath

        /// All that leaves the stored pair where it is, or puts its successor there.
        static let harmless: [Step] = [.get, .get, .praise, .rejectOld, .garbage, .foreign, .foreignPath]
    }

    /// `FAULT_SEED` repeats a run, `FAULT_ROUNDS` makes it longer; a round is eight processes.
    ///
    /// Orders by the thousand are the simulation's.
    private static func number(_ name: String, else usual: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap(Int.init) ?? usual
    }

    @Test("whatever eight processes do in whatever order, the last good token is in place")
    func model() async throws {
        let seed = Self.number("FAULT_SEED", else: Int.random(in: 0..<1_000_000))
        let rounds = Self.number("FAULT_ROUNDS", else: 8)
        // Now, since a run that fails may never come to its end.
        print("interleavings: FAULT_SEED=\(seed)")
        var random = SeededGenerator(seed: UInt64(seed))
        let fixture = try await EndToEndFixture(app: .gitHubApp(interval: 1))
        var known: [IssuedToken] = []
        var rejections = 0
        let mallory = fixture.server.issueToken(for: "mallory", app: fixture.app)
        try await fixture.remember(mallory, since: 2_000_000_000)
        var last: IssuedToken?
        for round in 1...rounds {
            let current: IssuedToken
            if let item = try await item(fixture), let last {
                try #require(item.password == last.accessToken, "round \(round) of seed \(seed)")
                current = last
            } else {
                current = fixture.server.issueToken(for: "monalisa", app: fixture.app)
            }
            try await fixture.remember(current, expiringIn: 290, since: 1_000_000_000)
            // A round without a `get` leaves its token for the next one: that is none of an earlier round then.
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

            let item = try await item(fixture)
            let newest = fixture.server.tokens.last { $0.login == "monalisa" } ?? current
            let isRenewed = newest.accessToken != current.accessToken
            let text: Comment = "round \(round) of seed \(seed): \(steps.map(\.rawValue))"
            #expect(newest.isRefreshSpent == false, text)
            if item?["gitspace_since"] == nil {
                // Whoever rejects the stored token before it is renewed takes the pair with it; then anything may be stored.
                #expect(!isRenewed && steps.contains(.reject), text)
                rejections += 1
                _ = try await fixture.helper("erase", "username=monalisa")
                last = nil
            } else {
                #expect(item?.password == newest.accessToken, text)
                #expect(item?["oauth_refresh_token"] == newest.refreshToken, text)
                #expect(isRenewed || !steps.contains(.get) || steps.contains(.reject), text)
                #expect(answers.allSatisfy { $0.hasPrefix("username=monalisa\n") } || steps.contains(.reject), text)
                last = newest
            }
            known.append(current)
        }
        #expect(fixture.server.refreshTokenReuses == 0)
        print(
            "interleavings: \(rounds) rounds of 8 processes, "
                + "\(fixture.server.count(of: .refresh)) renewals, \(rejections) rejections in time")
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
