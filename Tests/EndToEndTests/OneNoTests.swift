import Staging
import Testing

/// A refused sign-in, in commands that would ask again.
@Suite("Refusals for a whole command")
struct OneNoTests {
    /// Creates a repository with so many remotes that need the same sign-in.
    private func fixture(remotes: Int = 8) async throws -> (fixture: EndToEndFixture, folder: String) {
        let fixture = try await EndToEndFixture()
        let folder = try await fixture.repository("work")
        for number in 1...remotes {
            try fixture.server.createRepository("acme/r\(number)", writers: ["monalisa"])
            _ = try await fixture.git("remote", "add", "r\(number)", fixture.address("acme/r\(number)"), in: folder)
        }
        return (fixture, folder)
    }

    private func quits(_ terminal: PseudoTerminal) -> Int { terminal.count(of: "told us to quit") }

    @Test("asks once in git fetch --all with eight remotes, and q answers for all of them", arguments: Git.all)
    func fetchAll(git: Git) async throws {
        let (fixture, folder) = try await fixture()
        let terminal = try PseudoTerminal()
        let running = try fixture.startGit(["fetch", "--all"], in: folder, on: terminal)
        try await terminal.type("q", after: "Waiting for you to approve")
        let end = try await running.ended()
        #expect(end.status != 0 && fixture.server.count(of: .deviceCode) == 1, "\(terminal.text)")
        #expect(quits(terminal) == 8 && terminal.count(of: "Sign-in cancelled.") == 1)
    }

    @Test("asks once if the person declines in the browser, and prints the reason once")
    func declined() async throws {
        let (fixture, folder) = try await fixture()
        fixture.server.nextSignIn(.deny())
        let terminal = try PseudoTerminal()
        _ = try await fixture.git("fetch", "--all", in: folder, on: terminal)
        #expect(fixture.server.count(of: .deviceCode) == 1 && quits(terminal) == 8, "\(terminal.text)")
        #expect(terminal.count(of: "gitspace: error: ") == 1, "\(terminal.text)")
    }

    @Test("asks once in eight simultaneous fetches, prints one waiting line, and one refusal ends them")
    func jobs() async throws {
        let (fixture, folder) = try await fixture()
        let terminal = try PseudoTerminal()
        let running = try fixture.startGit(["fetch", "--all", "--jobs", "8"], in: folder, on: terminal)
        try await terminal.shows("Waiting for you to approve")
        try await terminal.type("q", after: "Waiting for the sign-in in this command...")
        _ = try await running.ended()
        #expect(fixture.server.count(of: .deviceCode) == 1 && quits(terminal) == 8, "\(terminal.text)")
        #expect(terminal.count(of: "Waiting for the sign-in in this command...") == 1)
        #expect(!terminal.text.contains("another terminal"))
    }

    @Test("asks once for eight simultaneous submodules")
    func submodules() async throws {
        let (fixture, folder) = try await fixture()
        let modules = (1...8).map { "[submodule \"r\($0)\"]\npath = r\($0)\nurl = \(fixture.address("acme/r\($0)"))\n" }
        try modules.joined().write(to: folder + "/.gitmodules")
        let commit = String(repeating: "1", count: 40)
        for number in 1...8 {
            _ = try await fixture.git("update-index", "--add", "--cacheinfo", "160000,\(commit),r\(number)", in: folder)
        }
        let terminal = try PseudoTerminal()
        let running = try fixture.startGit(["submodule", "update", "--init", "--jobs", "8"], in: folder, on: terminal)
        try await terminal.type("q", after: "Waiting for you to approve")
        _ = try await running.ended()
        #expect(fixture.server.count(of: .deviceCode) == 1 && quits(terminal) >= 8, "\(terminal.text)")
    }

    @Test("asks again in the next command")
    func nextCommand() async throws {
        let (fixture, folder) = try await fixture(remotes: 1)
        for _ in 1...2 {
            let terminal = try PseudoTerminal()
            let running = try fixture.startGit(["fetch", "r1"], in: folder, on: terminal)
            try await terminal.type("q", after: "Waiting for you to approve")
            _ = try await running.ended()
        }
        let terminal = try PseudoTerminal()
        fixture.server.nextSignIn(.approve(as: "monalisa"))
        #expect(try await fixture.git("fetch", "r1", in: folder, on: terminal).status == 0, "\(terminal.text)")
    }

    @Test("asks no more for a while outside of git, and names login, which still asks")
    func withoutGit() async throws {
        let fixture = try await EndToEndFixture()
        let first = try PseudoTerminal()
        let declined = try fixture.startHelper("get", on: first)
        try await first.type("q", after: "Waiting for you to approve")
        #expect(try await declined.ended().output == "quit=1\n")

        let second = try PseudoTerminal(columns: 120)
        let end = try await fixture.helper("get", on: second)
        #expect(end.output == "quit=1\n")
        #expect(
            second.text == """
                gitspace: error: the sign-in to \(fixture.host) was cancelled or declined less than a minute ago
                hint: sign in now:
                hint:   git credential-gitspace login \(fixture.host)

                """)
        #expect(fixture.server.count(of: .deviceCode) == 1)

        let other = try PseudoTerminal()
        let bob = try fixture.startHelper("get", ["username=bob"], on: other)
        try await other.type("q", after: "Waiting for you to approve")
        _ = try await bob.ended()

        fixture.server.nextSignIn(.approve(as: "monalisa"))
        let third = try PseudoTerminal()
        try await fixture.gitspace("login", fixture.host, on: third).succeeded()
    }

    @Test("shows the first command's code in another terminal, for one sign-in")
    func anotherTerminal() async throws {
        let fixture = try await EndToEndFixture()
        let (first, second) = (try PseudoTerminal(), try PseudoTerminal())
        fixture.server.nextSignIn(.waitForPerson)
        let hidden = try fixture.startGit(["ls-remote", fixture.address()], on: first)
        try await first.shows("Waiting for you to approve")
        let push = try fixture.startGit(["ls-remote", fixture.address()], on: second)
        try await second.shows("Waiting for you to approve")
        #expect(second.text.contains("Waiting for the sign-in in another terminal..."), "\(second.text)")
        let code = try #require(fixture.server.newestUserCode)
        #expect(second.text.contains(code) && fixture.server.count(of: .deviceCode) == 1, "\(second.text)")
        #expect(fixture.server.enter(userCode: code, approvingAs: "monalisa"))
        for running in [hidden, push] { #expect(try await running.ended().status == 0) }
    }

    @Test("takes a refusal at a waiting terminal for all, if git or login waits", arguments: [true, false])
    func cancelledForAll(byGit: Bool) async throws {
        let fixture = try await EndToEndFixture()
        let (first, second) = (try PseudoTerminal(), try PseudoTerminal())
        let hidden = try fixture.startGit(["ls-remote", fixture.address()], on: first)
        try await first.shows("Waiting for you to approve")
        let command = byGit ? ["git", "ls-remote", fixture.address()] : [BuiltFiles.helper, "login", fixture.host]
        let waiting = try fixture.start(command, on: second)
        try await second.type("q", after: "Waiting for you to approve")
        #expect(try await waiting.ended().status == (byGit ? 128 : 130), "\(second.text)")
        #expect(try await hidden.ended().status == 128)
        #expect(first.text.contains("Sign-in cancelled.") && second.text.contains("Sign-in cancelled."))
        #expect(fixture.server.count(of: .deviceCode) == 1)
    }
}
