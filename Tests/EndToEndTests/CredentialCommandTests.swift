import Staging
import Testing

@Suite("git credential")
struct CredentialCommandTests {
    @Test(
        "reject without a password removes every account of the host, and tells the person",
        arguments: Git.all, Service.withDeviceFlow)
    func rejectHost(git: Git, service: Service) async throws {
        let fixture = try await EndToEndFixture(service, git: git)
        for login in ["monalisa", "bob"] { try await fixture.signedIn(login) }
        let terminal = try PseudoTerminal()
        try await fixture.reject("url=https://\(fixture.host)\n\n", on: terminal).succeeded()
        #expect(terminal.text.hasPrefix("Signed out of \(fixture.host): removed "), "\(terminal.text)")
        #expect(terminal.text.contains("monalisa") && terminal.text.contains("bob"))
        #expect(try await fixture.session.items().isEmpty)
        let again = try PseudoTerminal()
        _ = try await fixture.reject("url=https://\(fixture.host)\n\n", on: again)
        #expect(again.text == "Nothing to remove: no credential is stored for \(fixture.host).\n")
        #expect(fixture.server.requests.isEmpty)
    }

    @Test(
        "fill returns an approved credential of any other host exactly there, without a question",
        arguments: [
            ("https", "git.example.test", "git.example.test:8443"),
            ("https", "git.example.test:8443", "git.example.test"),
            ("https", "git.example.test:8443", "git.example.test:8444"),
            ("http", "git.example.test", "git.example.test.evil.test"),
            ("smtp", "mail.example.test:587", "mail.example.test"),
            ("https", "[2001:db8::1]:8443", "[2001:db8::2]:8443"),
        ])
    func otherHosts(scheme: String, host: String, otherHost: String) async throws {
        let fixture = try await EndToEndFixture()
        let place = "protocol=\(scheme)\nhost=\(host)\n"
        let credential = "username=monalisa\npassword=a pass=word\n"
        try await fixture.git("credential", "approve", input: place + credential + "\n").succeeded(silently: true)
        let fill = try await fixture.git("credential", "fill", input: place + "\n")
        #expect(fill.output == place + credential && fill.errors.isEmpty, "\(fill.errors)")

        for elsewhere in ["protocol=\(scheme)\nhost=\(otherHost)\n", "protocol=ftp\nhost=\(host)\n"] {
            let miss = try await fixture.git("credential", "fill", input: elsewhere + "\n")
            #expect(miss.status == 128 && !miss.output.contains("pass=word"))
        }
        _ = try await fixture.git("credential", "reject", input: place + "\n")
        #expect(try await fixture.session.items().isEmpty)
        #expect(fixture.server.requests.isEmpty)
    }

    private static let request = "protocol=https\nhost=git.example\n"
    private static let bearer = "capability[]=authtype\nauthtype=Bearer\ncredential=tok-bearer\nusername=alice\n"

    @Test("git 2.46 and newer get a Bearer credential back; an older git and git's libsecret helper read no password")
    func bearer() async throws {
        guard let git = Git.all.first(where: \.knowsState) else { return }
        let fixture = try await EndToEndFixture(git: git)
        try await fixture.git("credential", "approve", input: Self.request + Self.bearer).succeeded(silently: true)
        let filled = try await fixture.git("credential", "fill", input: "capability[]=authtype\n" + Self.request)
        #expect(
            filled.output == "capability[]=authtype\nauthtype=Bearer\ncredential=tok-bearer\nprotocol=https\n"
                + "host=git.example\nusername=alice\n", "\(filled.output)\(filled.errors)")
        let item = try #require(try await fixture.session.items().first)
        #expect(item.password.isEmpty && item.attributes["xdg:schema"] == "org.git.Password")
        // Without a prompt, only a helper can answer.
        let quiet = ["GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "false"]
        let older = try await fixture.startGit(["credential", "fill"], environment: quiet, input: Self.request).ended()
        #expect(older.status == 128 && !older.output.contains("tok-bearer"), "\(older.output)")
        _ = try await fixture.git(
            "credential", "reject", input: Self.request + "capability[]=authtype\nauthtype=Bearer\ncredential=other\n")
        #expect(try await fixture.session.items().count == 1)
        _ = try await fixture.git("credential", "reject", input: Self.request + Self.bearer)
        #expect(try await fixture.session.items().isEmpty)
    }

    @Test("signs in for another path than a stored token's, and does not send that token there", arguments: Git.all)
    func otherPath(git: Git) async throws {
        let fixture = try await EndToEndFixture(git: git, settings: "useHttpPath = true")
        try fixture.github.createRepository("gamma/private", writers: ["monalisa"])
        // The token is valid for all of monalisa's repositories, so the server shows who sends it.
        let token = fixture.github.issueToken(for: "monalisa", app: fixture.app).accessToken
        let line = "protocol=https\nhost=\(fixture.host)\npath=acme/private\nusername=monalisa\npassword=\(token)\n\n"
        try await fixture.git("credential", "approve", input: line).succeeded(silently: true)
        #expect(try await fixture.git("ls-remote", fixture.address()).status == 0)
        #expect(fixture.github.requests(to: .gitRefs).last?.basicCredentials?.password == token)
        let terminal = try PseudoTerminal()
        let running = try fixture.startGit(["ls-remote", fixture.address("gamma/private")], on: terminal)
        try await fixture.answer(on: terminal)
        #expect(try await running.ended().status == 0, "\(terminal.screen)")
        let newest = fixture.github.requests(to: .gitRefs).last?.basicCredentials?.password
        #expect(newest != nil && newest != token)
    }
}

/// How often the verbs run git, which takes some milliseconds each time, counted by a git in front of the real one.
@Suite("Runs of git")
struct GitRunsTests {
    private func runs(
        _ words: String..., on fixture: EndToEndFixture, in folder: String? = nil, terminal: PseudoTerminal? = nil
    ) async throws -> [String] {
        let notes = fixture.session.home + "/runs"
        try await fixture.session.write(git: #"printf '%s\n' "$*" >>"$HOME/runs""#)
        try? FileManager.default.removeItem(atPath: notes)
        let end = try await fixture.gitspace(
            words, in: folder, environment: ["PATH": fixture.session.path()], on: terminal)
        #expect(end.status == 0, "\(end.output)\(end.errors)\(terminal?.screen ?? "")")
        let text = (try? String(contentsOfFile: notes, encoding: .utf8)) ?? ""
        #expect(!text.isEmpty, "\(words)")
        return text.split(separator: "\n").map(String.init)
    }

    @Test("setup runs git at most four times, also in a repository that names the host")
    func setup() async throws {
        let fixture = try await EndToEndFixture(settings: "[credential]\nhelper =")
        fixture.github.nextSignIn(.approve(as: "monalisa"))
        #expect(try await runs("setup", fixture.host, on: fixture, terminal: PseudoTerminal()).count <= 4)
        #expect(try await fixture.git("ls-remote", fixture.address()).status == 0)
        let other = try await EndToEndFixture(settings: "[credential]\nhelper =")
        other.github.nextSignIn(.approve(as: "monalisa"))
        let folder = try await other.repository("work", origin: other.address())
        #expect(try await runs("setup", on: other, in: folder, terminal: PseudoTerminal()).count <= 4)
        #expect(try await other.git("ls-remote", other.address()).status == 0)
    }

    @Test("switch runs git at most three times, with the host named or not, and --here asks once for the repository")
    func change() async throws {
        let fixture = try await EndToEndFixture()
        try await fixture.signedIn(inOrder: "monalisa", "bob")
        let folder = try await fixture.repository("work", origin: fixture.address())
        #expect(try await runs("switch", fixture.host, "bob", on: fixture).count <= 3)
        let key = fixture.setting("username")
        #expect(try await fixture.git("config", "--global", key).output == "bob\n")
        #expect(try await runs("switch", "monalisa", on: fixture, in: folder).count <= 3)
        #expect(try await fixture.git("config", "--global", key).output == "monalisa\n")
        let here = try await runs("switch", "bob", "--here", on: fixture, in: folder)
        #expect(here.count <= 6 && here.count { $0.contains("--git-common-dir") } == 1, "\(here)")
        #expect(try await fixture.git("config", "--local", key, in: folder).output == "bob\n")
    }

    @Test("doctor runs git at most three times")
    func doctor() async throws {
        let fixture = try await EndToEndFixture()
        try await fixture.signedIn("monalisa")
        #expect(try await runs("doctor", fixture.host, on: fixture).count <= 3)
        #expect(try await runs("doctor", on: fixture).count <= 3)
    }
}

/// The requests of a fetch; git first sends one without a token, which is refused, unless it sends the token at once.
@Suite("Tokens with git's first request, with a real git")
struct ProactiveAuthenticationTests {
    /// A fixture whose git has `http.proactiveAuth`, with monalisa signed in; `nil` without such a git.
    private func fixture() async throws -> EndToEndFixture? {
        guard let git = Git.all.first(where: \.knowsState) else { return nil }
        let fixture = try await EndToEndFixture(git: git)
        try await fixture.signedIn("monalisa")
        try fixture.github.createRepository("acme/public", isPrivate: false, writers: ["monalisa"])
        return fixture
    }

    /// Returns the number of a fetch's requests, and how many of them are refused.
    private func requests(_ fixture: EndToEndFixture, _ repository: String) async throws -> Int {
        let before = fixture.github.requests.count
        try await fixture.git("ls-remote", fixture.address(repository)).succeeded()
        return fixture.github.requests.count - before
    }

    @Test("needs no more requests for an authenticated fetch than for an anonymous one, until the last log-out")
    func requests() async throws {
        guard let fixture = try await fixture() else { return }
        #expect(try await requests(fixture, "acme/public") == 2)
        #expect(try await requests(fixture, "acme/private") == 3)
        try await fixture.gitspace("configure", "--proactive").succeeded(silently: true)
        let key = "http.https://\(fixture.host).proactiveAuth"
        #expect(try await fixture.git("config", "--global", key).output == "basic\n")
        #expect(try await requests(fixture, "acme/private") == 2)
        #expect(try await requests(fixture, "acme/public") == 2)
        let logout = try await fixture.gitspace("logout", fixture.host)
        #expect(logout.output.contains("git no longer sends a token with its first request to \(fixture.host).\n"))
        #expect(try await fixture.git("config", "--global", key).status == 1)
        #expect(try await requests(fixture, "acme/public") == 2)
    }
}

/// Our items are those of git's libsecret helper, so a person can change from one to the other.
@Suite("Items shared with git's libsecret helper")
struct SharedItemTests {
    /// Requests of every shape that an item can have.
    private static let places = [
        "protocol=https\nhost=git.example.test\nusername=monalisa\n",
        "protocol=https\nhost=git.example.test:8443\nusername=monalisa\n",
        "protocol=smtp\nhost=mail.example.test:587\nusername=mona@example.test\n",
        "protocol=https\nhost=git.example.test\npath=a/b.git\nusername=\n",
        "protocol=https\nhost=github.com\nusername=monalisa\n",
    ]

    @Test("get returns an item that git's helper stored", arguments: LibsecretHelper.all)
    func theirs(helper: LibsecretHelper) async throws {
        let session = try await Session()
        let secrets = helper.isCurrent ? Self.secrets : "password=pass=word\n"
        for place in Self.places {
            _ = try await session.run([helper.path, "store"], input: place + secrets)
            let answer = try await session.run([BuiltFiles.helper, "get"], input: place)
            #expect(lines(answer.output) == lines(Self.username(in: place) + secrets), "\(answer.errors)")
        }
    }

    @Test("git's helper returns an item that we stored", arguments: LibsecretHelper.current)
    func ours(helper: LibsecretHelper) async throws {
        let session = try await Session()
        for place in Self.places {
            _ = try await session.run([BuiltFiles.helper, "store"], input: place + Self.secrets)
            let answer = try await session.run([helper.path, "get"], input: place)
            #expect(lines(answer.output) == lines(Self.username(in: place) + Self.secrets), "\(answer.errors)")
        }
    }

    @Test("each helper replaces and erases the other's item", arguments: LibsecretHelper.current)
    func bothWays(helper: LibsecretHelper) async throws {
        let session = try await Session()
        let place = Self.places[0]
        for (program, password) in [(helper.path, "first"), (BuiltFiles.helper, "second"), (helper.path, "third")] {
            _ = try await session.run([program, "store"], input: place + "password=\(password)\n")
            let answer = try await session.run([BuiltFiles.helper, "get"], input: place)
            #expect(answer.output.contains("password=\(password)\n"))
        }
        _ = try await session.run([BuiltFiles.helper, "erase"], input: place)
        #expect(try await session.items().isEmpty)
        _ = try await session.run([BuiltFiles.helper, "store"], input: place + "password=fourth\n")
        _ = try await session.run([helper.path, "erase"], input: place)
        #expect(try await session.items().isEmpty)
    }

    @Test("store replaces the item of an older helper of git's, and erase removes it", arguments: LibsecretHelper.all)
    func succession(helper: LibsecretHelper) async throws {
        let session = try await Session()
        let place = Self.places[0]
        _ = try await session.run([helper.path, "store"], input: place + "password=first\n")
        _ = try await session.run([BuiltFiles.helper, "store"], input: place + "password=second\n")
        let items = try await session.items()
        #expect(items.map(\.password) == ["second"])
        #expect(items.first?.attributes["xdg:schema"] == "org.git.Password")

        _ = try await session.run([BuiltFiles.helper, "erase"], input: place)
        _ = try await session.run([helper.path, "store"], input: place + "password=third\n")
        _ = try await session.run([BuiltFiles.helper, "erase"], input: place + "password=third\n")
        #expect(try await session.items().isEmpty)
    }

    @Test(
        "get returns another program's item with git's attributes, and erase removes it by its exact password",
        arguments: ["org.freedesktop.Secret.Generic", "org.example.Other", ""])
    func otherSchema(name: String) async throws {
        let session = try await Session()
        let place = Self.places[1]
        var attributes = ["protocol": "https", "server": "git.example.test", "port": "8443", "user": "monalisa"]
        if !name.isEmpty { attributes["xdg:schema"] = name }
        try await session.put(KeyringItem(label: "x", attributes: attributes, secret: "a-password"))
        for program in [BuiltFiles.helper, BuiltFiles.helper + "-full"] {
            let answer = try await session.run([program, "get"], input: place)
            #expect(answer.output.contains("password=a-password\n"), "\(answer.errors)")
        }
        _ = try await session.run([BuiltFiles.helper, "erase"], input: place + "password=another\n")
        #expect(try await session.items().map(\.password) == ["a-password"])
        _ = try await session.run([BuiltFiles.helper, "erase"], input: place + "password=a-password\n")
        #expect(try await session.items().isEmpty)
    }

    private static let secrets = """
        password=pass=word
        password_expiry_utc=9999999999
        oauth_refresh_token=a-refresh-token

        """

    private static func username(in place: String) -> String {
        place.split(separator: "\n").filter { $0.hasPrefix("username=") }.joined() + "\n"
    }

    /// Returns the lines as a set, because their order does not matter.
    private func lines(_ text: String) -> Set<Substring> { Set(text.split(separator: "\n")) }
}
