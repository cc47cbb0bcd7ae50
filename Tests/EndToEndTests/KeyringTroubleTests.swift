import Staging
import Testing

/// Keyrings that are absent or were never unlocked; FaultTests have the other cases.
@Suite("Trouble with the keyring")
struct KeyringTroubleTests {
    @Test(
        "keeps the token in memory without a keyring, and reports that in one line", arguments: Git.all,
        [Session.Kind.noProvider, .noBus])
    func absent(git: Git, kind: Session.Kind) async throws {
        let fixture = try await EndToEndFixture(git: git, session: kind)
        fixture.github.nextSignIn(.approve(as: "monalisa"))
        let terminal = try PseudoTerminal(columns: 100)
        // One shell runs everything, and ends the daemon too.
        let script = "git ls-remote \"$0\" && git ls-remote \"$0\"; echo $?; git credential-cache exit"
        let end = try await fixture.start(["sh", "-c", script, fixture.address()], on: terminal).ended()
        #expect(end.output.hasSuffix("\n0\n"), "\(terminal.text)")
        let last = "✓ Signed in as monalisa. No keyring here: git credential-cache keeps the token in memory.\n"
        let said = try #require(terminal.screen.firstRange(of: last), "\(terminal.text)")
        // In a container, it is followed by how to use another machine's sign-in.
        let rest = terminal.screen[said.upperBound...]
        #expect(rest.isEmpty || rest.hasPrefix("To use the sign-in of another machine here"), "\(terminal.text)")
        #expect(fixture.github.count(of: .deviceCode) == 1)
    }

    @Test("keeps our lines and the order of accounts in memory, and renews a pair there")
    func memory() async throws {
        let fixture = try await EndToEndFixture(app: .gitHubApp(interval: 1), session: .noProvider)
        fixture.github.nextSignIn(.approve(as: "monalisa"))
        let terminal = try PseudoTerminal(columns: 100)
        let script = """
            say() { printf 'protocol=https\nhost=%s\n%s\n' "$host" "$1"; }
            host=$1; helper=$2
            say | "$helper" get >first
            say 'username=bob
            password=ghp_bob' | "$helper" store
            "$helper" refresh "$host" --username monalisa
            say | "$helper" get >second
            say username=bob | "$helper" get >bob
            say | git credential-cache get >other
            say 'username=bob
            password=ghp_bob' | "$helper" erase
            say username=bob | GIT_TERMINAL_PROMPT=0 "$helper" get >gone
            "$helper" refresh "$host"
            say username=monalisa | GIT_TERMINAL_PROMPT=0 "$helper" get >third
            git credential-cache exit
            """
        try await fixture.start(["sh", "-c", script, "sh", fixture.host, BuiltFiles.helper], on: terminal).ended()
            .succeeded()
        func answer(_ name: String) throws -> String {
            try String(contentsOfFile: fixture.session.home + "/" + name, encoding: .utf8)
        }
        let tokens = fixture.github.tokens
        for (name, token) in zip(["first", "second", "third"], tokens) {
            let text = try answer(name)
            #expect(text.hasPrefix("username=monalisa\npassword=\(token.accessToken)\n"), "\(name): \(text)")
            #expect(!text.contains("oauth_refresh_token"), "\(name): \(text)")
        }
        #expect(tokens.count == 3 && fixture.github.count(of: .refresh) == 2 && fixture.github.refreshTokenReuses == 0)
        #expect(try answer("bob") == "username=bob\npassword=ghp_bob\n")
        #expect(try answer("other").isEmpty && answer("gone").isEmpty)
    }

    /// The password that with-keyring.sh sets.
    static let password = "private to this session"

    @Test("asks for the keyring's password at a terminal, and goes on with the token", arguments: Git.all)
    func passwordAtTerminal(git: Git) async throws {
        let fixture = try await EndToEndFixture(git: git)
        try await fixture.signedIn("monalisa")
        kill(fixture.session.keyring, SIGKILL)
        let terminal = try PseudoTerminal(columns: 200)
        let running = try fixture.startGit(["ls-remote", fixture.address()], on: terminal)
        try await terminal.type("wrong\n", after: "usually your login password (not shown): ")
        try await terminal.type("\(Self.password)\n", after: "Wrong password. Try again (not shown): ")
        let end = try await running.ended()
        #expect(end.status == 0 && end.output.contains("refs/heads/main"), "\(terminal.text)")
        #expect(!terminal.text.contains("wrong") && fixture.github.count(of: .deviceCode) == 0)
    }

    @Test(
        "shows no keyring prompt if a setting forbids sign-ins",
        arguments: ["GIT_TERMINAL_PROMPT", "credential.interactive", "unreadable"])
    func forbiddenPrompt(how: String) async throws {
        let settings = how == "credential.interactive" ? "[credential]\ninteractive = never" : ""
        let fixture = try await EndToEndFixture(settings: settings)
        try await fixture.signedIn("monalisa")
        kill(fixture.session.keyring, SIGKILL)
        // A display on which a prompt could be shown.
        var environment = ["DISPLAY": ":of-the-test"]
        if how == "GIT_TERMINAL_PROMPT" { environment[how] = "0" }
        if how == "unreadable" { environment["GIT_CONFIG_GLOBAL"] = fixture.session.home }
        let terminal = try PseudoTerminal()
        _ = try await fixture.helper("get", environment: environment, on: terminal)
        #expect(
            terminal.text.hasPrefix("gitspace: error: the keyring is locked and no password prompt can be shown here"))
        #expect(fixture.github.requests.isEmpty)
    }

    @Test("waits longer than a quarter of a second in the front door if many processes share the processors")
    func crowded() async throws {
        let fixture = try await EndToEndFixture()
        try await fixture.signedIn("monalisa")
        let trace = fixture.session.home + "/trace"
        let others = try (0..<4 * ProcessInfo.processInfo.activeProcessorCount).map { _ in
            // These processes run until this one has ended, even if the test fails.
            try fixture.session.start(["sh", "-c", "while kill -0 $PPID 2>/dev/null; do :; done"])
        }
        defer { for program in others { program.signal(SIGKILL) } }
        kill(fixture.session.keyring, SIGSTOP)
        let helper = try fixture.startHelper("get", environment: ["GITSPACE_TRACE": trace])
        let line = try await eventually("the end of its patience") {
            try? String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n").first {
                $0.contains("front door: get is for the full program")
            }
        }
        kill(fixture.session.keyring, SIGCONT)
        helper.signal(SIGKILL)
        let milliseconds = try #require(line.split(separator: " ").dropLast().last.flatMap { Double($0) }, "\(line)")
        #expect(milliseconds > 450)
    }
}

/// pass-secret-service and others may answer a later request before an earlier one.
@Suite("A keyring that answers out of order")
struct OvertakenReplyTests {
    @Test("both programs read the answers, and the front door needs no help", arguments: ["on", "off"])
    func both(door: String) async throws {
        let session = try await Session(.noProvider)
        let service = try await ScriptedBusService(.keyring, "overtaken", in: session)
        let trace = session.home + "/trace"
        let environment = ["GITSPACE_TRACE": trace, "GITSPACE_FRONT_DOOR": door]
        let request = "protocol=https\nhost=\(ScriptedBusService.host)\n"
        let answer = try await session.run([BuiltFiles.helper, "get"], environment: environment, input: request)
        #expect(answer.output == "username=octocat\npassword=token\n", "\(answer.errors)")
        try await session.run(
            [BuiltFiles.helper, "store"], environment: environment,
            input: request + "username=octocat\npassword=token\n"
        ).succeeded(silently: true)
        guard door == "on" else { return }
        // The full program would have traced lines of its own, and requested all properties at once.
        let text = try String(contentsOfFile: trace, encoding: .utf8)
        #expect(text.contains("get answered") && text.contains("store answered"), "\(text)")
        #expect(text.split(separator: "\n").count == 2, "\(text)")
        #expect(!service.calls.contains("GetAll") && service.calls.contains("Get Attributes"))
    }
}

@Suite("Two keyrings, one of them locked")
struct SeveralKeyringsTests {
    @Test("git credential reject reports which accounts were removed, and returns nothing to git", arguments: Git.all)
    func reject(git: Git) async throws {
        let fixture = try await EndToEndFixture(git: git)
        // octocat is in the open keyring "login", and hubot in the locked keyring "work".
        try await fixture.signedIn("octocat")
        try await fixture.session.control("create-collection", "work")
        try await fixture.signedIn("hubot")
        try await fixture.session.control("lock")
        let terminal = try PseudoTerminal(columns: 200)
        let environment = ["GCM_INTERACTIVE": "never"]
        let end = try await fixture.reject(fixture.request, environment: environment, on: terminal)
        #expect(end.status == 0 && end.output.isEmpty)
        #expect(terminal.text.contains("removed octocat from the keyring"), "\(terminal.text)")
        let told = #"hubot could not be removed for \#(fixture.host): the keyring "work" is locked"#
        #expect(terminal.text.contains(told), "\(terminal.text)")
        try await fixture.session.control("unlock")
        #expect(try await fixture.session.items().map { $0.attributes["user"] } == ["hubot"])
    }

    @Test("names the keyring with the item, and unlock opens it")
    func unlock() async throws {
        // The second keyring is locked, and the first is where new items go.
        let fixture = try await EndToEndFixture()
        try await fixture.session.control("create-collection", "work")
        try await fixture.signedIn("monalisa")
        try await fixture.session.control("lock")
        try await fixture.session.control("make-default", "login")
        let password = KeyringTroubleTests.password
        let told = #"the keyring "work" is locked and no password prompt can be shown here"#
        for end in [
            try await fixture.gitspace("get", input: fixture.request),
            try await fixture.gitspace("status", fixture.host), try await fixture.gitspace("refresh", fixture.host),
        ] {
            #expect(end.errors.contains(told), "\(end.errors)")
            #expect(end.errors.contains("git credential-gitspace unlock"), "\(end.errors)")
        }
        let doctor = try await fixture.gitspace("doctor").output
        #expect(doctor.contains(#"[WARN] the keyring "work" is locked; accounts in it cannot be used"#), "\(doctor)")
        let wrong = try await fixture.gitspace("unlock", input: password + "x")
        #expect(wrong.status == 1 && wrong.errors.contains("wrong password for the keyring"), "\(wrong.errors)")
        let unlock = try await fixture.gitspace("unlock", input: password)
        #expect(unlock.status == 0 && unlock.output == "The keyring \"work\" is unlocked.\n", "\(unlock.errors)")
        #expect(try await fixture.gitspace("get", input: fixture.request).output.contains("username=monalisa\n"))
        #expect(try await fixture.gitspace("unlock").output == "The keyring is already unlocked.\n")
    }
}
