import Staging
import Testing

@Suite("Gitea and Forgejo")
struct GiteaTests {
    /// A person on a desktop, whose browser signs in as `login`.
    private func fixture(_ login: String, git: Git = .system) async throws -> EndToEndFixture {
        let fixture = try await EndToEndFixture(.gitea, git: git)
        let browser = fixture.session.home + "/browser"
        try await fixture.session.write(
            program: browser,
            """
            #!/bin/sh
            exec curl --disable --silent --location --max-time 60 --proxy \(fixture.server.proxyAddress) \\
                --noproxy 127.0.0.1 --cacert \(fixture.server.caFile) --output '\(browser).html' "$1&login=\(login)"
            """)
        _ = try await fixture.git("config", "--global", "credential.gitspaceBrowser", browser)
        return fixture
    }

    /// Presses the key that opens the page.
    private func approve(_ fixture: EndToEndFixture, _ arguments: [String]) async throws {
        let terminal = try PseudoTerminal(columns: 200)
        let running = try fixture.startGit(arguments, environment: ["DISPLAY": ":99"], on: terminal)
        try await terminal.shows("Open this page in a browser on this machine:")
        try await terminal.takesKeys()
        terminal.type("\n")
        try await running.ended().succeeded()
    }

    @Test("signs in by the browser for a first clone, renews the token, and pushes", arguments: Git.all)
    func mainJob(git: Git) async throws {
        let fixture = try await fixture("monalisa", git: git)
        try await approve(fixture, ["clone", fixture.address()])
        let item = try #require(try await fixture.session.items().first)
        #expect(item.attributes["user"] == "monalisa" && item.password == fixture.server.tokens.first?.accessToken)
        #expect(fixture.server.tokens.first?.scopes == Service.gitea.scopes)
        #expect(fixture.server.count(of: .exchange) == 1 && fixture.server.completedSignIns == 1)
        let page = try String(contentsOfFile: fixture.session.home + "/browser.html", encoding: .utf8)
        #expect(page.contains("monalisa"))

        try await fixture.session.age()
        let folder = fixture.session.home + "/private"
        _ = try await fixture.git("commit", "--quiet", "--allow-empty", "--message=Second commit", in: folder)
        try await fixture.git("push", "--quiet", in: folder).succeeded(silently: true)
        #expect(fixture.server.count(of: .refresh) == 1 && fixture.server.refreshTokenReuses == 0)
        let check = try await fixture.gitspace("check", in: folder)
        #expect(check.status == 0 && check.output.contains("Push: yes"), "\(check.output)\(check.errors)")
    }

    @Test("ends the sign-in after a spent refresh token, and signs in by the browser again")
    func spent() async throws {
        let fixture = try await fixture("monalisa")
        try await approve(fixture, ["ls-remote", fixture.address()])
        try await fixture.session.age(expiringIn: -10)
        let token = try #require(fixture.server.tokens.first?.refreshToken)
        fixture.server.revoke(token)
        try await approve(fixture, ["ls-remote", fixture.address()])
        #expect(fixture.server.completedSignIns == 2)
    }
}
