import Staging
import Testing

/// The user name in an address: an account in any letter case, or a name of no account.
@Suite("Names of accounts")
struct AccountNameTests {
    // MARK: Case

    private static func users(_ fixture: EndToEndFixture) async throws -> [String] {
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
        fixture.github.nextSignIn(.approve(as: "monalisa"))
        let terminal = try PseudoTerminal()
        let login = try await fixture.gitspace("login", fixture.host, "--username", "monalisa", "--force", on: terminal)
            .succeeded()
        #expect(login.output.contains("Replaced the previous token of"), "\(login.output)")
        #expect(try await Self.users(fixture) == ["MonaLisa"])
        #expect(try await fixture.session.items().first?.password != token.accessToken)
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
