import Staging
import StandIn
import Testing

/// A token that git has stored for one repository with `credential.useHttpPath`.
@Suite("Tokens for a single path, with a real git")
struct PathTokenTests {
    /// Stores a token for a path as git does.
    ///
    /// It is valid for all of monalisa's repositories, so the server shows who sends it.
    private static func store(_ path: String, _ fixture: EndToEndFixture) async throws -> String {
        let token = fixture.github.issueToken(for: "monalisa", app: fixture.app)
        let end = try await fixture.git(
            "credential", "approve",
            input: """
                protocol=https
                host=\(fixture.host)
                path=\(path)
                username=monalisa
                password=\(token.accessToken)


                """)
        #expect(end.status == 0 && end.errors.isEmpty, "\(end.errors)")
        return token.accessToken
    }

    @Test("signs in for another repository, and does not send the path's token there", arguments: Git.all)
    func otherPath(git: Git) async throws {
        let fixture = try await EndToEndFixture(git: git, settings: "useHttpPath = true")
        try fixture.github.createRepository("gamma/private", writers: ["monalisa"])
        let token = try await Self.store("acme/private", fixture)
        #expect(try await fixture.git("ls-remote", fixture.address()).status == 0)
        #expect(fixture.github.requests(to: .gitRefs).last?.basicCredentials?.password == token)
        let terminal = try PseudoTerminal()
        let running = try fixture.startGit(
            ["ls-remote", fixture.address("gamma/private")], terminal: .standardError(terminal))
        try await BrowserUser(login: "monalisa", on: fixture).answer(on: terminal)
        #expect(try await running.ended().status == 0, "\(terminal.screen)")
        let newest = fixture.github.requests(to: .gitRefs).last?.basicCredentials?.password
        #expect(newest != nil && newest != token)
    }

    @Test("get returns it without a path as git's own helper does, and login, doctor and status see no sign-in")
    func withoutPath() async throws {
        let fixture = try await EndToEndFixture(settings: "useHttpPath = true")
        let token = try await Self.store("acme/private", fixture)
        for path in ["", "path=acme/private"] {
            #expect(try await fixture.helper("get", path).output.contains("password=\(token)\n"), "\(path)")
        }
        #expect(try await fixture.helper("get", "path=gamma/private").output.isEmpty)
        let status = try await fixture.start([BuiltFiles.helper, "status", fixture.host]).ended()
        #expect(
            status.status == 1
                && status.output.contains(
                    "\(fixture.host)\n  Token of monalisa (keyring, only for acme/private)\n    Token: does not expire\n"
                ),
            "\(status.output)")
        let json = try await fixture.start([BuiltFiles.helper, "status", fixture.host, "--json"]).ended()
        #expect(json.output.contains("\"path\": \"acme/private\""), "\(json.output)")
        let doctor = try await fixture.start([BuiltFiles.helper, "doctor"]).ended()
        #expect(doctor.output.contains("no account is signed in to \(fixture.host)"), "\(doctor.output)")
        fixture.github.nextSignIn(.approve(as: "monalisa"))
        let terminal = try PseudoTerminal()
        let login = try await fixture.start(
            [BuiltFiles.helper, "login", fixture.host], terminal: .standardError(terminal)
        ).ended()
        #expect(login.status == 0 && fixture.github.completedSignIns == 1, "\(terminal.screen)")
        #expect(try await fixture.helper("get", "path=gamma/private").output.contains("password="))
    }
}
