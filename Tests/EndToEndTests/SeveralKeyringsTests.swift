import Staging
import Testing

@Suite("Two keyrings, one of them locked")
struct SeveralKeyringsTests {
    /// Stores octocat in the open keyring "login", and hubot in the locked keyring "work".
    private func halfLocked() async throws -> EndToEndFixture {
        let fixture = try await EndToEndFixture()
        try await fixture.signedIn("octocat")
        try await fixture.session.control("create-collection", "work")
        try await fixture.signedIn("hubot")
        try await fixture.session.control("lock")
        return fixture
    }

    @Test("git credential reject reports which accounts were removed, and returns nothing to git", arguments: Git.all)
    func reject(git: Git) async throws {
        let fixture = try await halfLocked()
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

    // MARK: The second one is locked, and the first is where new items go

    /// Returns both keyrings with "login" as the default one, and monalisa as the only account.
    private func besideDefault(_ git: Git = .system) async throws -> EndToEndFixture {
        let fixture = try await EndToEndFixture(git: git)
        try await fixture.session.control("create-collection", "work")
        try await fixture.signedIn("monalisa")
        try await fixture.session.control("lock")
        try await fixture.session.control("make-default", "login")
        return fixture
    }

    private var password: String { "private to this session" }

    @Test("names the keyring with the item, and unlock opens it")
    func unlock() async throws {
        let fixture = try await besideDefault()
        func run(_ verb: String..., input: String = "") async throws -> RunningProgram.End {
            try await fixture.gitspace(verb, input: input)
        }
        let told = #"the keyring "work" is locked and no password prompt can be shown here"#
        for end in [
            try await run("get", input: fixture.request), try await run("status", fixture.host),
            try await run("refresh", fixture.host),
        ] {
            #expect(end.errors.contains(told), "\(end.errors)")
            #expect(end.errors.contains("git credential-gitspace unlock"), "\(end.errors)")
        }
        let doctor = try await run("doctor").output
        #expect(doctor.contains(#"[WARN] the keyring "work" is locked; accounts in it cannot be used"#), "\(doctor)")
        let wrong = try await run("unlock", input: password + "x")
        #expect(wrong.status == 1 && wrong.errors.contains("wrong password for the keyring"), "\(wrong.errors)")
        let unlock = try await run("unlock", input: password)
        #expect(unlock.status == 0 && unlock.output == "The keyring \"work\" is unlocked.\n", "\(unlock.errors)")
        #expect(try await run("get", input: fixture.request).output.contains("username=monalisa\n"))
        #expect(try await run("unlock").output == "The keyring is already unlocked.\n")
    }

    @Test("asks for that keyring's password at a terminal in a command of git's, and goes on", arguments: Git.all)
    func terminal(git: Git) async throws {
        let fixture = try await besideDefault(git)
        let terminal = try PseudoTerminal(columns: 200)
        let running = try fixture.startGit(["ls-remote", fixture.address()], on: terminal)
        try await terminal.type("\(password)\n", after: #"Password of the keyring "work" (not shown): "#)
        #expect(try await running.ended().status == 0, "\(terminal.text)")
        #expect(fixture.github.count(of: .deviceCode) == 0)
    }
}
