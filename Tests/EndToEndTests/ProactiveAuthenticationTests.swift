import Staging
import Testing

/// The requests of a fetch; git first sends one without a token, which is refused, unless it sends the token at once.
@Suite("Tokens with git's first request, with a real git")
struct ProactiveAuthenticationTests {
    /// A fixture whose git has `http.proactiveAuth`, with monalisa signed in; `nil` without such a git.
    private func fixture() async throws -> EndToEndFixture? {
        guard let git = Git.all.first(where: \.knowsState) else { return nil }
        let fixture = try await EndToEndFixture(git: git)
        try await fixture.signedIn("monalisa")
        try fixture.github.createRepository("acme/public", isPrivate: false, writers: ["monalisa"])
        return fixture
    }

    /// Returns the number of a fetch's requests, and how many of them are refused.
    private func requests(_ fixture: EndToEndFixture, _ repository: String) async throws -> Int {
        let before = fixture.github.requests.count
        try await fixture.git("ls-remote", fixture.address(repository)).succeeded()
        return fixture.github.requests.count - before
    }

    @Test("needs no more requests for an authenticated fetch than for an anonymous one, until the last log-out")
    func requests() async throws {
        guard let fixture = try await fixture() else { return }
        #expect(try await requests(fixture, "acme/public") == 2)
        #expect(try await requests(fixture, "acme/private") == 3)
        try await fixture.gitspace("configure", "--proactive").succeeded(silently: true)
        let key = "http.https://\(fixture.host).proactiveAuth"
        #expect(try await fixture.git("config", "--global", key).output == "basic\n")
        #expect(try await requests(fixture, "acme/private") == 2)
        #expect(try await requests(fixture, "acme/public") == 2)
        let logout = try await fixture.gitspace("logout", fixture.host)
        #expect(
            logout.output.contains("git no longer sends a token with its first request to \(fixture.host).\n"),
            "\(logout.output)\(logout.errors)")
        #expect(try await fixture.git("config", "--global", key).status == 1)
        #expect(try await requests(fixture, "acme/public") == 2)
    }
}
