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

    private func share(_ words: String...) async throws -> RunningProgram.End {
        try await fixture.gitspace(["share"] + words)
    }

    /// Checks that the share serves requests as usual, and ends.
    private func servesAndEnds() async throws {
        let box = try await SharedBox(fixture)
        #expect(try await box.ask("get", "protocol=https", "host=\(fixture.host)").contains("password="))
        #expect(try await share("list").output.hasPrefix("box: \(fixture.host)\n"))
        #expect(try await share("stop", "box").status == 0)
        #expect(try await box.program.ended().status == 0)
    }

    @Test("starts although the target listens on a socket there, and does not take it as a share")
    func socket() async throws {
        let planted = try SilentSocket(at: folder + "/socket")
        #expect(try await share("list").output == "Nothing is shared.\n")
        #expect(try await share("stop", "box").errors.contains("\"box\" is not shared"))
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
        #expect(try await share("list").output.hasPrefix("box: \(fixture.host)\n"))
        #expect(try await share("box").errors.contains("\"box\" is shared already"))
        #expect(try await share("stop", "box").status == 0)
        #expect(try await box.program.ended().status == 0)
        #expect(FileManager.default.fileExists(atPath: box.socket))
        #expect(try await share("list").output == "Nothing is shared.\n")
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
