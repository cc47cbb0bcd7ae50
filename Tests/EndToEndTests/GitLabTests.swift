import Staging
import Testing

@Suite("A GitLab of one's own, with a real git")
struct GitLabTests {
    @Test("clones, pushes, shows, refreshes and signs out for a project in groups of groups", arguments: Git.all)
    func wholeLife(git: Git) async throws {
        let fixture = try await EndToEndFixture(.gitLab, git: git)
        try fixture.server.createRepository("acme/tools/widgets", writers: ["monalisa"])
        let terminal = try PseudoTerminal()
        let clone = try fixture.startGit(["clone", fixture.address("acme/tools/widgets.git")], on: terminal)
        try await BrowserUser(login: "monalisa", on: fixture).answer(on: terminal)
        #expect(try await clone.ended().status == 0, "\(terminal.text)")
        #expect(
            terminal.text.contains("git needs to sign in to GitLab (\(fixture.host)).")
                && !terminal.text.contains("Hub"))
        let folder = fixture.session.home + "/widgets"
        _ = try await fixture.git("commit", "--quiet", "--allow-empty", "--message=Second commit", in: folder)
        try await fixture.git("push", "--quiet", in: folder).succeeded(silently: true)
        #expect(try fixture.server.git(["log", "-1", "--format=%s"], in: "acme/tools/widgets") == "Second commit\n")

        let status = try await fixture.gitspace("status", fixture.host)
        #expect(status.status == 0 && status.output.contains("read_repository"), "\(status.output)")
        #expect(fixture.server.count(of: .tokenInfo) == 1)
        let first = try #require(fixture.server.tokens.last)
        #expect(try await fixture.gitspace("refresh", fixture.host).status == 0)
        #expect(!fixture.server.isLive(first.accessToken) && fixture.server.refreshTokenReuses == 0)
        #expect(try await fixture.git("fetch", in: folder).status == 0)

        let logout = try await fixture.gitspace("logout", fixture.host, "--revoke")
        #expect(logout.status == 0 && !logout.output.contains("GitHub"), "\(logout.output)\(logout.errors)")
        #expect(try await fixture.session.items().isEmpty)
        #expect(fixture.server.tokens.allSatisfy { !fixture.server.isLive($0.accessToken) })
        #expect(
            fixture.server.requests(to: .revoke).map { $0.form["client_id"] } == [
                fixture.app.clientID, fixture.app.clientID,
            ])
        #expect(Set(fixture.server.tunnels) == [fixture.host])
        let log = fixture.server.requests.map { "\($0.endpoint.rawValue) \($0.request.method) \($0.request.target)" }
        print((["requests of a whole life at GitLab:"] + log).joined(separator: "\n  "))
    }

    @Test("check asks git's own protocol, because the sign-in cannot use the API")
    func check() async throws {
        let fixture = try await EndToEndFixture(.gitLab)
        try fixture.server.createRepository("acme/tools/widgets", readers: ["bob"], writers: ["monalisa"])
        func check(_ slug: String = "acme/tools/widgets") async throws -> RunningProgram.End {
            let end = try await fixture.gitspace("check", fixture.address(slug))
            #expect(!(end.output + end.errors).contains("GitHub"))
            for secret in fixture.server.issuedSecrets { #expect(!(end.output + end.errors).contains(secret)) }
            return end
        }
        let nobody = try await check()
        #expect(nobody.status == 1 && nobody.errors.contains("not signed in to \(fixture.host)"))
        try await fixture.signedIn("monalisa", expiringIn: 7_200)
        let writer = try await check()
        #expect(
            writer.output == """
                acme/tools/widgets on \(fixture.host), as monalisa
                  Read: yes
                  Push: yes
                  protected branches and push rules apply as well; see them here:
                    https://\(fixture.host)/acme/tools/widgets/-/branches

                """, "\(writer.output)")
        #expect(
            try await check("acme/nothing").errors.contains(
                "acme/nothing does not exist, or monalisa has no access to it"))
        fixture.server.demandSingleSignOn(of: ["monalisa"], at: "acme/tools/widgets")
        let session = try await check()
        #expect(session.status == 1)
        #expect(session.errors.contains("https://\(fixture.host)/groups/acme/-/saml/sso?token="), "\(session.errors)")
        fixture.server.demandSingleSignOn(of: [], at: "acme/tools/widgets")
        fixture.server.archive("acme/tools/widgets")
        #expect(try await check().output.contains("Push: no"))
    }

    @Test("doctor checks the host by GitLab's own addresses")
    func doctor() async throws {
        let fixture = try await EndToEndFixture(.gitLab)
        let end = try await fixture.gitspace("doctor")
        #expect(fixture.server.count(of: .meta) == 1 && fixture.server.count(of: .unknown) == 0, "\(end.output)")
        #expect(!end.output.contains("GitHub"), "\(end.output)")
    }
}
