import Staging
import Testing

/// A shared sign-in: the real listener and keyring, with git's own cache as the client.
@Suite("share: a real git as the target")
struct ShareTests {
    /// Returns a session where monalisa is signed in with a token that expires in some seconds.
    static func fixture(
        git: Git = .system, expiringIn seconds: Double = 7_200, lifetime: Double? = nil
    ) async throws -> (fixture: EndToEndFixture, token: IssuedToken) {
        let fixture = try await EndToEndFixture(git: git, app: Service.gitHub.refreshingApp(interval: 1))
        return (fixture, try await fixture.signedIn("monalisa", expiringIn: seconds, lifetime: lifetime))
    }

    /// Starts to share the token.
    static func box() async throws -> (fixture: EndToEndFixture, box: SharedBox) {
        let (fixture, _) = try await fixture()
        return (fixture, try await SharedBox(fixture))
    }

    @Test("clones and pushes by the printed lines in an unmodified git without a keyring", arguments: Git.all)
    func clone(git: Git) async throws {
        let (fixture, _) = try await Self.fixture(git: git)
        let box = try await SharedBox(fixture)
        let home = fixture.session.home + "/inside"
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        var environment = try await box.inside(fixture, home: home)
        #expect(environment["GIT_CONFIG_COUNT"] == "2" && environment["GIT_CONFIG_VALUE_0"]?.isEmpty == true)
        if let folder = git.folder { environment["PATH"] = "\(folder):\(environment["PATH"] ?? "")" }
        let script = """
            set -e
            git clone \(fixture.address()) work
            cd work
            git -c user.name=m -c user.email=m@example.test commit --allow-empty -m inside
            git push
            """
        let nothing = try UnnamedFile(contents: [])
        try await RunningProgram(
            ["sh", "-c", script], environment: environment, in: home, input: nothing.descriptor, surroundings: nothing
        ).ended().succeeded()
        #expect(try fixture.github.git(["log", "--format=%s", "-1", "main"], in: "acme/private") == "inside\n")
        // No token is left inside.
        let left = try FileManager.default.subpathsOfDirectory(atPath: home).filter { !$0.hasPrefix("work") }
        #expect(left.isEmpty, "\(left)")
    }

    @Test("makes git inside stop if the target gets no token, and lets it go on for any other host", arguments: Git.all)
    func refused(git: Git) async throws {
        let (fixture, _) = try await Self.fixture(git: git)
        let box = try await SharedBox(fixture, "--host", fixture.host)
        #expect(try await fixture.gitspace("logout", fixture.host).status == 0)
        func fill(_ host: String) async throws -> RunningProgram.End {
            try await fixture.git(
                "-c", "credential.helper=", "-c", "credential.https://\(fixture.host).helper=",
                "-c", "credential.helper=cache --socket \(box.socket)", "credential", "fill",
                environment: ["GIT_TERMINAL_PROMPT": "0"], input: "protocol=https\nhost=\(host)\n")
        }
        let listed = try await fill(fixture.host)
        #expect(listed.status == 128 && listed.errors.contains("told us to quit"), "\(listed.errors)")
        let other = try await fill("other.example")
        #expect(other.status == 128 && other.errors.contains("could not read Username"), "\(other.errors)")
    }

    @Test("creates the directory as 0700 and the socket as 0600 in the runtime directory, with any umask")
    func modes() async throws {
        let (fixture, _) = try await Self.fixture()
        let box = SharedBox.directory(of: "box", in: fixture.session)
        let program = try fixture.start(["sh", "-c", "umask 0; exec \"$0\" share box", BuiltFiles.helper])
        try await eventually("a socket") { FileManager.default.fileExists(atPath: box + "/socket") }
        let modes = try await fixture.session.run(["stat", "--format=%a %F", box + "/..", box, box + "/socket"])
        #expect(modes.output == "700 directory\n700 directory\n600 socket\n")
        program.signal(SIGTERM)
        #expect(try await program.ended().status == 0)
        // The directory stays, since it may be mounted; the socket is removed.
        #expect(try FileManager.default.contentsOfDirectory(atPath: box).isEmpty)
    }

    @Test(
        "refuses a folder whose name a shell, an engine or ssh would split",
        arguments: ["$HOME", "`id`", "it's", "\"", "a\\b", "a:/b", "a,b", "a\nb"])
    func unquotable(name: String) async throws {
        let (fixture, _) = try await Self.fixture()
        let cache = fixture.session.home + "/" + name
        let made = try await fixture.session.run(["mkdir", "-p", "-m", "0700", cache])
        let end = try await fixture.gitspace(
            "share", "box", "--token", "--for", "1m", environment: ["XDG_RUNTIME_DIR": "", "XDG_CACHE_HOME": cache])
        #expect(made.status == 0 && end.status == 1, "\(end.errors)")
        let hint = "hint: set XDG_RUNTIME_DIR to a folder without any of these: $ ` ' \" \\ : , %\n"
        #expect(end.errors.contains("unsafe in a shell") && end.errors.hasSuffix(hint), "\(end.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: cache).isEmpty)
    }

    @Test("shares and stops nothing below a folder that another user could replace")
    func exchangeable() async throws {
        let (fixture, _) = try await Self.fixture()
        let open = fixture.session.home + "/open"
        let make = "mkdir -m 0777 \"$0\" && mkdir -m 0700 \"$0/cache\" && chmod 0777 \"$0\""
        #expect(try await fixture.session.run(["sh", "-c", make, open]).status == 0)
        for words in [["box", "--token"], ["stop", "box"]] {
            let end = try await fixture.gitspace(
                ["share"] + words, environment: ["XDG_RUNTIME_DIR": "", "XDG_CACHE_HOME": open + "/cache"])
            #expect(end.status == 1 && end.errors.contains("another user could replace \(open)"), "\(end.errors)")
            #expect(end.errors.contains("\nhint: see whose it is, and who may write to it:\n"), "\(end.errors)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: open + "/cache").isEmpty)
    }

    @Test("refreshes an expired token once for thirty-two simultaneous gits")
    func parallel() async throws {
        let (fixture, _) = try await Self.fixture(expiringIn: -10)
        let box = try await SharedBox(fixture)
        let request = fixture.request
        let clients = try (1...32).map { _ in
            try fixture.start(["git", "credential-cache", "--socket", box.socket, "get"], input: request)
        }
        var answers: Set<String> = []
        for client in clients { answers.insert(try await client.ended().output) }
        let new = try #require(fixture.github.tokens.last)
        #expect(answers.count == 1 && answers.first?.contains("password=\(new.accessToken)\n") == true, "\(answers)")
        #expect(fixture.github.count(of: .refresh) == 1 && fixture.github.refreshTokenReuses == 0)
        #expect(try await fixture.session.items().map(\.password) == [new.accessToken])
    }

    @Test("unlocks a keyring for a person, and not for a target, with any display")
    func noPrompt() async throws {
        let fixture = try await EndToEndFixture(session: .noProvider)
        let service = try await ScriptedBusService(.keyring, "unlocks", in: fixture.session)
        let host = ScriptedBusService.host
        let display = ["DISPLAY": ":of-the-test"]
        let share = [BuiltFiles.helper, "share", "box", "--token", "--host", host]
        let box = try await SharedBox(fixture.start(share, environment: display), in: fixture)
        #expect(try await box.ask("get", "protocol=https", "host=\(host)") == "quit=1\n")
        #expect(service.calls.contains("SearchItems") && !service.calls.contains("Prompt"), "\(service.calls)")
        let own = try await fixture.gitspace("get", environment: display, input: "protocol=https\nhost=\(host)\n")
        #expect(own.output == "username=octocat\npassword=token\n" && service.calls.contains("Prompt"))
    }

    @Test("asks for no keyring password at its terminal when a target sends a request")
    func noQuestion() async throws {
        let (fixture, _) = try await Self.fixture()
        let terminal = try PseudoTerminal()
        let box = try await SharedBox(fixture, on: terminal)
        #expect(try await box.ask("get", "protocol=https", "host=\(fixture.host)").contains("password="))
        try await fixture.session.control("lock")
        #expect(try await box.ask("get", "protocol=https", "host=\(fixture.host)") == "quit=1\n")
        #expect(!terminal.text.contains("Password"), "\(terminal.text)")
    }

    @Test("share list counts the uses, and share stop --refresh makes every copy invalid")
    func listAndStop() async throws {
        let (fixture, old) = try await Self.fixture()
        #expect(try await fixture.gitspace("share", "list").output == "Nothing is shared.\n")
        let box = try await SharedBox(fixture, "--for", "8h")
        #expect(try await fixture.gitspace("share", "list").output.hasPrefix("box: \(fixture.host)\n  Not used since "))
        for _ in 0..<3 { _ = try await box.ask("get", "protocol=https", "host=\(fixture.host)") }
        let list = try await fixture.gitspace("share", "list")
        #expect(list.output.contains("Uses: 3. Last use: ") && list.output.contains("Ends at "), "\(list.output)")

        let stopped = try await fixture.gitspace("share", "stop", "box")
        #expect(stopped.status == 0 && stopped.output.contains("share stop box --refresh"), "\(stopped.output)")
        #expect(try await box.program.ended().status == 0 && fixture.github.isLive(old.accessToken))
        #expect(try await fixture.gitspace("share", "list").output == "Nothing is shared.\n")
        let record = box.directory.replacing("/box", with: "/.box.share")
        let inode = try FileManager.default.attributesOfItem(atPath: record)[.systemFileNumber] as? Int
        // The refresh can also be done later, once.
        let refreshed = try await fixture.gitspace("share", "stop", "box", "--refresh")
        #expect(refreshed.status == 0 && refreshed.output.contains("accepts no copy of the old token any more"))
        #expect(!fixture.github.isLive(old.accessToken) && fixture.github.count(of: .refresh) == 1)
        let again = try await fixture.gitspace("share", "stop", "box", "--refresh")
        #expect(again.status == 1 && again.errors.contains("\"box\" is not shared"))
        // The file stays, because otherwise two processes could lock files of the same name.
        let left = try FileManager.default.attributesOfItem(atPath: record)
        #expect(left[.systemFileNumber] as? Int == inode && left[.size] as? Int == 0)
    }

    @Test("share stop --refresh also ends the tokens that an earlier process of the name gave away")
    func restarted() async throws {
        let (fixture, old) = try await Self.fixture()
        let first = try await SharedBox(fixture)
        #expect(try await first.ask("get", "protocol=https", "host=\(fixture.host)").contains(old.accessToken))
        _ = try await first.interrupt()
        let second = try await SharedBox(fixture)
        let end = try await fixture.start([BuiltFiles.helper, "share", "stop", "box", "--refresh"]).ended()
        #expect(end.status == 0 && end.output.contains("accepts no copy of the old token any more"), "\(end)")
        #expect(try await second.program.ended().status == 0 && !fixture.github.isLive(old.accessToken))
    }

    @Test("share stop says after Ctrl-C that the share goes on, and how to end it")
    func notStopped() async throws {
        let (fixture, box) = try await Self.box()
        let id = box.program.id
        box.program.signal(SIGSTOP)
        let stop = try fixture.start([BuiltFiles.helper, "share", "stop", "box"])
        // The signal waits at the stopped process (proc_pid_status(5)).
        try await eventually("SIGTERM", by: stop) {
            let status = try? String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)
            return status?.contains("\nShdPnd:\t0000000000004000\n") == true
        }
        stop.signal(SIGINT)
        let end = try await stop.ended()
        #expect(end.status != 0 && end.output.isEmpty, "\(end)")
        let error = "\"box\" could not be stopped\nhint: end its process:\nhint:   kill \(id)\n"
        #expect(end.errors.contains(error), "\(end)")
        box.program.signal(SIGCONT)
        #expect(try await box.program.ended().status == 0)
    }

    @Test("says that the path of the socket is too long, and shares nothing")
    func longPath() async throws {
        let (fixture, _) = try await Self.fixture()
        let runtime = fixture.session.home + "/" + String(repeating: "r", count: 90)
        try FileManager.default.createDirectory(
            atPath: runtime, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let end = try await fixture.gitspace("share", "box", environment: ["XDG_RUNTIME_DIR": runtime])
        let words = "the socket's path is too long (more than 107 bytes): \(runtime)/gitspace/.box.socket\n"
        #expect(end.status == 1 && end.errors.contains(words), "\(end)")
        #expect(end.errors.contains("choose a shorter name"), "\(end)")
    }

    @Test("prints what to do after meaningless arguments, and for a target without hosts")
    func nonsense() async throws {
        let fixture = try await EndToEndFixture()
        for (arguments, words) in [
            (["a/b"], "cannot be the name of a shared place"), (["box", "--for", "soon"], "'--for' takes minutes"),
            (["box", "--confirm", "maybe"], "'--confirm' takes never, once or each"),
            (["box", "--host", "a b"], "is not a host"), (["box"], "nothing to share"),
            (["box", "--token"], "nothing to share"),
            (["--serve", "box"], "git config --global --add gitspace-share.box.host github.com"),
        ] {
            let end = try await fixture.gitspace(["share"] + arguments)
            #expect(end.status != 0 && end.errors.contains(words), "\(arguments): \(end.errors)")
        }
    }
}
