import Staging
import StandIn
import Testing

extension Clients {
    /// git itself, of every age that is at hand.
    @Suite("git") struct GitTests {
        @Test("a fresh token is handed over, and nothing is asked", arguments: Git.all)
        func fresh(git: Git) async throws {
            let fixture = try await EndToEndFixture(git: git)
            try await fixture.remember(fixture.server.issueToken(for: "monalisa", app: fixture.app))
            let end = try await fixture.git("clone", fixture.address(), "clone")
            #expect(end.status == 0, "\(end.errors)")
            #expect(fixture.server.count(of: .refresh) == 0)
            let version = "\(git.version.0).\(git.version.1)"
            WorldRow.add(.clients, "git", version, tried: "clone with a stored token", result: "cloned")
        }
    }
}
