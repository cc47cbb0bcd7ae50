import Staging
import Testing

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
