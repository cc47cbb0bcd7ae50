import Staging
import Testing

@Suite("Several accounts on one host")
struct SeveralAccountsTests {
    /// A host with two accounts, of which monalisa was first.
    private static func fixture(_ git: Git = .system, and second: String = "bob") async throws -> EndToEndFixture {
        let fixture = try await EndToEndFixture(git: git)
        try await fixture.signedIn(inOrder: "monalisa", second)
        return fixture
    }

    /// Returns the account of the newest request for git's references.
    private static func newestUser(_ fixture: EndToEndFixture) -> String? {
        fixture.github.requests(to: .gitRefs).compactMap(\.basicCredentials?.user).last
    }

    @Test(
        "uses each folder's credential.username by includeIf, unless the address names an account", arguments: Git.all)
    func folders(git: Git) async throws {
        let fixture = try await Self.fixture(git)
        let home = fixture.session.home
        try "[credential \"https://\(fixture.host)\"]\nusername = bob\n".write(to: home + "/acme.inc")
        _ = try await fixture.git("config", "--global", "includeIf.gitdir:~/acme/.path", "~/acme.inc")
        for folder in ["home/one", "acme/two"] {
            _ = try await fixture.git("init", "--quiet", "\(home)/\(folder)")
            _ = try await fixture.git("remote", "add", "origin", fixture.address(), in: "\(home)/\(folder)")
        }
        for (folder, account) in [("home/one", "monalisa"), ("acme/two", "bob"), ("home/one", "monalisa")] {
            let end = try await fixture.git("fetch", "--quiet", "origin", in: "\(home)/\(folder)")
            #expect(end.status == 0 && Self.newestUser(fixture) == account, "\(folder): \(end.errors)")
        }
        let folder = "\(home)/acme/two"
        if try await fixture.passesNames() {
            _ = try await fixture.git("remote", "set-url", "origin", fixture.address(user: "monalisa"), in: folder)
            #expect(try await fixture.git("fetch", "--quiet", "origin", in: folder).status == 0)
            #expect(Self.newestUser(fixture) == "monalisa")
        }
        // Each push has the name of the folder's account.
        _ = try await fixture.git("remote", "set-url", "origin", fixture.address(), in: folder)
        _ = try await fixture.git("switch", "--quiet", "--create", "by-bob", "origin/main", in: folder)
        try await fixture.git("push", "--quiet", "origin", "by-bob", in: folder).succeeded()
        #expect(fixture.github.requests(to: .gitPush).last?.basicCredentials?.user == "bob")
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
        _ = try await fixture.git("config", "--global", fixture.setting("username"), "monalisa")
        #expect(try await fixture.git("ls-remote", address).status == 0)
        #expect(Self.newestUser(fixture) == "monalisa")
        fixture.github.challenge("Basic realm=\"GitHub\", domain_hint=\"other\"")
        _ = try await fixture.git("config", "--global", "--unset", fixture.setting("username"))
        #expect(try await fixture.git("ls-remote", address).status == 0)
        #expect(Self.newestUser(fixture) == "monalisa" && fixture.github.count(of: .deviceCode) == 0)
    }

    @Test("keeps the other account through a sign-in, a log-out and a rejected token")
    func independence() async throws {
        let fixture = try await EndToEndFixture()
        guard try await fixture.passesNames() else { return }
        func accounts() async throws -> [String] {
            try await fixture.session.items().compactMap { $0.attributes["user"] }.sorted()
        }
        try await fixture.signIn()
        let first = try #require(try await fixture.session.items().first?.secret)
        fixture.github.nextSignIn(.approve(as: "bob"))
        try await fixture.git("ls-remote", fixture.address(user: "bob"), on: PseudoTerminal()).succeeded()
        #expect(try await accounts() == ["bob", "monalisa"])
        #expect(try await fixture.session.items().contains { $0.secret == first })
        let bob = try #require(try await fixture.session.items().first { $0.attributes["user"] == "bob" })
        fixture.github.revoke(bob.password)
        _ = try await fixture.git("ls-remote", fixture.address(user: "bob"))
        #expect(try await accounts() == ["monalisa"])
        try await fixture.signedIn("bob")
        try await fixture.gitspace("logout", fixture.host, "--username", "monalisa").succeeded()
        #expect(try await accounts() == ["bob"])
        #expect(try await fixture.git("ls-remote", fixture.address()).status == 0)
        #expect(Self.newestUser(fixture) == "bob" && fixture.github.count(of: .deviceCode) == 2)
    }
}
