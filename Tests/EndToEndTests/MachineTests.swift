import Staging
import Testing

/// Programs without a session of their own, for a person with a session: cron(8), systemd's timers, `env -i`.
@Suite("Environments without a session's variables", .enabled(if: CronEnvironment.isAvailable, "needs user namespaces"))
struct CronTests {
    /// Runs a command as cron would.
    private func cron(
        _ fixture: EndToEndFixture, hasBus: Bool = true, _ command: [String], input: String = ""
    ) async throws -> RunningProgram.End {
        try await fixture.session.run(
            CronEnvironment.command(withBusOf: hasBus ? fixture.session : nil, command), input: input)
    }

    @Test(
        "both programs find the keyring, for reading and writing, git fetches, and status shows the account",
        arguments: ["on", "off"])
    func found(door: String) async throws {
        let fixture = try await EndToEndFixture()
        let token = try await fixture.signedIn("monalisa")
        let trace = fixture.session.home + "/trace"
        let program = ["GITSPACE_TRACE=\(trace)", "GITSPACE_FRONT_DOOR=\(door)", BuiltFiles.helper]
        let read = try await cron(fixture, program + ["get"], input: fixture.request)
        #expect(read.status == 0 && read.output.contains("password=\(token.accessToken)\n"), "\(read.errors)")
        let text = try String(contentsOfFile: trace, encoding: .utf8)
        #expect(text.contains("front door: get answered") == (door == "on"), "\(text)")

        let pair = "protocol=https\nhost=foreign.example\nusername=bob\npassword=secret\n"
        try await cron(fixture, program + ["store"], input: pair).succeeded(silently: true)
        #expect(try await fixture.session.items().contains { $0.password == "secret" })
        try await cron(fixture, ["git", "ls-remote", fixture.address()]).succeeded(silently: true)
        let status = try await cron(fixture, [BuiltFiles.helper, "status", fixture.host])
        #expect(status.status == 0 && status.output.contains("Signed in as monalisa (keyring)"), "\(status.errors)")
    }

    @Test("get offers no sign-in on the desktop, because no person has started it")
    func nobodyAsked() async throws {
        let fixture = try await EndToEndFixture()
        let desktop = try await ScriptedBusService(.notifications, "full", in: fixture.session)
        let end = try await cron(fixture, ["git", "ls-remote", fixture.address()])
        #expect(end.errors.contains("not signed in to \(fixture.host), and there is no terminal"), "\(end.errors)")
        #expect(desktop.lines.isEmpty && fixture.github.count(of: .deviceCode) == 0)
    }

    @Test("reports the missing bus, and not a missing sign-in", arguments: ["get", "status"])
    func noBus(command: String) async throws {
        let fixture = try await EndToEndFixture()
        try await fixture.signedIn("monalisa")
        let end = try await cron(fixture, hasBus: false, [BuiltFiles.helper, command], input: fixture.request)
        #expect(!end.output.contains("password"))
        #expect(end.errors.contains("no keyring is running in this session\n"), "\(end.errors)")
        #expect(!(end.output + end.errors).lowercased().contains("not signed in"), "\(end.output)\(end.errors)")
        #expect(command == "get" || end.status == 1)
    }

    @Test(
        "does not connect to a socket of another user's",
        .enabled(if: RootsNamespaces.areAvailable, Comment(rawValue: RootsNamespaces.need)))
    func foreignSocket() async throws {
        let fixture = try await EndToEndFixture()
        try await fixture.signedIn("monalisa")
        // The socket leads to the right bus, but belongs to another user.
        try #require(chown(CronEnvironment.bus(of: fixture.session), 65_534, 65_534) == 0)
        for door in ["on", "off"] {
            let end = try await cron(
                fixture, ["GITSPACE_FRONT_DOOR=\(door)", BuiltFiles.helper, "get"], input: fixture.request)
            #expect(end.output.isEmpty && end.errors.contains("no keyring is running in this session"), "\(end.errors)")
        }
    }
}

/// A tmux(1) or screen(1) from before the current desktop names the bus of the session before.
///
/// A refused address stays refused, although there is a bus of ours: `HostileBusTests`.
@Suite("Session buses that have ended")
struct StaleBusTests {
    /// Returns the address of a socket that refuses connections, or of none.
    private func deadAddress(_ isThere: Bool, in session: Session) throws -> String {
        let path = session.home + "/ended"
        if isThere { close(try UnixAddress.bound(to: path)) }
        return "unix:path=\(path),guid=0123456789abcdef0123456789abcdef"
    }

    @Test("uses the bus of the login in both programs and in their children", arguments: [true, false], ["on", "off"])
    func used(isThere: Bool, door: String) async throws {
        let fixture = try await EndToEndFixture()
        let session = fixture.session
        try await fixture.signedIn("monalisa")
        let (trace, note) = (session.home + "/trace", session.home + "/note")
        try await session.write(git: "printf '%s\\n' \"$DBUS_SESSION_BUS_ADDRESS\" >>\(note)")
        let environment = [
            "DBUS_SESSION_BUS_ADDRESS": try deadAddress(isThere, in: session), "GITSPACE_TRACE": trace,
            "GITSPACE_FRONT_DOOR": door, "PATH": session.path(),
        ]
        let get = try await fixture.helper("get", environment: environment)
        #expect(get.output.hasPrefix("username=monalisa\n") && get.errors.isEmpty, "\(get.errors)")
        let text = try String(contentsOfFile: trace, encoding: .utf8)
        #expect(text.contains("front door: get answered") == (door == "on"), "\(text)")
        let pair = "protocol=https\nhost=foreign.example\nusername=bob\npassword=secret\n"
        let store = try await fixture.gitspace("store", environment: environment, input: pair)
        #expect(store.errors.isEmpty, "\(store.errors)")
        #expect(try await session.items().contains { $0.password == "secret" })
        // The full program has asked git for its configuration.
        let last = try String(contentsOfFile: note, encoding: .utf8).split(separator: "\n").last
        #expect(last == "unix:path=\(session.environment["XDG_RUNTIME_DIR"] ?? "")/bus")
    }

    @Test(
        "reads no other bus while one is at the named address, or at the second of two",
        arguments: ["", "unix:path=/nonexistent;"])
    func occupied(before: String) async throws {
        let fixture = try await EndToEndFixture()
        try await fixture.signedIn("monalisa")
        let path = fixture.session.home + "/busy"
        let bus = try SilentSocket(at: path)
        // The backlog is one connection, to which the kernel adds one.
        let others = try (1...2).map { _ in try SocketClient(to: path) }
        let environment = ["DBUS_SESSION_BUS_ADDRESS": "\(before)unix:path=\(path)", "GCM_INTERACTIVE": "never"]
        let get = try await fixture.helper("get", environment: environment)
        #expect(!get.output.contains("password="), "\(get.output)")
        withExtendedLifetime((bus, others)) {}
    }

    @Test("reads no bus with gitspaceStore=cache, even one that would be refused", arguments: ["on", "off"])
    func unread(door: String) async throws {
        let fixture = try await EndToEndFixture(settings: "[credential]\ngitspaceStore = cache")
        let bus = try SilentSocket(at: fixture.session.home + "/silent")
        fixture.github.nextSignIn(.approve(as: "monalisa"))
        let terminal = try PseudoTerminal(columns: 200)
        for address in ["unix:path=\(fixture.session.home)/silent", "tcp:host=localhost,port=1"] {
            let environment = ["DBUS_SESSION_BUS_ADDRESS": address, "GITSPACE_FRONT_DOOR": door]
            let end = try await fixture.git("ls-remote", fixture.address(), environment: environment, on: terminal)
            #expect(end.status == 0 && bus.heard() == 0, "\(terminal.text)")
        }
        #expect(fixture.github.count(of: .deviceCode) == 1)
        _ = try await fixture.git("credential-cache", "exit")
    }

    /// The kernel names the user who has begun to listen, and not the owner of the file.
    private static let listener = """
        import os, socket, sys
        s = socket.socket(socket.AF_UNIX)
        s.bind(sys.argv[1])
        os.setuid(12345)
        s.listen()
        print("listening", flush=True)
        sys.stdin.read()
        """

    @Test(
        "refuses another user who listens there, and keeps nothing in memory instead",
        .enabled(if: geteuid() == 0, "needs root"))
    func stranger() async throws {
        let fixture = try await EndToEndFixture()
        let session = fixture.session
        let folder = session.home + "/run"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let lifeline = try Lifeline()
        let stranger = try RunningProgram(
            ["/usr/bin/python3", "-c", Self.listener, folder + "/bus"], environment: session.environment,
            input: lifeline.programEnd)
        try await eventually("a listener") { stranger.outputText == "listening\n" }
        let environment = ["DBUS_SESSION_BUS_ADDRESS": try deadAddress(false, in: session), "XDG_RUNTIME_DIR": folder]
        for door in ["on", "off"] {
            let end = try await fixture.helper(
                "get", environment: environment.merging(["GITSPACE_FRONT_DOOR": door]) { $1 })
            #expect(
                end.errors.contains("the session bus belongs to another user (ID 12345), so its keyring is not used"))
        }
        let pair = "protocol=https\nhost=foreign.example\nusername=bob\npassword=secret\n"
        _ = try await fixture.gitspace("store", environment: environment, input: pair)
        #expect(!FileManager.default.fileExists(atPath: session.home + "/.cache/git/credential/socket"))
        lifeline.endInput()
    }
}

/// Output that depends on the kind of machine, by the same files as on a real one.
@Suite("Kind of machine", .enabled(if: RootsNamespaces.areAvailable, Comment(rawValue: RootsNamespaces.need)))
struct MachineTests {
    @Test(
        "doctor suggests sharing a sign-in into a container without a keyring, and not elsewhere",
        arguments: ["/run/.containerenv", "/.dockerenv", "/run/systemd/container", nil] as [String?])
    func container(mark: String?) async throws {
        let fixture = try await EndToEndFixture(session: .noBus)
        let machine = try mark.map { try MarkedMachine.command($0, in: fixture.session) }
        let command = try machine ?? MarkedMachine.command(in: fixture.session)
        let end = try await fixture.start(command + [BuiltFiles.helper, "doctor"]).ended()
        let isTold = end.output.contains("[WARN] no other machine shares its sign-in with this container\n")
        #expect(isTold == (mark != nil), "\(end.output)\(end.errors)")
        #expect(end.output.contains("[WARN] no keyring is running in this session\n"), "\(end.output)\(end.errors)")
    }

    @Test("says after a token in memory and in status how to share a sign-in, in a container")
    func inMemory() async throws {
        let fixture = try await EndToEndFixture(session: .noBus)
        let share = "run this there, and paste the lines that it prints: git credential-gitspace share box\n"
        for machine in [
            try MarkedMachine.command("/.dockerenv", in: fixture.session),
            try MarkedMachine.command(in: fixture.session),
        ] {
            let isContainer = machine.contains { $0.hasSuffix(":/.dockerenv") }
            let token = fixture.github.issueToken(for: "monalisa", app: fixture.app).accessToken
            let login = try await fixture.start(
                machine + [BuiltFiles.helper, "login", fixture.host, "--with-token"], input: token
            ).ended()
            #expect(login.output.contains("git credential-cache keeps the token in memory.\n"), "\(login.errors)")
            #expect(login.output.contains(share) == isContainer, "\(login.output)")
            let status = try await fixture.start(machine + [BuiltFiles.helper, "status"]).ended()
            #expect(status.output.contains("Signed in as monalisa (memory)"), "\(status.output)\(status.errors)")
            #expect(status.output.contains(share) == isContainer, "\(status.output)")
            let terminal = try PseudoTerminal(columns: 200)
            fixture.github.nextSignIn(.approve(as: "monalisa"))
            try await fixture.start(machine + [BuiltFiles.helper, "login", fixture.host, "--force"], on: terminal)
                .ended().succeeded()
            #expect(terminal.screen.contains("paste the lines that it prints:") == isContainer, "\(terminal.screen)")
        }
        _ = try await fixture.git("credential-cache", "exit")
    }

    @Test("share prints the label option for containers if SELinux is on", arguments: [true, false])
    func confined(isOn: Bool) async throws {
        let fixture = try await EndToEndFixture()
        try await fixture.signedIn("monalisa", expiringIn: 7_200)
        let machine =
            try isOn
            ? MarkedMachine.command("/sys/fs/selinux/enforce", in: fixture.session)
            : MarkedMachine.command(in: fixture.session)
        let share = try fixture.start(machine + [BuiltFiles.helper, "share", "box", "--token"])
        try await share.shares()
        let lines = share.outputText.split(separator: "\n").filter { $0.contains(" --security-opt label=disable ") }
        #expect(lines.map { $0.split(separator: " ")[0] } == (isOn ? ["podman", "docker"] : []))
        share.signal(SIGTERM)
        #expect(try await share.ended().status == 0)
    }
}

/// A sandbox in which GIO opens pages by the desktop's portal.
@Suite("Portal for pages")
struct PortalTests {
    private let page = "https://host.example/login/device"

    /// Returns the child that opens the page without an installed browser.
    private func command(_ session: Session) -> (arguments: [String], environment: [String: String]) {
        let folder = session.home + "/none"
        // The second variable is GLib's name for it since 2.84.
        let environment = [
            "GTK_USE_PORTAL": "1", "GIO_USE_PORTALS": "1", "XDG_DATA_HOME": folder, "XDG_DATA_DIRS": folder,
            "XDG_CONFIG_DIRS": folder,
        ]
        return ([BuiltFiles.helper, "open-page", page], environment)
    }

    @Test("opens the page by the portal, and exits with its result", arguments: [("opens", 0), ("refuses", 1)])
    func answers(mode: String, status: Int32) async throws {
        let session = try await Session(.noProvider)
        let portal = try await ScriptedBusService(.portal, mode, in: session)
        let (arguments, environment) = command(session)
        let end = try await session.run(arguments, environment: environment)
        #expect(end.status == status && end.output.isEmpty && end.errors.isEmpty, "\(end)")
        #expect(portal.lines == [page])
    }

    @Test("ends the child after a minute if the portal never answers", .enabled(if: geteuid() == 0, "needs root"))
    func silent() async throws {
        let session = try await Session(.noProvider)
        let portal = try await ScriptedBusService(.portal, "silent", in: session)
        let (arguments, environment) = command(session)
        let trace = session.home + "/trace"
        let strace = ["strace", "-f", "-e", "trace=alarm,setitimer", "-e", "signal=none", "-o", trace]
        let program = try session.start(strace + arguments, environment: environment)
        try await eventually("a request") { portal.lines == [page] }
        let calls = try String(contentsOfFile: trace, encoding: .utf8)
        #expect(calls.contains("alarm(60)") || calls.contains("tv_sec=60"), "\(calls)")
        for child in program.processes where child != program.id { kill(child, SIGALRM) }
        #expect(try await program.ended().status == 128 + SIGALRM)
    }
}
