import Staging
import Testing

extension Sessions {
    /// Git LFS asks the helper itself, in addition to the git that runs its hooks and filters.
    @Suite("A declined sign-in with Git LFS") struct OneNoTests {
        @Test("asks once during a push with a large file")
        func push() async throws {
            guard let version = Client.lfs[0].version else {
                return WorldRow.notRun(.sessions, "git-lfs", tried: "`q` in a push", because: "it is not installed")
            }
            let fixture = try await EndToEndFixture()
            let folder = try await fixture.repository("work")
            try await fixture.start(["sh", "-ec", Client.commitLargeFile], in: folder).ended().succeeded()
            let terminal = try PseudoTerminal()
            let running = try fixture.startGit(
                ["push", fixture.address(), "HEAD:refs/heads/large"], in: folder, on: terminal)
            try await terminal.type("q", after: "Waiting for you to approve")
            let end = try await running.ended()
            #expect(end.status != 0 && fixture.server.count(of: .deviceCode) == 1, "\(terminal.text)")
            WorldRow.add(
                .sessions, "git-lfs", version, tried: "`q` in a push with a large file",
                result: "asked once, by the first of git-lfs and git; the push ends")
        }
    }
}
