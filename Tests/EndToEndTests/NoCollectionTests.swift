import Staging
import Testing

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

    private func inMemory() async throws -> (EndToEndFixture, token: String) {
        let fixture = try await fixture()
        let token = fixture.github.issueToken(for: "monalisa", app: fixture.app).accessToken
        let login = try await fixture.gitspace("login", fixture.host, "--with-token", input: token)
        #expect(login.output.contains("keeps the token in memory"), "\(login.output)\(login.errors)")
        return (fixture, token)
    }

    @Test("status tells how to move a token from memory to a new keyring, and login moves it")
    func moved() async throws {
        let (fixture, _) = try await inMemory()
        let hint = "There is a keyring now. To move the tokens in memory to it:\n"
        #expect(try await !fixture.gitspace("status").output.contains(hint))
        #expect(try await fixture.gitspace("unlock", input: "its own").status == 0)
        let status = try await fixture.gitspace("status")
        #expect(status.output.hasSuffix(hint + "  git credential-gitspace login \(fixture.host)\n"), "\(status.output)")
        #expect(try await fixture.session.items().isEmpty)
        let moved = try await fixture.gitspace("login", fixture.host)
        #expect(
            moved.output.hasPrefix("Moved from memory to the keyring: monalisa.\nAlready signed in"), "\(moved.output)")
        #expect(try await fixture.session.items().count == 1)
        let after = try await fixture.gitspace("status").output
        #expect(after.contains("Signed in as monalisa (keyring)") && !after.contains(hint), "\(after)")
    }

    @Test("once there is a keyring, setup moves a token from memory, sets up git and asks nobody")
    func movedBySetup() async throws {
        let (fixture, token) = try await inMemory()
        #expect(try await fixture.gitspace("unlock", input: "its own").status == 0)
        #expect(try await fixture.session.items().isEmpty)
        let setup = try await fixture.gitspace("setup", fixture.host)
        #expect(
            setup.status == 0
                && setup.output.hasPrefix(
                    "Moved from memory to the keyring: monalisa.\nAlready signed in to \(fixture.host) as monalisa.\n"),
            "\(setup.output)\(setup.errors)")
        #expect(!setup.output.contains("Memory keeps the token"), "\(setup.output)")
        #expect(try await fixture.session.items().map(\.password) == [token])
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
