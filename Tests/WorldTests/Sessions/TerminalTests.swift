import Staging
import Testing

extension Sessions {
    /// Terminals that end with their command, on a machine without a keyring: a token kept in memory must survive.
    @Suite("Terminals that end") struct TerminalTests {
        private static let kept = "No keyring here: git credential-cache keeps the token"

        /// A machine without a keyring, where the next sign-in is approved.
        private func machine() async throws -> EndToEndFixture {
            let fixture = try await EndToEndFixture(app: .gitHubApp(interval: 1), session: .noBus)
            fixture.server.nextSignIn(.approve(as: "monalisa"))
            return fixture
        }

        /// Expects that git asks nobody again, and that the verbs list the token.
        private func expectKept(
            _ fixture: EndToEndFixture, _ run: (String) async throws -> (status: Int32, output: String)
        ) async throws {
            let next = try await run("git ls-remote \(fixture.address())")
            #expect(next.status == 0 && next.output.contains("HEAD"), "\(next.output)")
            #expect(fixture.server.count(of: .deviceCode) == 1)
            let status = try await run("\(BuiltFiles.helper) status")
            #expect(status.output.contains("Signed in as monalisa (memory)"), "\(status.output)")
            let refresh = try await run("\(BuiltFiles.helper) refresh \(fixture.host)")
            #expect(refresh.status == 0 && fixture.server.count(of: .refresh) == 1, "\(refresh.output)")
            let logout = try await run("\(BuiltFiles.helper) logout \(fixture.host)")
            #expect(logout.output.contains("removed monalisa from memory."), "\(logout.output)")
            let after = try await run("\(BuiltFiles.helper) status")
            #expect(after.status == 1 && !after.output.contains("monalisa"), "\(after.output)")
        }

        @Test("keeps the token after the connection of ssh -tt localhost git … has ended")
        func ssh() async throws {
            guard SSHServer.isHere else {
                return WorldRow.notRun(.sessions, "OpenSSH", tried: "sign in by `ssh -tt`", because: "no sshd is here")
            }
            let fixture = try await machine()
            let path = ["PATH": SSHServer.path(of: fixture.session)]
            let server = try await SSHServer(
                in: fixture.session, environment: fixture.session.environment.merging(path) { $1 })
            let first = try await server.run("git ls-remote \(fixture.address())", hasTerminal: true)
            #expect(first.status == 0 && first.output.contains(Self.kept), "\(first.output)\(first.errors)")
            try await expectKept(fixture) { command in
                let end = try await server.run(command, hasTerminal: command.contains("ls-remote"))
                return (end.status, end.output + end.errors)
            }
            WorldRow.add(
                .sessions, "OpenSSH", try SSHServer.version(), tried: "sign in by `ssh -tt`, without a keyring",
                result: "the token is kept for the next connection; status, refresh and logout find it")
        }

        @Test("keeps the token after the terminal of script(1) has ended")
        func script() async throws {
            let fixture = try await machine()
            let run = { (command: String) async throws -> (status: Int32, output: String) in
                let end = try await fixture.session.run(
                    ["script", "-qec", command, "/dev/null"], environment: ["SHELL": "/bin/sh"])
                return (end.status, end.output + end.errors)
            }
            let first = try await run("git ls-remote \(fixture.address())")
            #expect(first.status == 0 && first.output.contains(Self.kept), "\(first.output)")
            try await expectKept(fixture, run)
            let version = try RunningProgram.run(["script", "--version"]).output.split(separator: " ").last
            WorldRow.add(
                .sessions, "script", version.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) } ?? "",
                tried: "sign in, without a keyring", result: "the token is kept; status, refresh and logout find it")
        }

        @Test(
            "keeps the token after the window of the sign-in, and the server of the windows, have ended",
            arguments: [Multiplexer.tmux, .screen])
        func window(of program: Multiplexer) async throws {
            let tried = "sign in, without a keyring"
            guard !program.isMissing else {
                return WorldRow.notRun(.sessions, program.rawValue, tried: tried, because: "it is not installed")
            }
            let fixture = try await machine()
            let run = { (command: String) in try await program.run(command, in: fixture.session) }
            let first = try await run("git ls-remote \(fixture.address())")
            #expect(first.status == 0 && fixture.server.count(of: .deviceCode) == 1, "\(first.output)")
            try await expectKept(fixture, run)
            WorldRow.add(
                .sessions, program.rawValue, try program.version(), tried: tried,
                result: "the token is kept; status, refresh and logout find it")
        }

        @Test("uses a token in memory in cron's environment, and without one neither asks nor waits")
        func cron() async throws {
            // The environment that cron gives a command (crontab(5)); `gitspaceStore` keeps the machine's keyring out.
            let fixture = try await EndToEndFixture(session: .noBus, settings: "gitspaceStore = cache")
            let cron = { (command: String) in
                try await fixture.session.run([
                    "env", "-i", "HOME=\(fixture.session.home)", "LOGNAME=root", "SHELL=/bin/sh",
                    "PATH=/usr/bin:/bin", "sh", "-c", "GIT_CONFIG_NOSYSTEM=1 \(command)",
                ])
            }
            let nobody = try await cron("git ls-remote \(fixture.address())")
            #expect(nobody.status == 128)
            let sentence =
                "gitspace: error: not signed in to \(fixture.host), and there is no terminal or desktop to sign in from\n"
            #expect(nobody.errors.hasPrefix(sentence), "\(nobody.errors)")
            #expect(fixture.server.count(of: .deviceCode) == 0)
            fixture.server.nextSignIn(.approve(as: "monalisa"))
            try await fixture.session.run(
                ["script", "-qec", "git ls-remote \(fixture.address())", "/dev/null"],
                environment: ["SHELL": "/bin/sh", "XDG_CACHE_HOME": fixture.session.home + "/.cache"]
            ).succeeded()
            try await cron("git ls-remote \(fixture.address())").succeeded(silently: true)
            WorldRow.add(
                .sessions, "cron's environment", "", tried: "`git ls-remote`, without a keyring",
                result: "a token in memory is used; without one, one line and no waiting")
        }
    }

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

/// A program that runs commands in windows of its own: tmux, screen.
enum Multiplexer: String {
    case tmux, screen

    /// Whether this machine may lack the program, and does: every test machine has tmux (packaging/dependencies.sh test).
    var isMissing: Bool { self == .screen && !FileManager.default.isExecutableFile(atPath: "/usr/bin/" + rawValue) }

    /// Runs a command in the only window of a server, which ends with the command.
    func run(_ command: String, in session: Session) async throws -> (status: Int32, output: String) {
        let folder = session.home + "/" + rawValue
        let environment = ["TMUX_TMPDIR": folder, "SCREENDIR": folder + "/sockets"]
        try await session.write(
            program: folder + "/window", "#!/bin/sh\n\(command) >\(folder)/output\necho $? >\(folder)/status")
        _ = try await session.run(["mkdir", "-p", "-m", "700", folder + "/sockets"])
        let start =
            self == .tmux
            ? ["tmux", "-f", "/dev/null", "-L", "world", "new-session", "-d", folder + "/window"]
            : ["screen", "-c", "/dev/null", "-D", "-m", folder + "/window"]
        let end = try await session.run(start, environment: environment)
        if self == .tmux {
            let isThere = ["tmux", "-L", "world", "has-session"]
            let environment = session.environment.merging(environment) { $1 }
            try await eventually("the end of the window") {
                try RunningProgram.run(isThere, environment: environment).status != 0
            }
        }
        let status = try String(contentsOfFile: folder + "/status", encoding: .utf8)
        let output = try String(contentsOfFile: folder + "/output", encoding: .utf8)
        return (Int32(status.dropLast()) ?? -1, output + end.errors)
    }

    func version() throws -> String {
        let text = try RunningProgram.run([rawValue, self == .tmux ? "-V" : "--version"]).output
        let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
        return words.first { $0.first?.isNumber == true } ?? ""
    }
}
