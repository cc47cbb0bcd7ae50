import Staging
import StandIn
import Testing

/// Many gits at once: submodules, an editor, a script.
@Suite("In parallel")
struct ParallelTests {
    /// Runs eight gits at once in one terminal, or without any.
    ///
    /// - Returns: How many of them succeeded.
    private func eightTimes(
        _ fixture: EndToEndFixture, on terminal: PseudoTerminal? = nil, while act: () async throws -> Void = {}
    ) async throws -> Int {
        let script = "for n in 1 2 3 4 5 6 7 8; do git ls-remote \"$0\" >/dev/null && echo done & done; wait"
        let running = try fixture.start(
            ["sh", "-c", script, fixture.address()], terminal: terminal.map { .standardError($0) } ?? .none)
        try await act()
        return try await running.ended().output.split(separator: "\n").count { $0 == "done" }
    }

    @Test("eight gits without a token ask the person once", arguments: Git.all)
    func signIn(git: Git) async throws {
        let fixture = try await EndToEndFixture(git: git)
        let terminal = try PseudoTerminal()
        let succeeded = try await eightTimes(fixture, on: terminal) {
            try await BrowserUser(login: "monalisa", on: fixture).answer(on: terminal)
        }
        #expect(succeeded == 8, "\(terminal.text)")
        #expect(fixture.github.count(of: .deviceCode) == 1 && fixture.github.completedSignIns == 1)
        #expect(try await fixture.session.items().count == 1)
    }

    @Test("eight gits without a token take one no for an answer", arguments: Git.all)
    func declined(git: Git) async throws {
        let fixture = try await EndToEndFixture(git: git)
        let terminal = try PseudoTerminal()
        let succeeded = try await eightTimes(fixture, on: terminal) {
            // All the others have to be there, or they would come later and rightly ask again.
            try await eventually("seven that wait: \(terminal.text)") {
                terminal.screen.split(separator: "\n").count { $0.contains("already running in another terminal") } == 7
                    ? true : nil
            }
            try await BrowserUser(login: "monalisa", on: fixture).answer(on: terminal, with: "deny")
        }
        #expect(succeeded == 0)
        #expect(fixture.github.count(of: .deviceCode) == 1)
        #expect(
            terminal.text.split(separator: "\n").count { $0.contains("gitspace: error: ") } == 1, "\(terminal.text)")
    }

    @Test("eight gits with an expired token renew it once", arguments: Git.all)
    func refresh(git: Git) async throws {
        let fixture = try await EndToEndFixture(git: git, app: .gitHubApp(interval: 1))
        let old = fixture.github.issueToken(for: "monalisa", app: fixture.app)
        fixture.github.expireAccessTokens()
        try await fixture.remember(old, expiringIn: -10)
        #expect(try await eightTimes(fixture) == 8)
        #expect(fixture.github.count(of: .refresh) == 1 && fixture.github.refreshTokenReuses == 0)
        let items = try await fixture.session.items()
        #expect(items.map(\.password) == [fixture.github.tokens.last?.accessToken])
        #expect(items.first?["oauth_refresh_token"] == fixture.github.tokens.last?.refreshToken)
    }
}
