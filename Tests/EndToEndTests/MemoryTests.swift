import Staging
import Testing

@Suite("Memory")
struct MemoryTests {
    /// Signs in on a terminal that ends with the command, as in `ssh -tt` and `docker exec -it`.
    private func signedIn() async throws -> EndToEndFixture {
        let fixture = try await EndToEndFixture(session: .noBus)
        fixture.server.nextSignIn(.approve(as: "monalisa"))
        let terminal = try PseudoTerminal(columns: 100)
        let end = try await fixture.git("ls-remote", fixture.address(), on: terminal)
        #expect(end.status == 0 && terminal.text.contains("keeps the token in memory"), "\(terminal.text)")
        return fixture
    }

    @Test("keeps the token after Ctrl-C in the command that saved it")
    func interrupted() async throws {
        let fixture = try await EndToEndFixture(session: .noBus)
        fixture.server.nextSignIn(.approve(as: "monalisa"))
        let terminal = try PseudoTerminal()
        let running = try fixture.start(
            ["sh", "-c", "git ls-remote \"$0\" && echo done && exec cat /dev/tty", fixture.address()], on: terminal)
        try await eventually("the first command") { running.outputText.hasSuffix("done\n") }
        terminal.type("\u{3}")
        #expect(try await running.ended().status == 128 + SIGINT)
        #expect(try await fixture.git("ls-remote", fixture.address()).status == 0)
    }

    @Test("keeps the token after the end of the terminal, and after a hangup to all processes of the person")
    func hangup() async throws {
        let fixture = try await signedIn()
        try await fixture.git("ls-remote", fixture.address()).succeeded(silently: true)
        let daemons = allProcesses().filter {
            let words = commandLine(of: $0)
            return words.contains("credential-cache--daemon") && words.contains { $0.hasPrefix(fixture.session.home) }
        }
        #expect(daemons.count == 1)
        for daemon in daemons { kill(daemon, SIGHUP) }
        #expect(try await fixture.git("ls-remote", fixture.address()).status == 0)
        #expect(fixture.server.count(of: .deviceCode) == 1)
    }

    @Test("keeps two accounts that are saved at the same moment")
    func atOnce() async throws {
        let fixture = try await EndToEndFixture(session: .noBus)
        // The delay lets the other process in between reading and writing the entry.
        try await fixture.session.write(git: #"case " $* " in *" credential-cache "*" store "*) sleep 0.5 ;; esac"#)
        let names = ["hubot", "monalisa"]
        let stores = try names.map { name in
            try fixture.startHelper(
                "store", ["username=\(name)", "password=secret-\(name)"], environment: ["PATH": fixture.session.path()])
        }
        for store in stores { #expect(try await store.ended().errors.isEmpty) }
        for name in names {
            let end = try await fixture.helper("get", "username=\(name)")
            #expect(end.output.contains("password=secret-\(name)\n"), "\(end.output)\(end.errors)")
        }
    }

    @Test("keeps the other tokens if the cache cannot be read when one is stored")
    func unreadable() async throws {
        let fixture = try await signedIn()
        try await fixture.session.write(git: #"case " $* " in *" credential-cache "*" get "*) exit 1 ;; esac"#)
        let path = ["PATH": fixture.session.path()]
        let other = try await fixture.helper("store", "username=hubot", "password=other", environment: path)
        #expect(other.errors.hasPrefix("gitspace: error: "), "\(other.errors)")
        #expect(try await fixture.git("ls-remote", fixture.address()).status == 0)
        #expect(fixture.server.count(of: .deviceCode) == 1)
    }

    @Test("starts no sign-in if others could listen in place of git's daemon")
    func foreignFolder() async throws {
        let fixture = try await EndToEndFixture(session: .noBus)
        // The folder is not below the home folder, which no other user can enter.
        let folder = FileManager.default.temporaryDirectory.appending(path: "shared-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        chmod(folder, 0o777)
        fixture.server.nextSignIn(.approve(as: "monalisa"))
        let terminal = try PseudoTerminal(columns: 100)
        let end = try await fixture.helper("get", environment: ["XDG_CACHE_HOME": folder], on: terminal)
        #expect(!end.output.contains("password"), "\(end.output)")
        #expect(terminal.text.contains("no keyring is running in this session"), "\(terminal.text)")
        #expect(fixture.server.count(of: .deviceCode) == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    }

    @Test("setup, status, doctor and logout work on a bus without a keyring", arguments: Git.all)
    func noProvider(git: Git) async throws {
        let fixture = try await EndToEndFixture(git: git, session: .noProvider)
        let token = fixture.github.issueToken(for: "monalisa", app: fixture.app).accessToken
        let setup = try await fixture.gitspace("setup", fixture.host, "--with-token", input: token).succeeded()
        #expect(setup.output.contains("[WARN] no program provides a keyring\n"), "\(setup.output)")
        #expect(setup.output.contains("Ready. Try:\n"), "\(setup.output)")
        let doctor = try await fixture.gitspace("doctor")
        #expect(doctor.output.contains("\(fixture.host) accepts the token of monalisa\n"), "\(doctor.output)")
        #expect(try await fixture.gitspace("logout", fixture.host).status == 0)
        let file = fixture.session.home + "/.git-credentials"
        try "https://monalisa:\(token)@\(fixture.host)\n".write(to: file)
        let taken = try await fixture.gitspace("setup", fixture.host, "--yes").succeeded()
        #expect(taken.output.contains("✓ Signed in as monalisa. No keyring here"))
        #expect(try await fixture.gitspace("status", fixture.host).output.contains("monalisa (memory)"))
        let status = try await fixture.gitspace("status", "--json").output
        #expect(status.contains("\"storage\": \"memory\", \"selected\": true}"))
        let terminal = try PseudoTerminal(columns: 100)
        _ = try await fixture.reject("url=https://\(fixture.host)\n\n", on: terminal)
        #expect(terminal.text == "Signed out of \(fixture.host): removed monalisa from memory.\n")
        _ = try await fixture.git("credential-cache", "exit")
    }
}

@Suite("A keyring program without a keyring")
struct NoCollectionTests {
    private func fixture(_ git: Git = .system) async throws -> EndToEndFixture {
        let fixture = try await EndToEndFixture(git: git)
        try await fixture.session.control("delete-collection")
        return fixture
    }

    private func store(_ user: String, in fixture: EndToEndFixture) async throws {
        try await fixture.gitspace(
            "store", input: "protocol=https\nhost=plain.example\nusername=\(user)\npassword=of \(user)\n"
        ).succeeded(silently: true)
    }

    /// Expects the token from both programs.
    private func expectFound(_ user: String, in fixture: EndToEndFixture) async throws {
        for door in ["on", "off"] {
            let end = try await fixture.gitspace(
                "get", environment: ["GITSPACE_FRONT_DOOR": door],
                input: "protocol=https\nhost=plain.example\nusername=\(user)\n")
            #expect(end.output == "username=\(user)\npassword=of \(user)\n", "\(door): \(end.errors)")
        }
    }

    @Test("stores in memory, which doctor and unlock report, and a new keyring gets the items from there")
    func unlock() async throws {
        let fixture = try await fixture()
        try await store("alice", in: fixture)
        try await expectFound("alice", in: fixture)
        let before = try await fixture.gitspace("doctor").output
        #expect(before.contains("[WARN] the keyring service has no keyring yet\n"), "\(before)")
        #expect(before.contains("git credential-gitspace unlock\n"), "\(before)")
        let unlock = try await fixture.gitspace("unlock", input: "a password of its own")
        #expect(unlock.output == "Created a keyring and unlocked it.\n", "\(unlock.errors)")
        #expect(try await fixture.gitspace("doctor").output.contains("[ OK ] the keyring is unlocked\n"))
        try await expectFound("alice", in: fixture)
        try await store("bob", in: fixture)
        for user in ["alice", "bob"] { try await expectFound(user, in: fixture) }
        #expect(try await fixture.session.items().map(\.password).sorted() == ["of alice", "of bob"])
    }

    private static let question =
        "There is no keyring yet. Password for a new one (not shown; leave it empty to keep credentials in memory): "

    @Test("asks for a new keyring's password at a terminal, and saves the token there", arguments: Git.all)
    func made(git: Git) async throws {
        let fixture = try await fixture(git)
        fixture.github.nextSignIn(.approve(as: "monalisa"))
        let terminal = try PseudoTerminal(columns: 200)
        let running = try fixture.startGit(["ls-remote", fixture.address()], on: terminal)
        try await terminal.type("its own\n", after: Self.question)
        try await terminal.type("its own\n", after: "The same password again: ")
        #expect(try await running.ended().status == 0, "\(terminal.text)")
        #expect(terminal.screen.hasSuffix("Signed in as monalisa. Saved in the keyring.\n"), "\(terminal.text)")
        #expect(!terminal.text.contains("its own"))
        #expect(try await fixture.session.items().count == 1)
        let again = try await fixture.git("ls-remote", fixture.address())
        #expect(again.status == 0 && fixture.github.count(of: .deviceCode) == 1, "\(again.errors)")
    }

    @Test(
        "once there is a keyring, status tells how to move a token there from memory, and login and setup move it",
        arguments: ["login", "setup"])
    func moved(verb: String) async throws {
        let fixture = try await fixture()
        let token = fixture.github.issueToken(for: "monalisa", app: fixture.app).accessToken
        let login = try await fixture.gitspace("login", fixture.host, "--with-token", input: token)
        #expect(login.output.contains("keeps the token in memory"), "\(login.output)\(login.errors)")
        let hint = "There is a keyring now. To move the tokens in memory to it:\n"
        #expect(try await !fixture.gitspace("status").output.contains(hint))
        let terminal = try PseudoTerminal(columns: 200)
        try await fixture.git("ls-remote", fixture.address(), on: terminal).succeeded()
        #expect(!terminal.text.contains(Self.question), "\(terminal.text)")
        #expect(try await fixture.gitspace("unlock", input: "its own").status == 0)
        let status = try await fixture.gitspace("status")
        #expect(status.output.hasSuffix(hint + "  git credential-gitspace login \(fixture.host)\n"), "\(status.output)")
        #expect(try await fixture.session.items().isEmpty)
        let moved = try await fixture.gitspace(verb, fixture.host).succeeded().output
        let words = "Moved from memory to the keyring: monalisa.\nAlready signed in to \(fixture.host) as monalisa.\n"
        #expect(moved.hasPrefix(words) && !moved.contains("Memory keeps the token"), "\(moved)")
        #expect(try await fixture.session.items().map(\.password) == [token])
        let after = try await fixture.gitspace("status").output
        #expect(after.contains("Signed in as monalisa (keyring)") && !after.contains(hint), "\(after)")
        let end = try await fixture.git("ls-remote", fixture.address())
        #expect(end.status == 0 && fixture.github.count(of: .deviceCode) == 0, "\(end.errors)")
    }

    @Test("reports a configured keyring that is missing before a sign-in, and creates no other one")
    func misnamed() async throws {
        let fixture = try await EndToEndFixture(settings: "[credential]\ngitspaceCollection = nosuch")
        fixture.github.nextSignIn(.approve(as: "monalisa"))
        let terminal = try PseudoTerminal(columns: 200)
        let end = try await fixture.git("ls-remote", fixture.address(), on: terminal)
        #expect(end.status != 0 && fixture.github.count(of: .deviceCode) == 0)
        let told = "the keyring nosuch, which credential.gitspaceCollection names, does not exist"
        #expect(terminal.screen.contains(told), "\(terminal.text)")
        for verb in ["unlock", "doctor"] {
            let end = try await fixture.gitspace(verb, input: "a password of its own")
            let text = (end.output + end.errors).split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(end.status == 1 && text.contains(told), "\(verb): \(text)")
        }
    }
}
