import Staging
import StandIn
import Testing

/// `git credential`, typed by a person or called by a script.
@Suite("git credential")
struct CredentialCommandTests {
    @Test("reject without a password forgets every account of the host, and tells the person", arguments: Git.all)
    func rejectHost(git: Git) async throws {
        let fixture = try await EndToEndFixture(git: git)
        for login in ["monalisa", "bob"] {
            try await fixture.remember(fixture.github.issueToken(for: login, app: fixture.app))
        }
        let terminal = try PseudoTerminal()
        let end = try await fixture.git(
            "credential", "reject", input: "url=https://\(fixture.host)\n\n", on: terminal)
        #expect(end.status == 0)
        #expect(terminal.text.hasPrefix("Signed out of \(fixture.host): removed "), "\(terminal.text)")
        #expect(terminal.text.contains("monalisa") && terminal.text.contains("bob"))
        #expect(try await fixture.session.items().isEmpty)
        #expect(fixture.github.requests.isEmpty)
    }

    @Test("reject with a name forgets that account alone, in silence where nobody is", arguments: Git.all)
    func rejectAccount(git: Git) async throws {
        let fixture = try await EndToEndFixture(git: git)
        for login in ["monalisa", "bob"] {
            try await fixture.remember(fixture.github.issueToken(for: login, app: fixture.app))
        }
        let end = try await fixture.git("credential", "reject", input: "url=https://bob@\(fixture.host)\n\n")
        #expect(end.status == 0 && end.output.isEmpty && end.errors.isEmpty)
        #expect(try await fixture.session.items().map { $0.attributes["user"] } == ["monalisa"])
    }

    @Test("reject with a password forgets only where that very password is stored", arguments: Git.all)
    func rejectPassword(git: Git) async throws {
        let fixture = try await EndToEndFixture(git: git)
        let token = fixture.github.issueToken(for: "monalisa", app: fixture.app)
        try await fixture.remember(token)
        for (password, left) in [("another", 1), (token.accessToken, 0)] {
            let end = try await fixture.git(
                "credential", "reject",
                input: "protocol=https\nhost=\(fixture.host)\nusername=monalisa\npassword=\(password)\n\n")
            #expect(end.status == 0)
            #expect(try await fixture.session.items().count == left)
        }
    }

    @Test(
        "what is approved for any other host is filled in again, exactly there, and asked of nobody",
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
        let approve = try await fixture.git("credential", "approve", input: place + credential + "\n")
        #expect(approve.status == 0 && approve.errors.isEmpty, "\(approve.errors)")
        let fill = try await fixture.git("credential", "fill", input: place + "\n")
        #expect(fill.output == place + credential && fill.errors.isEmpty, "\(fill.errors)")

        for elsewhere in ["protocol=\(scheme)\nhost=\(otherHost)\n", "protocol=ftp\nhost=\(host)\n"] {
            let miss = try await fixture.git("credential", "fill", input: elsewhere + "\n")
            #expect(miss.status == 128 && !miss.output.contains("pass=word"))
        }
        _ = try await fixture.git("credential", "reject", input: place + "\n")
        #expect(try await fixture.session.items().isEmpty)
        #expect(fixture.github.requests.isEmpty)
    }

    @Test("a path that git keeps tells credentials of other hosts apart")
    func paths() async throws {
        let fixture = try await EndToEndFixture()
        for name in ["one", "two"] {
            _ = try await fixture.git(
                "-c", "credential.useHttpPath=true", "credential", "approve",
                input: "url=https://git.example.test/\(name).git\nusername=monalisa\npassword=\(name)\n\n")
        }
        for name in ["one", "two"] {
            let fill = try await fixture.git(
                "-c", "credential.useHttpPath=true", "credential", "fill",
                input: "url=https://git.example.test/\(name).git\n\n")
            #expect(fill.output.contains("password=\(name)\n"))
        }
    }

    @Test("a path that git keeps does not matter where a token is for the whole host", arguments: Git.all)
    func pathOnKnownHost(git: Git) async throws {
        let fixture = try await EndToEndFixture(git: git, settings: "useHttpPath = true")
        try await fixture.signIn()
        let next = try await fixture.git("ls-remote", fixture.address() + ".git")
        #expect(next.status == 0 && next.errors.isEmpty, "\(next.errors)")
        #expect(try await fixture.session.items().map { $0.attributes["object"] } == [nil])
        #expect(fixture.github.count(of: .deviceCode) == 1)
    }

    @Test("fill gives a new git the expiry, and never a refresh token that is ours")
    func fillAfterSignIn() async throws {
        let git = Git.newer ?? .system
        let fixture = try await EndToEndFixture(git: git, app: .gitHubApp(interval: 1))
        let item = try await fixture.signIn()
        let fill = try await fixture.git("credential", "fill", input: "url=https://\(fixture.host)\n\n")
        var expected = ["protocol=https", "host=\(fixture.host)", "username=monalisa", "password=\(item.password)"]
        if git.knowsExpiry { expected.append("password_expiry_utc=\(item["password_expiry_utc"] ?? "")") }
        #expect(fill.output == expected.map { $0 + "\n" }.joined())
    }
}
