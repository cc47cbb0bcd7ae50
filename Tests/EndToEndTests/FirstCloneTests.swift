import Staging
import Testing

/// The program's main task: a first clone.
///
/// The tests run one after another, since all sign in to github.com or gitlab.com: see `EndToEndFixture`.
@Suite("The first clone", .serialized)
struct FirstCloneTests {
    @Test(
        "shows the documented screen at 80 columns for the first clone, and prints and asks nothing afterwards",
        arguments: Git.all, Service.withDeviceFlow)
    func mainJob(git: Git, service: Service) async throws {
        let fixture = try await EndToEndFixture(service, git: git, host: service.host)
        let terminal = try PseudoTerminal(columns: 80)
        let clone = try fixture.startGit(["clone", "--quiet", fixture.address()], on: terminal)
        try await terminal.shows("Ctrl-C cancels.")
        let code = fixture.server.newestUserCode ?? ""
        let (name, page, minutes) = service == .gitHub ? ("GitHub", "login/device", 15) : ("GitLab", "oauth/device", 5)
        #expect(
            terminal.screen == """
                git needs to sign in to \(name) (\(service.host)).

                1. Open this page, here or on any other device:
                  https://\(service.host)/\(page)
                2. Enter this code:
                  \(code)

                Asked by: git clone, in "~"

                Press c to copy the code, r for a QR code, q to quit.
                Waiting for you to approve. \(minutes) min left. Ctrl-C cancels.
                """)
        try await fixture.answer(on: terminal)
        #expect(try await clone.ended().status == 0, "\(terminal.text)")
        #expect(terminal.screen.hasSuffix("\n✓ Signed in as monalisa. Saved in the keyring.\n"))
        let folder = fixture.session.home + "/private"

        let items = try await fixture.session.items()
        #expect(
            items.map(\.attributes) == [
                ["xdg:schema": "org.git.Password", "protocol": "https", "server": service.host, "user": "monalisa"]
            ])
        #expect(items.first?.label == "Git: https://\(service.host)/")
        #expect(items.first?.password == fixture.server.tokens.first?.accessToken)

        let fetch = try await fixture.git("fetch", in: folder)
        #expect(fetch.status == 0 && fetch.output.isEmpty && fetch.errors.isEmpty, "\(fetch.errors)")

        _ = try await fixture.git("commit", "--quiet", "--allow-empty", "--message=Second commit", in: folder)
        try await fixture.git("push", "--quiet", in: folder).succeeded(silently: true)
        #expect(try fixture.server.git(["log", "-1", "--format=%s"], in: "acme/private") == "Second commit\n")

        #expect(try await fixture.session.items() == items)
        let scopes = service.scopes.joined(separator: " ")
        #expect(fixture.server.requests(to: .deviceCode).map { $0.form["scope"] } == [scopes])
        #expect(fixture.server.completedSignIns == 1 && fixture.server.count(of: .user) == 1)
        let hosts = service == .gitHub ? ["github.com:443", "api.github.com:443"] : ["gitlab.com:443"]
        #expect(Set(fixture.server.tunnels) == Set(hosts))
    }
}

@Suite("Failed sign-ins with a real git")
struct SignInOutcomeTests {
    @Test("reports the wrong account, and stores nothing", arguments: Service.withDeviceFlow)
    func wrongAccount(service: Service) async throws {
        let fixture = try await EndToEndFixture(service)
        guard try await fixture.passesNames() else { return }
        let terminal = try PseudoTerminal()
        let running = try fixture.startGit(["ls-remote", fixture.address(user: "alice")], on: terminal)
        try await fixture.answer(on: terminal, as: "bob")
        #expect(try await running.ended().status == 128)
        #expect(terminal.text.contains("\nSign in as: alice\nAsked by: git ls-remote, in \"~\"\n"))
        let told = "gitspace: error: signed in as bob, but git asked for alice; nothing was stored"
        #expect(terminal.screen.contains("\n\(told)\n"))
        #expect(try await fixture.session.items().isEmpty)
        // The stand-in plays an Enterprise Server for GitHub here, which has no such endpoint.
        #expect(fixture.server.count(of: .revoke) == (service == .gitLab ? 2 : 0))
    }

    @Test("reports how to get a client ID in one line, and git asks for a token")
    func noClientID() async throws {
        var app = Service.gitHub.app(interval: 1)
        app.clientID = ""
        let fixture = try await EndToEndFixture(app: app)
        let terminal = try PseudoTerminal(columns: 200)
        let running = try fixture.startGit(["ls-remote", fixture.address()], on: terminal)
        try await terminal.shows("Username for 'https://\(fixture.host)': ")
        let error = "gitspace: error: cannot sign in to \(fixture.host): no OAuth client ID is configured\n"
        let hint = "hint: you can enter a personal access token at git's password prompt; gitspace stores it\n"
        #expect(terminal.text.hasPrefix(error + hint))
        let token = fixture.server.issueToken(for: "monalisa", app: .personalAccessTokens)
        terminal.type("monalisa\n")
        try await terminal.type("\(token.accessToken)\n", after: "Password for ")
        #expect(try await running.ended().status == 0, "\(terminal.text)")
        #expect(try await fixture.session.items().map(\.password) == [token.accessToken])
        try await fixture.git("ls-remote", fixture.address()).succeeded(silently: true)
        #expect(fixture.server.count(of: .deviceCode) == 0)
    }
}

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
        #expect(try await fixture.helper("get", on: second).output == "quit=1\n")
        let error = "the sign-in to \(fixture.host) was cancelled or declined less than a minute ago"
        let hints = "hint: sign in now:\nhint:   git credential-gitspace login \(fixture.host)\n"
        #expect(second.text == "gitspace: error: \(error)\n" + hints)
        #expect(fixture.server.count(of: .deviceCode) == 1)

        let other = try PseudoTerminal()
        let bob = try fixture.startHelper("get", ["username=bob"], on: other)
        try await other.type("q", after: "Waiting for you to approve")
        _ = try await bob.ended()

        fixture.server.nextSignIn(.approve(as: "monalisa"))
        try await fixture.gitspace("login", fixture.host, on: PseudoTerminal()).succeeded()
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
