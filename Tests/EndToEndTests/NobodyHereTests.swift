import Staging
import Testing

@Suite("Commands without a person")
struct NobodyHereTests {
    @Test("ends git as without a credential, after one line with the reason", arguments: Git.all)
    func ending(git: Git) async throws {
        let fixture = try await EndToEndFixture(git: git)
        let end = try await fixture.git("ls-remote", fixture.address())
        let lines = end.errors.split(separator: "\n")
        #expect(end.status == 128 && lines.count == 4 && lines[3].hasPrefix("fatal: "), "\(end.errors)")
        #expect(lines[0].hasPrefix("gitspace: error: not signed in to \(fixture.host), and there is no terminal or"))
        #expect(fixture.github.count(of: .deviceCode) == 0)
    }

    @Test("asks at a terminal even if git's messages do not go there", arguments: Git.all)
    func onlyControllingTerminal(git: Git) async throws {
        let fixture = try await EndToEndFixture(git: git)
        let terminal = try PseudoTerminal()
        let running = try fixture.startGit(["ls-remote", fixture.address()], on: terminal, keepsErrors: true)
        try await fixture.answer(on: terminal)
        try await running.ended().succeeded(silently: true)
    }

    @Test(
        "prints a command that switches off the setting which prevents a sign-in",
        arguments: [("GCM_INTERACTIVE", "never"), ("GIT_TERMINAL_PROMPT", "0"), ("GIT_CONFIG_COUNT", "1")])
    func pasted(variable: String, value: String) async throws {
        let fixture = try await EndToEndFixture()
        // The third one is `credential.interactive=false` of the configuration.
        let environment = [
            variable: value, "GIT_CONFIG_KEY_0": "credential.interactive", "GIT_CONFIG_VALUE_0": "false",
        ]
        func run(_ command: String, on terminal: PseudoTerminal) throws -> RunningProgram {
            try fixture.start(
                ["sh", "-c", "PATH=\"${0%/*}:$PATH\" && \(command)", BuiltFiles.helper], environment: environment,
                on: terminal)
        }
        let refused = try PseudoTerminal(columns: 200)
        let end = try await run("git credential-gitspace login \(fixture.host)", on: refused).ended()
        let hint = try #require(refused.text.split(separator: "\n").last)
        let command = try #require(hint.split(separator: "hint:   ").last)
        #expect(end.status == 1 && command.contains("credential-gitspace login"), "\(refused.text)")
        let terminal = try PseudoTerminal()
        let running = try run(command.filter { $0 != "\r" }, on: terminal)
        try await fixture.answer(on: terminal)
        #expect(try await running.ended().status == 0, "\(command): \(terminal.text)")
    }
}

/// Terminals without a person: `docker run -t`, or a build server that gives its jobs one.
@Suite("Terminals without a person")
struct UnattendedTerminalTests {
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
        let fixture = try await EndToEndFixture(app: app, session: .noBus)
        fixture.github.everySignIn(.waitForPerson)
        let (status, screen) = try await clone(fixture)
        #expect(status == 128 && screen.contains("Enter this code"), "\(screen)")
        #expect(!screen.contains("Username for"), "\(screen)")
    }

    @Test("asks nothing in a background job, because its first question would stop it")
    func background() async throws {
        let fixture = try await EndToEndFixture(session: .noBus)
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
        let fixture = try await EndToEndFixture(session: .noBus)
        if !hasClientID {
            try await fixture.git("config", "--global", "--unset", fixture.setting("oauthClientId")).succeeded()
        }
        let (status, screen) = try await clone(fixture, environment: ["CI": "1"])
        #expect(status == 128 && screen.contains("gitspace: error: "), "\(screen)")
        #expect(!screen.contains("Username for") && fixture.github.count(of: .deviceCode) == 0, "\(screen)")
    }

    @Test("lets core.askPass answer with CI set, unless only the repository configures it")
    func askPass() async throws {
        let fixture = try await EndToEndFixture(session: .noBus)
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

@Suite("Program that asks")
struct AskerTests {
    /// Returns the first lines that a person sees when a program of that name asks for a credential.
    private func opening(askedBy name: String, columns: UInt16 = 80, command: String = "") async throws -> String {
        let fixture = try await EndToEndFixture()
        let program = fixture.session.home + "/bin/" + name
        // libgit2 runs a helper in this way: without git, or with git only to start `git credential-gitspace`.
        let command = command.isEmpty ? "'\(BuiltFiles.helper)' get" : command
        try await fixture.session.write(
            program: program,
            """
            #!/usr/bin/python3
            import os, subprocess
            os.environ["PATH"] = "\(BuiltFiles.helperFolder):" + os.environ["PATH"]
            subprocess.run(["sh", "-c", "\(command)"], input=b"protocol=https\\nhost=\(fixture.host)\\n")
            """)
        _ = try await fixture.session.run(["mkdir", "src"])
        let terminal = try PseudoTerminal(columns: columns)
        let running = try fixture.start([program, "--token=secret"], in: fixture.session.home + "/src", on: terminal)
        try await terminal.type("q", after: "Ctrl-C cancels")
        _ = try await running.ended()
        #expect(!terminal.text.contains("git needs") && !terminal.text.contains("secret"))
        return terminal.text.replacing(fixture.host, with: "HOST")
    }

    @Test("names a program that asks without git", arguments: ["", "git credential-gitspace get"])
    func program(command: String) async throws {
        let opening = try await opening(askedBy: "cargo", command: command)
        #expect(opening.hasPrefix("Sign in to GitHub (HOST).\n\n1. "), "\(opening)")
        #expect(opening.contains("\n\nAsked by: cargo, in \"src\"\n\n"), "\(opening)")
        #expect(try await self.opening(askedBy: "cargo", columns: 30, command: command).hasPrefix("Sign in to HOST\n"))
    }

    @Test("does not show a malformed name, and reports an unknown program", arguments: ["two words", "\u{202e}x"])
    func unknown(name: String) async throws {
        let opening = try await opening(askedBy: name)
        #expect(opening.hasPrefix("Sign in to GitHub (HOST).\n\n1. "), "\(opening)")
        #expect(opening.contains("\n\nAsked by: an unknown program, in \"src\"\n\n"), "\(opening)")
    }

    @Test("names no program if git asks, or if a person typed login")
    func git() async throws {
        let fixture = try await EndToEndFixture()
        for (arguments, opening, asker) in [
            (["git", "ls-remote", fixture.address()], "git needs to sign in", "git ls-remote" as String?),
            (["git", "--namespace", "x", "credential", "fill"], "git needs to sign in", "git credential"),
            ([BuiltFiles.helper, "login", fixture.host], "Sign in", nil),
        ] {
            let terminal = try PseudoTerminal()
            let running = try fixture.start(arguments, input: "url=\(fixture.address())\n\n", on: terminal)
            try await terminal.type("q", after: "Waiting for you to approve")
            _ = try await running.ended()
            let text = terminal.text.replacing(fixture.host, with: "HOST")
            #expect(text.hasPrefix("\(opening) to GitHub (HOST).\n\n1. "), "\(text)")
            let line = asker.map { "\n\nAsked by: \($0), in \"~\"\n\n" }
            #expect(line.map(text.contains) ?? !text.contains("Asked by"), "\(text)")
        }
    }
}
