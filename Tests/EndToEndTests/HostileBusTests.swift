import Staging
import Testing

/// A session bus of another user's, or one that cannot be reached as ours.
///
/// Another user may listen at an address that a session has left, with an open keyring on a bus that admits everybody.
@Suite("Foreign session buses")
struct HostileBusTests {
    /// Checks that nobody is signed in, that memory stays empty, and that every command reports `reason`.
    private func refuses(_ address: String, because reason: String, in fixture: EndToEndFixture) async throws {
        // The doctor of an earlier run has tried the client ID.
        let codes = fixture.github.count(of: .deviceCode)
        let bus = ["DBUS_SESSION_BUS_ADDRESS": address]
        fixture.github.nextSignIn(.approve(as: "monalisa"))
        let terminal = try PseudoTerminal(columns: 240)
        let line = "gitspace: error: \(reason)\n"
        let script = """
            GIT_TERMINAL_PROMPT=0 git ls-remote "$0" >refs
            printf 'protocol=https\nhost=%s\nusername=bob\npassword=typed\n' "$1" | "$2" store
            printf 'protocol=https\nhost=%s\n' "$1" | git credential-cache get >kept
            git credential-cache exit
            """
        try await fixture.start(
            ["sh", "-c", script, fixture.address(), fixture.host, BuiltFiles.helper], environment: bus, on: terminal
        ).ended().succeeded()
        #expect(terminal.screen.ranges(of: reason).count == 2, "\(terminal.text)")
        for name in ["refs", "kept"] {
            let text = try String(contentsOfFile: fixture.session.home + "/" + name, encoding: .utf8)
            #expect(text.isEmpty, "\(name): \(text)")
        }
        #expect(fixture.github.count(of: .deviceCode) == codes)
        for door in ["on", "off"] {
            // git goes on for a host that may not be ours.
            for (host, answer) in [(fixture.host, ""), ("github.com", "quit=1\n")] {
                let get = try await fixture.session.run(
                    [BuiltFiles.helper, "get"], environment: bus.merging(["GITSPACE_FRONT_DOOR": door]) { $1 },
                    input: "protocol=https\nhost=\(host)\n")
                #expect(get.output == answer)
                #expect(get.errors.contains(line), "\(get.errors)")
            }
        }
        for verb in [["status", fixture.host], ["logout", fixture.host], ["refresh", fixture.host]] {
            let end = try await fixture.session.run([BuiltFiles.helper] + verb, environment: bus)
            #expect(end.status == 1 && end.errors.contains(line), "\(end.errors)")
            #expect(!(end.output + end.errors).lowercased().contains("not signed in"), "\(end.output)\(end.errors)")
        }
        let doctor = try await fixture.session.run([BuiltFiles.helper, "doctor"], environment: bus)
        #expect(doctor.status == 1)
        let report = doctor.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(report.contains(reason), "\(doctor.output)")
        #expect(report.contains("unset DBUS_SESSION_BUS_ADDRESS"), "\(doctor.output)")
    }

    /// Changes another user's keyring, as that user.
    private func control(
        _ stranger: Session, of user: String, _ action: String, input: String = ""
    ) async throws -> String {
        let end = try await stranger.run(
            [BuiltFiles.script("as-user.sh"), user, BuiltFiles.script("keyring-control.py"), action], in: "/",
            input: input)
        try #require(end.status == 0, "\(end.errors)")
        return end.output
    }

    /// An ordinary bus admits its own user alone; an attacker's admits all.
    @Test(
        "does not store in another user's open keyring, or read from it",
        .enabled(if: RootsNamespaces.areAvailable, Comment(rawValue: RootsNamespaces.need)),
        arguments: [("12345", [String]()), ("12345", ["--open-bus"]), ("65534", ["--open-bus"])])
    func stranger(user: String, options: [String]) async throws {
        let runner = ["as-user.sh", user, BuiltFiles.script("with-keyring.sh")]
        let stranger = try await Session(startedBy: runner + options)
        let fixture = try await EndToEndFixture(beside: stranger)
        let planted = KeyringItem(host: fixture.host, login: "mallory", lines: ["planted"])
        let text = String(decoding: try JSONEncoder().encode(planted), as: UTF8.self)
        _ = try await control(stranger, of: user, "put", input: text)
        let before = try await control(stranger, of: user, "items")
        #expect(before.contains("planted"))
        let address = try #require(stranger.environment["DBUS_SESSION_BUS_ADDRESS"])
        let reason = "the session bus belongs to another user (ID \(user)), so its keyring is not used"
        try await refuses(address, because: reason, in: fixture)
        // The first address with a listener is used.
        try await refuses("unix:path=/nonexistent;" + address, because: reason, in: fixture)
        #expect(try await control(stranger, of: user, "items") == before)
    }

    @Test(
        "opens the page without another user's bus, over which a browser would be asked",
        .enabled(if: RootsNamespaces.areAvailable, Comment(rawValue: RootsNamespaces.need)))
    func browser() async throws {
        let stranger = try await Session(
            startedBy: ["as-user.sh", "12345", BuiltFiles.script("with-keyring.sh"), "--open-bus"])
        let session = try await Session(beside: stranger)
        let note = session.home + "/note"
        let program = session.home + "/browser"
        try await session.write(
            program: program,
            "#!/bin/sh\nprintf '%s\\n' \"$1\" \"$DBUS_SESSION_BUS_ADDRESS\" >\(note).new && mv \(note).new \(note)")
        let (data, settings) = (session.home + "/.local/share", session.home + "/.config")
        let entry = "DBusActivatable=true\nExec=\(program) %u"
        try session.makeDefault("org.example.Browser", entry, data: data, configuration: settings)
        try await session.run(
            [BuiltFiles.helper, "open-page", "https://host.example/login/device"],
            environment: [
                "DBUS_SESSION_BUS_ADDRESS": try #require(stranger.environment["DBUS_SESSION_BUS_ADDRESS"]),
                "XDG_CONFIG_HOME": settings, "XDG_DATA_HOME": data,
            ]
        ).succeeded()
        let text = try await eventually("a browser") { try? String(contentsOfFile: note, encoding: .utf8) }
        #expect(text == "https://host.example/login/device\ndisabled:\n")
    }

    @Test("names and refuses an address that is not a Unix socket's")
    func address() async throws {
        let fixture = try await EndToEndFixture()
        let own = try #require(fixture.session.environment["DBUS_SESSION_BUS_ADDRESS"])
        let mark = fixture.session.home + "/ran"
        for (address, name) in [
            ("unixexec:path=/usr/bin/touch,argv1=\(mark)", "unixexec:"), ("\(own);autolaunch:", "autolaunch:"),
        ] {
            let reason =
                "the address of the session bus begins with \(name), and only unix:path= and unix:abstract= are used"
            try await refuses(address, because: reason, in: fixture)
        }
        #expect(!FileManager.default.fileExists(atPath: mark))
    }
}
