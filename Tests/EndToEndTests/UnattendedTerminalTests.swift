import Staging
import Testing

/// Terminals without a person: `docker run -t`, or a build server that gives its jobs one.
@Suite("Terminals without a person")
struct UnattendedTerminalTests {
    /// Returns a container's fixture: no keyring, no desktop, and no variable of a build server's.
    private func fixture(app: App = .oauthApp(interval: 1), settings: String = "") async throws -> EndToEndFixture {
        try await EndToEndFixture(app: app, session: .noBus, settings: settings)
    }

    private func clone(_ fixture: EndToEndFixture, environment: [String: String] = [:]) async throws
        -> (status: Int32, screen: String)
    {
        let terminal = try PseudoTerminal()
        let end = try await fixture.git("clone", fixture.address(), "clone", environment: environment, on: terminal)
        return (end.status, terminal.screen)
    }

    @Test("ends the clone when an unapproved code expires, and git asks for no name")
    func container() async throws {
        var app = App.oauthApp(interval: 1)
        app.codeLifetime = 3
        let fixture = try await fixture(app: app)
        fixture.github.everySignIn(.waitForPerson)
        let (status, screen) = try await clone(fixture)
        #expect(status == 128 && screen.contains("Enter this code"), "\(screen)")
        #expect(!screen.contains("Username for"), "\(screen)")
    }

    @Test("asks nothing in a background job, because its first question would stop it")
    func background() async throws {
        let fixture = try await fixture()
        try await fixture.git("config", "--global", "--unset", fixture.setting("oauthClientId")).succeeded()
        let terminal = try PseudoTerminal()
        let end = try await fixture.start(
            ["bash", "-c", "set -m; \"$@\" & wait %1", "bash", BuiltFiles.helper, "setup", fixture.host], on: terminal
        ).ended()
        #expect(end.status == 1 && terminal.screen.contains("gitspace: error: "), "\(terminal.screen)")
    }

    @Test(
        "asks nothing below git maintenance and git for-each-repo, even at a terminal", arguments: Git.all,
        [["maintenance", "run", "--task=prefetch"], ["for-each-repo", "--config=maintenance.repo", "fetch"]])
    func maintenance(git: Git, command: [String]) async throws {
        let fixture = try await EndToEndFixture(git: git)
        let folder = try await fixture.repository("work", origin: fixture.address())
        _ = try await fixture.git("config", "--global", "maintenance.repo", folder)
        let terminal = try PseudoTerminal()
        let end = try await fixture.startGit(command, in: folder, on: terminal).ended()
        #expect(end.status != 0 && fixture.github.count(of: .deviceCode) == 0, "\(terminal.screen)")
        #expect(!terminal.screen.contains("Username for"), "\(terminal.screen)")
    }

    @Test("asks nothing with CI set, with and without a client ID", arguments: [true, false])
    func buildServer(hasClientID: Bool) async throws {
        let fixture = try await fixture()
        if !hasClientID {
            try await fixture.git("config", "--global", "--unset", fixture.setting("oauthClientId")).succeeded()
        }
        let (status, screen) = try await clone(fixture, environment: ["CI": "1"])
        #expect(status == 128 && screen.contains("gitspace: error: "), "\(screen)")
        #expect(!screen.contains("Username for") && fixture.github.count(of: .deviceCode) == 0, "\(screen)")
    }

    @Test("lets core.askPass answer with CI set, unless only the repository configures it")
    func askPass() async throws {
        let fixture = try await fixture()
        let token = fixture.github.issueToken(for: "monalisa", app: fixture.app).accessToken
        let script = fixture.session.home + "/answer"
        try await fixture.session.write(
            program: script, "#!/bin/sh\ncase $1 in Username*) echo monalisa ;; *) echo \(token) ;; esac")
        let folder = try await fixture.repository("work")
        _ = try await fixture.git("config", "core.askPass", script, in: folder)
        func fetch() async throws -> (status: Int32, screen: String) {
            let terminal = try PseudoTerminal()
            let end = try await fixture.startGit(
                ["fetch", fixture.address()], in: folder, environment: ["CI": "1"], on: terminal
            ).ended()
            return (end.status, terminal.screen)
        }
        let own = try await fetch()
        #expect(own.status == 128 && !own.screen.contains("Username for"), "\(own.screen)")
        #expect(try await fixture.git("config", "--global", "core.askPass", script).status == 0)
        let persons = try await fetch()
        #expect(persons.status == 0, "\(persons.screen)")
    }
}
