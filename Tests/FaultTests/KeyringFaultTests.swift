import Staging
import Testing

@Suite("Faults of the keyring")
struct KeyringFaultTests {
    @Test("ends with the fault's message and hint, never as with an empty keyring", arguments: KeyringFault.all)
    func get(_ fault: KeyringFault) async throws {
        let (fixture, service, before) = try await fault.begin()
        let terminal = try PseudoTerminal()
        // Without a display, the terminal would ask for the keyring's password (KeyringTroubleTests).
        let environment =
            fault.hasDisplay
            ? ["DISPLAY": ":of-the-test"]
            : fault.testDescription.hasPrefix("locked") ? ["GCM_INTERACTIVE": "never"] : [:]
        let running = try fixture.startHelper("get", environment: environment, on: terminal)
        if fault.testDescription == "no default collection" {
            try await terminal.type("\n", after: "credentials in memory): ")
        }
        let get = try await running.ended()
        #expect(get.output.isEmpty || get.output == "quit=1\n")
        // If a prompt was expected, an earlier line announced it.
        let said = "\n" + terminal.text
        #expect(fault.sentences.contains { said.contains("\ngitspace: error: \($0)\n") }, "\(terminal.text)")
        let marks = ["/run/.containerenv", "/.dockerenv", "/run/systemd/container"]
        let isContainer = marks.contains { FileManager.default.fileExists(atPath: $0) }
        let hint = fault.isHintedInContainers && isContainer ? "  git credential-gitspace share box" : fault.hint
        #expect(said.contains("\nhint: \(hint)"), "\(terminal.text)")
        // A person is present, but no sign-in starts.
        #expect(fixture.github.requests.isEmpty)

        #expect(try await fixture.helper("erase", "username=octocat", "password=token").output.isEmpty)

        let forbidden = ["Delete", "CreateItem", "SetSecret"]
        #expect(service?.calls.filter(forbidden.contains).isEmpty ?? true, "\(service?.calls ?? [])")
        if case .done(_, let undone) = fault.source, fault.testDescription != "no default collection" {
            try await undone(fixture.session)
            #expect(try await fixture.session.items() == before)
        }
    }

    @Test("lets git continue with its next helper", arguments: KeyringFault.all)
    func goesOn(_ fault: KeyringFault) async throws {
        let (fixture, _, _) = try await fault.begin()
        let token = fixture.github.issueToken(for: "monalisa", app: fixture.app)
        let helper = "!f() { echo username=monalisa; echo password=\(token.accessToken); }; f"
        try await fixture.git("-c", "credential.helper=\(helper)", "ls-remote", fixture.address()).succeeded()
        #expect(fixture.github.count(of: .deviceCode) == 0)
    }

    @Test("loses nothing if the keyring is killed during a call, and ends the call")
    func killed() async throws {
        let fixture = try await EndToEndFixture()
        try await fixture.signedIn("monalisa")
        let before = try await fixture.session.items()
        kill(fixture.session.keyring, SIGSTOP)
        let terminal = try PseudoTerminal()
        let process = try fixture.startHelper("get", environment: ["GCM_INTERACTIVE": "never"], on: terminal)
        try await eventually("the full program") { program(of: process.id).hasSuffix("-full") }
        kill(fixture.session.keyring, SIGKILL)
        _ = try await process.ended()
        // The bus starts another daemon, which is locked.
        #expect(terminal.text.hasPrefix("gitspace: error: the keyring "), "\(terminal.text)")
        #expect(fixture.github.requests.isEmpty)
        try await fixture.session.control("unlock")
        #expect(try await fixture.session.items() == before)
    }

    @Test("answers once with an item that is listed twice, and deletes nothing", arguments: ["twice", "two"])
    func duplicates(mode: String) async throws {
        let (fixture, service) = try await scripted(mode)
        let answer = try await fixture.helper("get")
        // The service lists the item both as unlocked and as locked, then only as locked.
        if mode == "two" { #expect(answer.output == "username=octocat\npassword=token\n", "\(answer.errors)") }
        #expect(service.calls.allSatisfy { !["Delete", "CreateItem", "SetSecret"].contains($0) })
    }

    @Test("prints no invalid secret or planted item, and leaves both there", arguments: ["garbage", "huge", "planted"])
    func strange(mode: String) async throws {
        let (fixture, service) = try await scripted(mode)
        let answer = try await fixture.helper("get")
        #expect(answer.output.isEmpty)
        #expect(!answer.errors.contains("\u{1b}") && !answer.errors.contains("planted"))
        #expect(service.calls.allSatisfy { !["Delete", "CreateItem", "SetSecret"].contains($0) })
    }

    @Test("announces a prompt that never ends, and stops waiting at a signal")
    func endlessPrompt() async throws {
        let (fixture, service) = try await scripted("never")
        let terminal = try PseudoTerminal()
        let program = try fixture.startHelper("get", environment: ["DISPLAY": ":of-the-test"], on: terminal)
        try await eventually("a prompt") { service.calls.contains("Prompt") }
        // FAULT_PATIENCE=1 waits for the program's own limit, two minutes.
        if ProcessInfo.processInfo.environment["FAULT_PATIENCE"] == nil { program.signal(SIGTERM) }
        let end = try await program.ended(within: .seconds(240))
        // After a signal, git is told to stop; after the limit, it may continue.
        #expect(["quit=1\n", ""].contains(end.output) && fixture.github.requests.isEmpty, "\(terminal.text)")
    }

    private func scripted(_ mode: String) async throws -> (EndToEndFixture, ScriptedBusService) {
        let fixture = try await EndToEndFixture(
            host: ScriptedBusService.host, session: .noProvider, settings: "provider = github")
        return (fixture, try await ScriptedBusService(.keyring, mode, in: fixture.session))
    }
}

/// A fault of a keyring, with the message that a person must get.
struct KeyringFault: Sendable, CustomTestStringConvertible {
    enum Source: Sendable {
        /// There is no keyring.
        case session(Session.Kind)
        /// The keyring is the scripted service in this mode.
        case scripted(String)
        /// Something is done to gnome-keyring, and undone later.
        case done(@Sendable (Session) async throws -> Void, undone: @Sendable (Session) async throws -> Void)
    }

    let testDescription: String
    let source: Source
    /// The beginning of the message; one of these.
    let sentences: [String]
    /// The end of the hints: a command or another advice.
    let hint: String
    /// Whether a display could show a password prompt.
    let hasDisplay: Bool
    /// Whether a container gets another hint, because a sign-in can come from outside.
    let isHintedInContainers: Bool

    init(
        _ name: String, _ source: Source, _ sentences: String..., hint: String, hasDisplay: Bool = false,
        isHintedInContainers: Bool = false
    ) {
        (testDescription, self.source, self.sentences, self.hint) = (name, source, sentences, hint)
        (self.hasDisplay, self.isHintedInContainers) = (hasDisplay, isHintedInContainers)
    }

    /// The command that unlocks a keyring without a desktop.
    private static let opening = "git credential-gitspace unlock"

    /// The command that sets up a session bus and a keyring for a machine without a desktop.
    private static let lasting =
        "  sudo apt install gnome-keyring dbus-user-session && sudo loginctl enable-linger \"$USER\""

    /// Every fault after which no credential can be returned.
    static let all = [
        KeyringFault(
            "locked, and no prompt can be seen",
            .done({ try await $0.control("lock") }, undone: { try await $0.control("unlock") }), unprompted,
            hint: "  \(opening)"),
        KeyringFault(
            "locked, and the prompt is dismissed", .scripted("dismisses"), "the keyring was not unlocked",
            hint: "run the command again and enter the keyring's password", hasDisplay: true),
        KeyringFault(
            "locked, and stays so after the prompt", .scripted("still-locked"), unprompted, hint: "  \(opening)",
            hasDisplay: true),
        KeyringFault(
            "no default collection", .done({ try await $0.control("delete-collection") }, undone: { _ in }),
            "the keyring service has no keyring yet", hint: "  \(opening)"),
        KeyringFault(
            "no provider", .session(.noProvider), "no program provides a keyring",
            hint: "  sudo apt install gnome-keyring", isHintedInContainers: true),
        KeyringFault("no bus", .session(.noBus), absent, hint: lasting, isHintedInContainers: true),
        KeyringFault("a bus that is gone", .session(.deadAddress), absent, hint: lasting, isHintedInContainers: true),
        KeyringFault(
            "activation never ends", .session(.stuckActivation), unresponsive,
            hint: "  git credential-gitspace doctor"),
        KeyringFault(
            "stopped (SIGSTOP)", .done({ kill($0.keyring, SIGSTOP) }, undone: { kill($0.keyring, SIGCONT) }),
            unresponsive, hint: "  systemctl --user status gnome-keyring-daemon"),
        KeyringFault(
            "never answers", .scripted("hangs"), unresponsive,
            hint: "check whether the program python3 is hanging; it provides the keyring"),
        KeyringFault("denies", .scripted("denies"), "the keyring denied access", hint: journal),
        KeyringFault("answers nonsense", .scripted("nonsense"), "the keyring reported an error", hint: journal),
        KeyringFault(
            "dies when asked for a secret", .scripted("dies"), "the keyring closed the connection while answering",
            "no program provides a keyring", hint: ""),
        KeyringFault("no secret in the answer", .scripted("no-secret"), "the keyring reported an error", hint: journal),
    ]

    private static let unprompted = "the keyring is locked and no password prompt can be shown here"
    private static let absent = "no keyring is running in this session"
    private static let unresponsive = "the keyring did not answer within 5 seconds"
    private static let journal = "  journalctl --user -n 20"

    /// Causes the fault, with monalisa's token in the keyring if there is one.
    func begin() async throws -> (fixture: EndToEndFixture, service: ScriptedBusService?, before: [KeyringItem]) {
        let kind: Session.Kind =
            switch source {
            case .session(let kind): kind
            case .scripted: .noProvider
            case .done: .keyring
            }
        let fixture = try await EndToEndFixture(
            host: ScriptedBusService.host, app: .oauthApp(interval: 1), session: kind,
            settings: "provider = github\ngitspaceStore = secretservice")
        switch source {
        case .session: return (fixture, nil, [])
        case .scripted(let mode):
            return (fixture, try await ScriptedBusService(.keyring, mode, in: fixture.session), [])
        case .done(let happen, _):
            try await fixture.signedIn("monalisa")
            let before = try await fixture.session.items()
            try await happen(fixture.session)
            return (fixture, nil, before)
        }
    }
}
