import Staging
import Testing

@Suite("share: listener")
struct ShareListenerTests {
    private static func request(_ fixture: EndToEndFixture) -> [UInt8] {
        SharedBox.text("get", ["protocol=https", "host=\(fixture.host)"])
    }

    private func expectLittleMemory(of program: RunningProgram) throws {
        let status = try String(contentsOfFile: "/proc/\(program.id)/status", encoding: .utf8)
        let peak = status.firstMatch(of: /VmHWM:\s+(\d+) kB/).flatMap { Int($0.1) } ?? .max
        #expect(peak < 150 * 1_024, "\(peak) KiB")
    }

    @Test("ends a request at a blank line, and answers one for each connection")
    func once() async throws {
        let (fixture, box) = try await ShareTests.box()
        let request = Self.request(fixture) + [0x0a]
        let client = try SocketClient(to: box.socket)
        client.send(request + request)
        #expect(try await client.answer().split(separator: "\n").filter { $0.hasPrefix("password=") }.count == 1)
        #expect(!client.send(request))
    }

    @Test("accepts 8 KiB, and no byte more")
    func length() async throws {
        let (fixture, box) = try await ShareTests.box()
        let start = Self.request(fixture) + Array("wwwauth[]=".utf8)
        let longest = start + [UInt8](repeating: 0x78, count: 8_191 - start.count) + [0x0a]
        #expect(try await box.send(longest).contains("password="))
        #expect(try await box.send(start + [UInt8](repeating: 0x78, count: 8_192 - start.count) + [0x0a]).isEmpty)
        // An endless request is not read to its end.
        let client = try SocketClient(to: box.socket)
        #expect(!client.send([UInt8](repeating: 0x78, count: 64 << 20)))
        #expect(try await client.answer().isEmpty)
    }

    @Test("closes another user's connection unread, even if modes admit that user", arguments: ["--token", "gateway"])
    func otherUser(kind: String) async throws {
        let (fixture, _) = try await ShareTests.fixture()
        let share = [BuiltFiles.helper, "share", "box", "--host", fixture.host] + (kind == "gateway" ? [] : [kind])
        let box = try await SharedBox(fixture.start(share), in: fixture)
        guard geteuid() == 0 else {
            return Skipped.note("a connection by another user", because: "only root can become another user")
        }
        let greeting = "\u{5}\u{1}\u{0}"
        let request = kind == "gateway" ? greeting : String(decoding: Self.request(fixture), as: UTF8.self)
        let runtime = fixture.session.environment["XDG_RUNTIME_DIR"] ?? ""
        let open = "chmod 0777 \"$0\" \"$1\" \"$1/gitspace\" \"$1/gitspace/box\" \"$2\""
        _ = try await fixture.session.run(["sh", "-c", open, fixture.session.home, runtime, box.socket])
        var parent = runtime
        while parent != "/", parent != "/tmp", !parent.isEmpty {
            chmod(parent, 0o755)
            parent = URL(filePath: parent).deletingLastPathComponent().path()
            if parent.count > 1, parent.hasSuffix("/") { parent.removeLast() }
        }
        let client = [
            "import socket,sys", "s=socket.socket(socket.AF_UNIX)", "s.connect(sys.argv[1])",
            "s.sendall(sys.stdin.buffer.read())", "s.shutdown(1)", "print(len(s.recv(9999)))",
        ].joined(separator: "\n")
        for (user, isAnswered) in [("65534", false), ("0", true)] {
            let end = try await fixture.session.run(
                [
                    "setpriv", "--reuid=\(user)", "--regid=65534", "--clear-groups", "/usr/bin/python3", "-c", client,
                    box.socket,
                ], input: request)
            let answer = end.output.trimmingCharacters(in: .newlines)
            #expect(
                end.status == 0 || end.errors.contains("BrokenPipe") || end.errors.contains("ConnectionReset"),
                "\(end.errors)")
            #expect(isAnswered == (Int(answer) ?? 0 > 0), "user \(user): \(end.output)\(end.errors)")
        }
        let line = "refused user 65534: only your own user and root may use this share"
        #expect(box.program.outputText.contains(line), "\(box.program.outputText)")
    }

    @Test("replaces the socket of a killed listener in the same directory")
    func stale() async throws {
        let (fixture, first) = try await ShareTests.box()
        let before = try FileManager.default.attributesOfItem(atPath: first.directory)[.systemFileNumber] as? Int
        first.program.signal(SIGKILL)
        _ = try await first.program.ended()
        #expect(FileManager.default.fileExists(atPath: first.socket))
        #expect(throws: NeverHappened.self) { try SocketClient(to: first.socket) }
        let second = try await SharedBox(fixture)
        #expect(try await second.send(Self.request(fixture)).contains("password="))
        let after = try FileManager.default.attributesOfItem(atPath: second.directory)[.systemFileNumber] as? Int
        #expect(before == after)
    }

    @Test("fails if the name is shared already, and the first share goes on")
    func twice() async throws {
        let (fixture, box) = try await ShareTests.box()
        let starts = try (0..<4).map { _ in try fixture.start([BuiltFiles.helper, "share", "box", "--token"]) }
        for start in starts {
            let end = try await start.ended()
            let error = "\"box\" is shared already\nhint: stop it first:\n"
            #expect(end.status == 1 && end.errors.contains(error), "\(end.errors)")
        }
        #expect(try await box.send(Self.request(fixture)).contains("password="))
        #expect(try await box.interrupt().status == 0)
    }

    @Test("does not use a directory that others may enter, or that is a link")
    func unsafe() async throws {
        let (fixture, _) = try await ShareTests.fixture()
        let runtime = fixture.session.environment["XDG_RUNTIME_DIR"] ?? ""
        for prepare in [
            "mkdir -p -m 0755 \"$0/gitspace\"", "mkdir -m 0700 \"$0/other\" && ln -sfn other \"$0/gitspace\"",
        ] {
            _ = try await fixture.session.run(["sh", "-c", "rm -rf \"$0/gitspace\" && " + prepare, runtime])
            let end = try await fixture.gitspace("share", "box", "--token")
            #expect(end.status == 1 && end.errors.contains("must be a folder that belongs to you"), "\(end.errors)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: runtime + "/other").isEmpty)
    }

    @Test("answers other clients during a flood of rubbish, with little memory")
    func flood() async throws {
        let (fixture, box) = try await ShareTests.box()
        var generator = SeededGenerator(seed: 14)
        for round in 0..<400 {
            let rubbish = (0..<Int.random(in: 0..<9_000, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            let client = try SocketClient(to: box.socket)
            client.send(round.isMultiple(of: 2) ? rubbish : Self.request(fixture).dropLast(5) + rubbish)
            if round.isMultiple(of: 3) { client.endInput() }
        }
        #expect(try await box.send(Self.request(fixture)).contains("password="))
        try expectLittleMemory(of: box.program)
        #expect(fixture.github.requests.isEmpty)
    }

    /// Sends Tests/Corpus/Requests as they are, and framed.
    @Test("returns no other host's token to the corpus, with no change, request or prompt", arguments: [false, true])
    func corpus(isFramed: Bool) async throws {
        let fixture = try await HostileRequestTests.fixture()
        let box = try await SharedBox(fixture, "--host", "github.com", "--host", "kiosk.ghe.test", "--long-lived")
        let before = try await fixture.session.items()
        for hostile in try HostileRequest.all() {
            for action in hostile.operations {
                let frame = isFramed ? Array("action=\(action)\ntimeout=900\n".utf8) : []
                let answer = try await box.send(frame + hostile.bytes(for: action))
                let what = Comment(rawValue: "\(hostile.name), \(action): \(answer)")
                let token = hostile.whose.flatMap { HostileRequestTests.tokens[$0] }
                if let token, isFramed, action == "get", answer.contains("password=") {
                    #expect(answer.hasSuffix("\npassword=\(token)\n"), what)
                } else if isFramed, action == "get" {
                    // A refusal is only for requests that a helper could answer: another account of a shared host.
                    #expect(answer.isEmpty || answer == "quit=1\n", what)
                } else {
                    #expect(answer.isEmpty, what)
                }
            }
        }
        #expect(try await fixture.session.items() == before)
        #expect(fixture.github.tunnels.isEmpty && fixture.github.requests.isEmpty)
        try expectLittleMemory(of: box.program)
    }
}

@Suite("share: a flood of connections")
struct ShareFloodTests {
    /// A byte more than a request may have, so the connection is closed once it is read.
    private static let tooLong = [UInt8](repeating: 0x78, count: 8_193)

    /// The most connections of the flood until another client must be answered.
    ///
    /// They are the kernel's queue (128), one turn, and those during the keyring's answer, which takes seconds on a
    /// busy machine. Without the rule there would be some hundred thousand.
    private static let soon = 50_000

    private func flooded() async throws -> (fixture: EndToEndFixture, box: SharedBox, flood: Flood) {
        let (fixture, box) = try await ShareTests.box()
        let flood = Flood(at: box.socket, sending: Self.tooLong)
        try await eventually("a flood") { flood.connections > 1_000 }
        return (fixture, box, flood)
    }

    @Test("ends at once after SIGTERM")
    func end() async throws {
        let (_, box, flood) = try await flooded()
        let before = flood.connections
        box.program.signal(SIGTERM)
        #expect(try await box.program.ended().status == 0)
        #expect(flood.connections - before < Self.soon)
    }

    @Test("share stop ends it")
    func stop() async throws {
        let (fixture, box, _) = try await flooded()
        let end = try await fixture.gitspace("share", "stop", "box")
        #expect(end.status == 0 && end.output.contains("\"box\" is no longer shared."), "\(end.output)\(end.errors)")
        #expect(try await box.program.ended().status == 0)
    }

    @Test("answers another client soon")
    func honest() async throws {
        let (fixture, box, flood) = try await flooded()
        for _ in 0..<5 {
            let before = flood.connections
            #expect(try await box.ask("get", "protocol=https", "host=\(fixture.host)").contains("password="))
            #expect(flood.connections - before < Self.soon)
        }
        #expect(try await box.interrupt().status == 0)
    }
}

/// A PID namespace, out of which signals reach only our own process group.
private enum PIDNamespace {
    /// Runs a command in a PID namespace, with a process group of its own (`RunningProgram`).
    static let command = ["unshare", "--pid", "--fork", "--"]

    /// Whether the tests can create one on this machine.
    static let isAvailable = (try? RunningProgram.run(command + ["true"]).status) == 0
}

@Suite(
    "share stop: in another PID namespace",
    .enabled(
        if: PIDNamespace.isAvailable, "needs root: in a user namespace of one's own the folders of root are nobody's"))
struct ShareStopTests {
    @Test("ends no process, keeps the share outside, and prints where to stop it")
    func outside() async throws {
        let (fixture, box) = try await ShareTests.box()
        // Another process inside must go on.
        let script = "sleep 600 & \"$0\" share stop box; \"$0\" share list; kill $! && echo alive"
        let end = try await fixture.start(PIDNamespace.command + ["sh", "-c", script, BuiltFiles.helper]).ended()
        #expect(end.errors.contains("\"box\" is shared by a process that cannot be stopped from here\n"), "\(end)")
        let hint = "hint: stop it where it was started, for example outside this container:\n"
        #expect(end.errors.contains(hint + "hint:   git credential-gitspace share stop box\n"), "\(end)")
        #expect(end.output.hasPrefix("box: \(fixture.host)\n") && end.output.hasSuffix("alive\n"), "\(end)")
        #expect(try await box.ask("get", "protocol=https", "host=\(fixture.host)").contains("password="))
        #expect(try await box.interrupt().status == 0)
    }
}
