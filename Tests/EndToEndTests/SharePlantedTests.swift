import Staging
import Testing

/// A target that may write to its folder with our user, and plants files there.
@Suite("share: files that a target plants in its folder")
struct SharePlantedTests {
    private let fixture: EndToEndFixture
    private let folder: String

    /// Makes the folder of an earlier `share`.
    init() async throws {
        fixture = try await ShareTests.fixture().fixture
        folder = SharedBox.directory(of: "box", in: fixture.session)
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        chmod(folder + "/..", 0o700)
    }

    /// Checks that the share serves requests as usual, and ends.
    private func servesAndEnds() async throws {
        let box = try await SharedBox(fixture)
        #expect(try await box.ask("get", "protocol=https", "host=\(fixture.host)").contains("password="))
        #expect(try await fixture.gitspace("share", "list").output.hasPrefix("box: \(fixture.host)\n"))
        #expect(try await fixture.gitspace("share", "stop", "box").status == 0)
        #expect(try await box.program.ended().status == 0)
    }

    @Test("starts although the target listens on a socket there, and does not take it as a share")
    func socket() async throws {
        let planted = try SilentSocket(at: folder + "/socket")
        #expect(try await fixture.gitspace("share", "list").output == "Nothing is shared.\n")
        #expect(try await fixture.gitspace("share", "stop", "box").errors.contains("\"box\" is not shared"))
        try await servesAndEnds()
        withExtendedLifetime(planted) {}
    }

    @Test("starts although git's own cache has started there", arguments: Git.all)
    func cache(git: Git) async throws {
        let socket = folder + "/socket"
        let stored = "protocol=https\nhost=\(fixture.host)\nusername=monalisa\npassword=old\n"
        let path = git.folder.map { "\($0):\(fixture.session.environment["PATH"] ?? "")" }
        let cache = { (words: [String]) in
            try await fixture.start(
                ["git", "credential-cache", "--socket", socket] + words,
                environment: path.map { ["PATH": $0] } ?? [:], input: stored
            ).ended()
        }
        #expect(try await cache(["store"]).status == 0)
        try await servesAndEnds()
        _ = try await cache(["exit"])
    }

    @Test(
        "starts although other files or changed permissions are there",
        arguments: [
            "touch socket", "ln -s . socket", "ln -s nowhere socket", "mkfifo socket", "mkdir socket",
            "mkdir socket && touch socket/file && chmod 0 socket", "chmod 0777 .", "touch socket && chmod 0 .",
        ])
    func planted(steps: String) async throws {
        try await fixture.session.run(["sh", "-c", "cd \"$0\" && \(steps)", folder]).succeeded()
        try await servesAndEnds()
    }

    @Test("starts although a folder there comes and goes")
    func unstable() async throws {
        let loop = "cd \"$0\" && echo ready && while :; do mkdir socket; rmdir socket; done 2>/dev/null"
        let program = try fixture.start(["sh", "-c", loop, folder])
        try await eventually("a folder") { program.outputText == "ready\n" }
        for _ in 0..<5 { #expect(try await SharedBox(fixture).interrupt().status == 0) }
        program.signal(9)
        _ = try await program.ended()
    }

    @Test("keeps a share and its list although the target replaces the socket, and leaves that one")
    func exchanged() async throws {
        let box = try await SharedBox(fixture)
        try FileManager.default.removeItem(atPath: box.socket)
        let planted = try SilentSocket(at: box.socket)
        #expect(try await fixture.gitspace("share", "list").output.hasPrefix("box: \(fixture.host)\n"))
        #expect(try await fixture.gitspace("share", "box").errors.contains("\"box\" is shared already"))
        #expect(try await fixture.gitspace("share", "stop", "box").status == 0)
        #expect(try await box.program.ended().status == 0)
        #expect(FileManager.default.fileExists(atPath: box.socket))
        #expect(try await fixture.gitspace("share", "list").output == "Nothing is shared.\n")
        withExtendedLifetime(planted) {}
    }

    @Test("takes a socket as a share, and lists it, if systemd listens there")
    func systemd() async throws {
        let home = fixture.session.home
        try await fixture.session.write(
            program: home + "/bin/systemctl",
            """
            #!/bin/sh
            case "$*" in
            "--user list-units --type=socket --state=active --plain --no-legend gitspace-share@*")
                echo "gitspace-share@box.socket loaded active listening Shared git sign-in for box" ;;
            *) exit 4 ;;
            esac
            """)
        let environment = ["PATH": fixture.session.path()]
        let socket = try SilentSocket(at: folder + "/socket")
        for (words, expected) in [
            (["list"], "box: systemd starts it when it is used\n"), (["box"], "\"box\" is shared already"),
        ] {
            let end = try await fixture.gitspace(["share"] + words, environment: environment)
            #expect((end.output + end.errors).contains(expected), "\(end.output)\(end.errors)")
        }
        #expect(FileManager.default.fileExists(atPath: folder + "/socket"))
        withExtendedLifetime(socket) {}
    }

    @Test("starts and ends although systemctl does nothing and reports success, as in a chroot")
    func idleSystemctl() async throws {
        try await fixture.session.write(program: fixture.session.home + "/bin/systemctl", "#!/bin/sh\nexit 0")
        let environment = ["PATH": fixture.session.path()]
        let box = try await SharedBox(
            fixture.start([BuiltFiles.helper, "share", "box", "--token"], environment: environment), in: fixture)
        let end = try await fixture.gitspace("share", "stop", "box", environment: environment)
        #expect(end.status == 0 && end.output.contains("is no longer shared"), "\(end.output)\(end.errors)")
        #expect(try await box.program.ended().status == 0)
    }
}

/// `share --serve` behind a socket of another process, as systemd's: Tests/Support/hand-over.py.
@Suite("share: activation by a socket")
struct ShareActivationTests {
    /// A share that its socket starts.
    private final class Unit: Sendable {
        let socket: String
        let program: RunningProgram
        private let counter: String
        private let lifeline: Lifeline

        init(_ fixture: EndToEndFixture, idle: Int, settings: [String: String] = [:]) async throws {
            socket = SharedBox.directory(of: "box", in: fixture.session) + "/socket"
            counter = fixture.session.home + "/starts"
            for (key, value) in ["host": fixture.host, "token": "true"].merging(settings, uniquingKeysWith: { $1 }) {
                _ = try await fixture.git("config", "--global", "--add", "gitspace-share.box.\(key)", value)
            }
            lifeline = try Lifeline()
            // The unit's ExecStart runs the full program too.
            program = try RunningProgram(
                [BuiltFiles.script("hand-over.py"), socket, counter, BuiltFiles.helper + "-full", "share"]
                    + ["--serve", "box", "--idle", "\(idle)"],
                environment: fixture.session.environment, in: fixture.session.home, input: lifeline.programEnd,
                surroundings: fixture.session)
            let program = program
            try await eventually("a socket: \(program.errorText)", by: program) {
                program.outputText.hasPrefix("ready")
            }
        }

        /// The number of started processes.
        var starts: Int { (try? String(contentsOfFile: counter, encoding: .utf8).split(separator: "\n").count) ?? 0 }

        func ask(_ fixture: EndToEndFixture, host: String? = nil) async throws -> String {
            let request = SharedBox.text("get", ["protocol=https", "host=\(host ?? fixture.host)"])
            return try await SocketClient(to: socket, sending: request).answer()
        }
    }

    private let fixture: EndToEndFixture

    init() async throws { fixture = try await ShareTests.fixture().fixture }

    @Test("starts at the first request, once for twenty in a row, and ends when idle")
    func idle() async throws {
        let unit = try await Unit(fixture, idle: 20)
        #expect(unit.starts == 0)
        for _ in 0..<20 { #expect(try await unit.ask(fixture).contains("password=")) }
        #expect(unit.starts == 1)
        try await eventually("the end of an idle process") {
            unit.program.outputText.contains("systemd starts it again")
        }
        // systemd owns the socket, which stays; the next request starts the next process.
        #expect(try await unit.ask(fixture).contains("password=") && unit.starts == 2)
    }

    @Test("serves only the configured hosts, and none of a repository's")
    func configured() async throws {
        let unit = try await Unit(fixture, idle: 60, settings: ["username": "bob"])
        #expect(try await unit.ask(fixture) == "quit=1\n")
        #expect(try await unit.ask(fixture, host: "github.com").isEmpty)
    }

    @Test(
        "shares nothing after a bad setting",
        arguments: [("confirm", "maybe"), ("longLived", "perhaps"), ("hots", "x")])
    func malformed(key: String, value: String) async throws {
        _ = try await fixture.git("config", "--global", "gitspace-share.box.host", fixture.host)
        _ = try await fixture.git("config", "--global", "gitspace-share.box.\(key)", value)
        let end = try await fixture.gitspace("share", "--serve", "box")
        #expect(end.status == 1 && end.errors.contains("nothing is shared"), "\(end.errors)")
    }

    @Test("shares nothing by a repository's own configuration")
    func repository() async throws {
        let work = try await fixture.repository("work")
        for (key, value) in [("host", "github.com"), ("longLived", "true"), ("username", "bob")] {
            _ = try await fixture.git("config", "gitspace-share.box.\(key)", value, in: work)
        }
        let end = try await fixture.gitspace("share", "--serve", "box", in: work)
        #expect(end.status == 1 && end.errors.contains("names no host for the shared place"), "\(end.errors)")
    }

    @Test("reports a missing or wrong socket of systemd's")
    func noSocket() async throws {
        _ = try await fixture.git("config", "--global", "gitspace-share.box.host", fixture.host)
        let end = try await fixture.gitspace("share", "--serve", "box")
        let error = "did not pass a socket for this place\nhint: start the socket, not the service:\n"
        #expect(end.status == 1 && end.errors.contains(error), "\(end.errors)")
        let wrong =
            "import os,socket,sys\ns=socket.socket(socket.AF_UNIX)\ns.bind(sys.argv[1])\ns.listen()\nos.dup2(s.fileno(),3)\n"
            + "os.environ.update(LISTEN_PID=str(os.getpid()),LISTEN_FDS='1')\nos.execvp(sys.argv[2],sys.argv[2:])"
        let other = try await fixture.start(
            ["/usr/bin/python3", "-c", wrong, fixture.session.home + "/other", BuiltFiles.helper + "-full", "share"]
                + ["--serve", "box"]
        ).ended()
        #expect(other.status == 1 && other.errors.contains("did not pass a socket"), "\(other.errors)")
    }

    @Test("keeps git's configuration at an idle end, and serves the next connection of a gateway")
    func gateway() async throws {
        let unit = try await Unit(fixture, idle: 1, settings: ["token": "false"])
        for start in 1...2 {
            do {
                let place = try await PlaceConnection(at: unit.socket, host: fixture.host)
                place.discover()
                #expect(try await place.client.received(upTo: "0000\r\n0\r\n\r\n").contains("refs/heads/main"))
            }
            try await eventually("idle end \(start)", by: unit.program) {
                unit.program.outputText.ranges(of: "systemd starts it again").count == start
            }
            let written = try String(
                contentsOfFile: unit.socket.replacing("/socket", with: "/gitconfig"), encoding: .utf8)
            #expect(written.contains("proxy = socks5h://localhost"))
        }
        #expect(unit.starts == 2)
    }

    /// Makes a systemctl that lists the socket of box, and ends with a status when it is to stop it.
    private func systemctl(stopping status: Int) async throws -> [String: String] {
        try await fixture.session.write(
            program: fixture.session.home + "/bin/systemctl",
            "#!/bin/sh\n[ \"$2\" = list-units ] || exit \(status)\necho gitspace-share@box.socket loaded")
        return ["PATH": fixture.session.path()]
    }

    @Test("share stop ends a share for which systemd listens and no process runs")
    func stopWithoutProcess() async throws {
        let end = try await fixture.gitspace("share", "stop", "box", environment: systemctl(stopping: 0))
        #expect(end.status == 0 && end.output == "\"box\" is no longer shared.\n", "\(end)")
    }

    @Test("share stop fails if systemd does not stop its units, and prints the command that says why")
    func notStopped() async throws {
        let end = try await fixture.gitspace("share", "stop", "box", environment: systemctl(stopping: 1))
        #expect(end.status == 1 && end.output.isEmpty, "\(end)")
        #expect(end.errors.contains("systemd could not stop the units of \"box\"\n"), "\(end)")
        let why = "hint:   systemctl --user stop gitspace-share@box.socket gitspace-share@box.service\n"
        #expect(end.errors.hasSuffix("hint: find out why with:\n" + why), "\(end)")
    }

    @Test("share stop stops systemd's socket before the process, because a request would start another one")
    func stop() async throws {
        let box = try await SharedBox(fixture)
        let calls = fixture.session.home + "/systemctl"
        try await fixture.session.write(
            program: fixture.session.home + "/bin/systemctl",
            "#!/bin/sh\necho \"$@\" >>\(calls)\n[ \"$2\" != list-units ] || echo gitspace-share@box.socket")
        try await fixture.gitspace("share", "stop", "box", environment: ["PATH": fixture.session.path()]).succeeded()
        #expect(
            try String(contentsOfFile: calls, encoding: .utf8) == """
                --user list-units --type=socket --state=active --plain --no-legend gitspace-share@*
                --user stop gitspace-share@box.socket gitspace-share@box.service

                """)
        #expect(try await box.program.ended().status == 0)
    }
}
