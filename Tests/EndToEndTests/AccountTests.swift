import Staging
import Testing

@Suite("Accounts and the keyring, by hand")
struct AccountTests {
    @Test("switch asks at a terminal and changes git's account, and --unset undoes it")
    func switching() async throws {
        let fixture = try await EndToEndFixture()
        try await fixture.signedIn(inOrder: "monalisa", "bob")
        func account() async throws -> String {
            try await fixture.git("credential", "fill", input: "url=\(fixture.address())\n\n").output
        }
        #expect(try await account().contains("username=monalisa\n"))
        let terminal = try PseudoTerminal()
        let running = try fixture.start(
            ["sh", "-c", "\"$0\" switch \"$1\" </dev/tty", BuiltFiles.helper, fixture.host], on: terminal)
        try await terminal.type("2\n", after: "Number or name (Enter keeps monalisa): ")
        #expect(try await running.ended().status == 0)
        #expect(try await account().contains("username=bob\n"))
        #expect(try await fixture.gitspace("switch", fixture.host, "--unset").status == 0)
        #expect(try await account().contains("username=monalisa\n"))
    }

    @Test(
        "status shows a token's expiry in local time, in winter, in summer and in the night of the change",
        arguments: [
            ("CET-1CEST,M3.5.0,M10.5.0/3", ["01-15 13:00", "03-30 01:59", "03-30 03:00", "07-15 14:00"]),
            ("NST3:30NDT,M3.2.0,M11.1.0", ["01-15 08:30", "03-29 22:29", "03-29 22:30", "07-15 09:30"]),
            ("", ["01-15 12:00", "03-30 00:59", "03-30 01:00", "07-15 12:00"]),
        ] as [(String, [String])])
    func localTime(zone: String, times: [String]) async throws {
        let fixture = try await EndToEndFixture(session: .noBus)
        // 2031: noon in January and July, and the minutes before and after Europe changes its clocks.
        for (name, end) in [("a", 1_926_244_800), ("b", 1_932_598_740), ("c", 1_932_598_800), ("d", 1_941_883_200)] {
            let stored = try await fixture.helper(
                "store", "username=\(name)", "password=x", "password_expiry_utc=\(end)")
            #expect(stored.errors.isEmpty, "\(stored.errors)")
        }
        let status = try await fixture.gitspace("status", fixture.host, "--offline", environment: ["TZ": zone])
        let ends = status.output.split(separator: "\n").filter { $0.contains("valid until 2031-") }
        #expect(ends.map { String($0.suffix(11)) } == times, "\(status.output)\(status.errors)")
    }
}

/// The user name in an address: an account in any letter case, or a name of no account.
@Suite("Names of accounts")
struct AccountNameTests {
    // MARK: Case

    static func users(_ fixture: EndToEndFixture) async throws -> [String] {
        try await fixture.session.items().compactMap { $0.attributes["user"] }.sorted()
    }

    @Test("finds the account of an address in any letter case, and stores it once", arguments: Git.all)
    func anyCase(git: Git) async throws {
        let fixture = try await EndToEndFixture(git: git)
        let token = fixture.github.issueToken(for: "monalisa", app: fixture.app)
        try await fixture.session.put(
            KeyringItem(
                host: fixture.host, login: "MonaLisa",
                lines: [token.accessToken, "gitspace_client_id=\(fixture.app.clientID)"]))
        for name in ["monalisa", "MonaLisa", "MONALISA"] {
            let end = try await fixture.git("ls-remote", fixture.address(user: name))
            #expect(end.status == 0, "\(name): \(end.errors)")
        }
        #expect(try await Self.users(fixture) == ["MonaLisa"])
        try await fixture.gitspace("logout", fixture.host, "--username", "mONALISA").succeeded()
        #expect(try await Self.users(fixture).isEmpty)
    }

    @Test("reports a keyring as locked, and not as empty, if it may have the account in another letter case")
    func lockedFromTheStart() async throws {
        let fixture = try await EndToEndFixture()
        let token = fixture.github.issueToken(for: "monalisa", app: fixture.app)
        try await fixture.session.put(KeyringItem(host: fixture.host, login: "MonaLisa", lines: [token.accessToken]))
        kill(fixture.session.keyring, SIGKILL)
        let end = try await fixture.helper("get", "username=monalisa")
        #expect(end.errors.hasPrefix("gitspace: error: the keyring is locked"), "\(end.errors)")
        let other = try await fixture.helper("get", "username=bob")
        #expect(other.errors.hasPrefix("gitspace: error: the keyring is locked"), "\(other.errors)")
    }

    // MARK: Nobody's

    @Test("requests no code for a remote with a name of no account, and prints the command that corrects it")
    func remote() async throws {
        let fixture = try await EndToEndFixture()
        guard try await fixture.passesNames() else { return }
        try await fixture.signIn()
        let folder = try await fixture.repository("widgets")
        let codes = fixture.github.count(of: .deviceCode)
        for (name, remote, shown) in [
            ("git", "up", "git is not an account on"), ("me%40corp", "other", "no account on"),
        ] {
            let address = fixture.address("acme/private.git", user: name)
            try await fixture.git("remote", "add", remote, address, in: folder).succeeded()
            let terminal = try PseudoTerminal(columns: 200)
            let end = try await fixture.git("fetch", "--quiet", remote, in: folder, on: terminal)
            #expect(end.status == 128 && terminal.screen.contains("gitspace: error: \(shown)"), "\(terminal.screen)")
            let command = "git remote set-url \(remote) https://\(fixture.host)/acme/private.git"
            #expect(terminal.screen.contains("\nhint:   \(command)\n"), "\(terminal.screen)")
            #expect(!terminal.screen.contains("corp"), "\(terminal.screen)")
            try await fixture.start(["sh", "-c", "\(command) && git fetch --quiet \(remote)"], in: folder).ended()
                .succeeded()
        }
        #expect(fixture.github.count(of: .deviceCode) == codes)
    }

    @Test("prints where to correct the address of a clone, a submodule and a submodule's fetch")
    func elsewhere() async throws {
        let fixture = try await EndToEndFixture()
        guard try await fixture.passesNames() else { return }
        let folder = fixture.session.home
        func run(_ arguments: [String], in place: String, status: Int32 = 128) async throws -> String {
            let terminal = try PseudoTerminal(columns: 250)
            let end = try await fixture.startGit(
                ["-c", "protocol.file.allow=always"] + arguments, in: place, on: terminal
            ).ended()
            #expect(end.status == status, "\(terminal.screen)")
            return terminal.screen
        }
        let clean = "https://\(fixture.host)/acme/private.git"
        let address = fixture.address("acme/private.git", user: "git")
        let clone = try await run(["clone", "--quiet", address, "clone"], in: folder)
        #expect(clone.contains("\nhint:   git clone \(clean)\n"), "\(clone)")
        let script = """
            set -e
            git init --quiet other; git -C other commit --quiet --allow-empty -m other
            git init --quiet parent; cd parent
            git -c protocol.file.allow=always submodule --quiet add ../other lib
            git config --file .gitmodules submodule.lib.url "$1"
            git commit --quiet --all -m parent
            git clone --quiet . ../again
            """
        let made = try await fixture.start(["sh", "-c", script, "sh", address], in: folder).ended()
        try #require(made.status == 0, "\(made.errors)")
        let first = try await run(["submodule", "--quiet", "update", "--init"], in: folder + "/again", status: 1)
        #expect(first.contains("\nhint:   \(clean)\n") && !first.contains("remote set-url"), "\(first)")
        _ = try await fixture.git("submodule", "--quiet", "sync", in: folder + "/parent")
        let later = try await run(["submodule", "--quiet", "update", "--remote"], in: folder + "/parent")
        #expect(later.contains("\nhint:   git -C \(folder)/parent/lib remote set-url origin \(clean)\n"), "\(later)")
        #expect(fixture.github.requests(to: .deviceCode).isEmpty)
    }
}

@Suite("Several accounts on one host")
struct SeveralAccountsTests {
    /// A host with two accounts, of which monalisa was first.
    static func fixture(_ git: Git = .system, and second: String = "bob") async throws -> EndToEndFixture {
        let fixture = try await EndToEndFixture(git: git)
        try await fixture.signedIn(inOrder: "monalisa", second)
        return fixture
    }

    /// Returns the account of the newest request for git's references.
    private static func newestUser(_ fixture: EndToEndFixture) -> String? {
        fixture.github.requests(to: .gitRefs).compactMap(\.basicCredentials?.user).last
    }

    @Test("selects an account by the server's hint if nothing else selects one", arguments: Git.all)
    func hint(git: Git) async throws {
        let fixture = try await Self.fixture(git, and: "mona_acme")
        try fixture.github.createRepository("acme/enterprise", readers: ["mona_acme", "monalisa"])
        let address = fixture.address("acme/enterprise")
        #expect(try await fixture.git("ls-remote", address).status == 0)
        #expect(Self.newestUser(fixture) == "monalisa")
        fixture.github.challenge("Basic realm=\"GitHub\", enterprise_hint=\"acme-corp\", domain_hint=\"ACME\"")
        #expect(try await fixture.git("ls-remote", address).status == 0)
        // git passes the server's challenge to helpers since 2.41.
        #expect(Self.newestUser(fixture) == (git.knowsExpiry ? "mona_acme" : "monalisa"))
        #expect(fixture.github.count(of: .deviceCode) == 0)
    }

    @Test("keeps the other account through a sign-in, a log-out and a rejected token")
    func independence() async throws {
        let fixture = try await EndToEndFixture()
        guard try await fixture.passesNames() else { return }
        try await fixture.signIn()
        let first = try #require(try await fixture.session.items().first?.secret)
        fixture.github.nextSignIn(.approve(as: "bob"))
        try await fixture.git("ls-remote", fixture.address(user: "bob"), on: PseudoTerminal()).succeeded()
        #expect(try await AccountNameTests.users(fixture) == ["bob", "monalisa"])
        #expect(try await fixture.session.items().contains { $0.secret == first })
        let bob = try #require(try await fixture.session.items().first { $0.attributes["user"] == "bob" })
        fixture.github.revoke(bob.password)
        _ = try await fixture.git("ls-remote", fixture.address(user: "bob"))
        #expect(try await AccountNameTests.users(fixture) == ["monalisa"])
        try await fixture.signedIn("bob")
        try await fixture.gitspace("logout", fixture.host, "--username", "monalisa").succeeded()
        #expect(try await AccountNameTests.users(fixture) == ["bob"])
        #expect(try await fixture.git("ls-remote", fixture.address()).status == 0)
        #expect(Self.newestUser(fixture) == "bob" && fixture.github.count(of: .deviceCode) == 2)
    }

    @Test("unlock opens the keyring by a password from a terminal without echo")
    func unlock() async throws {
        let fixture = try await EndToEndFixture()
        try await fixture.signedIn("monalisa")
        let password = try #require(fixture.session.environment["KEYRING_PASSWORD"])
        try await fixture.session.control("lock")
        let terminal = try PseudoTerminal()
        let refused = try await fixture.gitspace("status")
        #expect(refused.errors.hasSuffix("hint:   git credential-gitspace unlock\n"), "\(refused.errors)")
        let running = try fixture.start(
            ["sh", "-c", "\"$0\" unlock </dev/tty", BuiltFiles.helper], on: terminal, keepsErrors: true)
        try await terminal.type(password + "\n", after: "usually your login password (not shown): ")
        let end = try await running.ended()
        #expect(end.status == 0 && end.output == "The keyring \"Login\" is unlocked.\n", "\(end.output)\(end.errors)")
        #expect(!terminal.text.contains(password))
    }
}
