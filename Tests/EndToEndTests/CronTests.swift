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

    @Test("both programs find the keyring, for reading and writing", arguments: ["on", "off"])
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
    }

    @Test("git fetches, and status shows the account")
    func git() async throws {
        let fixture = try await EndToEndFixture()
        try await fixture.signedIn("monalisa")
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

    @Test(
        "reports the missing bus, and not a missing sign-in",
        arguments: [
            ["get"], ["status"], ["status", "HOST"], ["refresh", "HOST"], ["logout", "HOST"], ["switch", "HOST"],
        ])
    func noBus(command: [String]) async throws {
        let fixture = try await EndToEndFixture()
        try await fixture.signedIn("monalisa")
        let arguments = command.map { $0 == "HOST" ? fixture.host : $0 }
        let end = try await cron(fixture, hasBus: false, [BuiltFiles.helper] + arguments, input: fixture.request)
        #expect(!end.output.contains("password"))
        #expect(end.errors.contains("no keyring is running in this session\n"), "\(end.errors)")
        #expect(!(end.output + end.errors).lowercased().contains("not signed in"), "\(end.output)\(end.errors)")
        #expect(!end.errors.contains("no stored credentials"), "\(end.errors)")
        #expect(command == ["get"] || end.status == 1)
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
