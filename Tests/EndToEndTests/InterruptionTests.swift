import Staging
import Testing

@Suite("Interruption")
struct InterruptionTests {
    @Test("ends git and us after Ctrl-C, and restores the terminal", arguments: Git.all, Service.withDeviceFlow)
    func controlC(git: Git, service: Service) async throws {
        let fixture = try await EndToEndFixture(service, git: git)
        let terminal = try PseudoTerminal()
        let modes = terminal.modes
        let running = try fixture.startGit(["ls-remote", fixture.address()], on: terminal)
        try await terminal.shows("Ctrl-C cancels.")
        terminal.type("\u{3}")
        _ = try await running.ended()
        try await eventually("the end of the whole session") { running.processes.isEmpty }
        #expect(terminal.modes == modes)
        #expect(try await fixture.session.items().isEmpty)
    }

    /// Runs a command that gets no answer at an endpoint, and ends it by Ctrl-C.
    private func interrupted(
        _ arguments: [String], at endpoint: Endpoint, input: String = "", _ fixture: EndToEndFixture
    ) async throws -> RunningProgram.End {
        fixture.server.answer(endpoint, with: .silence)
        let running = try fixture.start([BuiltFiles.helper] + arguments, input: input)
        try await eventually("a request") { fixture.server.count(of: endpoint) > 0 }
        running.signal(SIGINT)
        return try await running.ended()
    }

    @Test("switch changes nothing after Ctrl-C")
    func switching() async throws {
        let fixture = try await EndToEndFixture()
        for name in ["monalisa", "bob"] { try await fixture.signedIn(name) }
        let end = try await interrupted(["switch", fixture.host, "bob"], at: .user, fixture)
        #expect(end.status == 130 && end.output.isEmpty, "\(end.output)")
        #expect(try await fixture.git("config", "--global", "--get", fixture.setting("username")).status == 1)
    }

    @Test("login does not store a token that git's own protocol has not accepted yet")
    func tokenTrial() async throws {
        let fixture = try await EndToEndFixture(.gitLab)
        let token = fixture.server.issueToken(for: "bob", app: fixture.app, scopes: ["read_repository"]).accessToken
        let end = try await interrupted(
            ["login", fixture.host, "group_bot", "--with-token"], at: .gitRefs, input: token, fixture)
        #expect(end.status == 130 && end.errors == "gitspace: error: interrupted\n", "\(end.errors)")
        #expect(try await fixture.session.items().isEmpty)
    }

    @Test("ends without an error if git is gone while the host does not answer")
    func gitGone() async throws {
        let fixture = try await EndToEndFixture()
        fixture.server.answer(.deviceCode, with: .silence)
        let pipe = try NamedPipe(in: fixture.session.home)
        let terminal = try PseudoTerminal()
        let running = try fixture.startHelper("get", standardOutput: pipe.writer, on: terminal)
        try await eventually("a request") { fixture.server.count(of: .deviceCode) > 0 }
        pipe.closeReader()
        _ = try await running.ended()
        // The silent host would have been an error.
        #expect(terminal.text.isEmpty, "\(terminal.text)")
    }

    @Test("ends the sign-in if the reader of the answer is gone, for a pipe and a socket")
    func readerGone() async throws {
        let fixture = try await EndToEndFixture()
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
        let terminal = try PseudoTerminal()
        let running = try fixture.startHelper("get", standardOutput: ends[1], on: terminal)
        close(ends[1])
        try await terminal.shows("Ctrl-C cancels.")
        close(ends[0])
        _ = try await running.ended()
        #expect(fixture.server.completedSignIns == 0)
    }

    /// Runs git beside a shell that stays, so that no process dies of the end of a terminal or session.
    ///
    /// Sends a signal to git's processes that are chosen by name, and waits until only the shell is left.
    @Test(
        "ends with git while it waits, or with the part of git that asked us", arguments: Git.all,
        [(" ls-remote ", SIGTERM), ("git-remote-https", SIGKILL)])
    func gitEnded(git: Git, victim: (name: String, signal: Int32)) async throws {
        let fixture = try await EndToEndFixture(git: git)
        let terminal = try PseudoTerminal()
        let shell = try fixture.start(
            ["sh", "-c", "git ls-remote \"$0\" & wait; read -r line </dev/tty", fixture.address()], on: terminal)
        try await terminal.shows("Ctrl-C cancels.")
        var signals = 0
        for process in shell.processes {
            let words = commandLine(of: process)
            guard words.first?.hasSuffix("git") == true || words.first?.contains("git-remote") == true,
                words.joined(separator: " ").contains(victim.name)
            else { continue }
            kill(process, victim.signal)
            signals += 1
        }
        #expect(signals > 0)
        try await eventually("the end of git and of us: \(shell.processes.map { commandLine(of: $0) })") {
            shell.processes == [shell.id]
        }
        terminal.type("\n")
        _ = try await shell.ended()
        #expect(try await fixture.session.items().isEmpty)
        #expect(fixture.server.completedSignIns == 0)
    }
}
