import Staging
import StandIn
import Testing

/// Which hosts are signed in to, and whose account they use.
@Suite("Hosts")
struct HostTests {
    @Test("a GitHub Enterprise Server is one that the configuration names", arguments: Git.all)
    func enterpriseServer(git: Git) async throws {
        let fixture = try await EndToEndFixture(git: git)
        let item = try await fixture.signIn()
        #expect(
            item.attributes == [
                "xdg:schema": "org.git.Password", "protocol": "https", "server": "localhost",
                "port": "\(fixture.github.port)", "user": "monalisa",
            ])
        #expect(item.label == "Git: https://\(fixture.host)/")
        #expect(fixture.github.requests(to: .user).map(\.path) == ["/api/v3/user"])
        #expect(Set(fixture.github.tunnels) == [fixture.host])
    }

    @Test("a host that no configuration names is never signed in to")
    func foreignHost() async throws {
        let fixture = try await EndToEndFixture()
        let terminal = try PseudoTerminal()
        let answer = try await fixture.session.start(
            [BuiltFiles.helper, "get"], input: "protocol=https\nhost=ghe.test\n", terminal: .standardError(terminal)
        ).ended()
        #expect(answer.output.isEmpty && terminal.text.isEmpty)
        #expect(fixture.github.requests.isEmpty)
    }

    @Test("a gist is fetched with the account of github.com", arguments: Git.all)
    func gist(git: Git) async throws {
        let fixture = try await EndToEndFixture(git: git, host: "github.com")
        try await fixture.remember(fixture.github.issueToken(for: "monalisa", app: fixture.app))
        let before = try await fixture.session.items()
        let answer = try await fixture.git("ls-remote", "https://gist.github.com/acme/private")
        #expect(answer.status == 0, "\(answer.errors)")
        #expect(try await fixture.session.items() == before)
        #expect(before.map { $0.attributes["server"] } == ["github.com"])
    }

    @Test("an enterprise in GitHub's cloud has its own client and its own API", .serialized, arguments: Git.all)
    func enterpriseCloud(git: Git) async throws {
        let app = App.oauthApp(clientID: "Ov23liOfOctoAlone", interval: 1)
        let fixture = try await EndToEndFixture(git: git, host: "octo.ghe.com", app: app)
        let item = try await fixture.signIn()
        #expect(item.attributes["server"] == "octo.ghe.com")
        #expect(fixture.github.requests(to: .deviceCode).map { $0.form["client_id"] } == [app.clientID])
        #expect(Set(fixture.github.tunnels) == ["octo.ghe.com:443", "api.octo.ghe.com:443"])
    }
}
