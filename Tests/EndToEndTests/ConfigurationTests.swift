import Foundation
import Staging
import StandIn
import Testing

/// Whose settings count.
@Suite("Configuration")
struct ConfigurationTests {
    /// Makes a repository in the home folder whose own configuration says something, as whoever wrote it might.
    private func repository(_ fixture: EndToEndFixture, saying settings: [String: String]) async throws -> String {
        let folder = fixture.session.home + "/hostile"
        _ = try await fixture.git("init", "--quiet", folder)
        for (name, value) in settings { _ = try await fixture.git("config", name, value, in: folder) }
        return folder
    }

    @Test("a repository's own settings do not decide where a token goes", arguments: Git.all)
    func repositoryClient(git: Git) async throws {
        let fixture = try await EndToEndFixture(git: git)
        fixture.github.register(.oauthApp(clientID: "Ov23liHostile", interval: 1))
        let prefix = "credential.https://\(fixture.host)."
        let folder = try await repository(
            fixture,
            saying: [
                prefix + "oauthClientId": "Ov23liHostile", prefix + "provider": "none",
                prefix + "oauthDeviceAuthURL": "https://evil.test/code",
                prefix + "oauthTokenURL": "https://evil.test/token",
            ])
        fixture.github.nextSignIn(.approve(as: "monalisa"))
        let end = try await fixture.git("ls-remote", fixture.address(), in: folder, on: PseudoTerminal())
        #expect(end.status == 0)
        #expect(fixture.github.requests(to: .deviceCode).map { $0.form["client_id"] } == [fixture.app.clientID])
        #expect(Set(fixture.github.tunnels) == [fixture.host])
    }

    @Test("a repository cannot make a host one that is signed in to", arguments: Git.all)
    func repositoryProvider(git: Git) async throws {
        let fixture = try await EndToEndFixture(git: git)
        let folder = try await repository(
            fixture,
            saying: [
                "credential.https://ghe.test.provider": "github",
                "credential.https://ghe.test.oauthClientId": "Ov23liHostile",
            ])
        let terminal = try PseudoTerminal()
        let answer = try await fixture.start(
            [BuiltFiles.helper, "get"], in: folder, input: "protocol=https\nhost=ghe.test\n",
            terminal: .standardError(terminal)
        ).ended()
        #expect(answer.output.isEmpty && terminal.text.isEmpty, "\(terminal.text)")
        #expect(fixture.github.requests.isEmpty)
    }

    @Test("the client ID of the environment wins over the configured one")
    func clientOfEnvironment() async throws {
        let fixture = try await EndToEndFixture()
        fixture.github.register(.oauthApp(clientID: "Ov23liFromOutside", interval: 1))
        fixture.github.nextSignIn(.approve(as: "monalisa"))
        let end = try await fixture.git(
            "ls-remote", fixture.address(), environment: ["GITSPACE_CLIENT_ID": "Ov23liFromOutside"],
            on: PseudoTerminal()
        )
        #expect(end.status == 0)
        #expect(fixture.github.requests(to: .deviceCode).map { $0.form["client_id"] } == ["Ov23liFromOutside"])
    }

    @Test("proxy and certificates come from git's variables as well as from its configuration", arguments: Git.all)
    func network(git: Git) async throws {
        let fixture = try await EndToEndFixture(git: git)
        for name in ["http.proxy", "http.sslCAInfo"] {
            _ = try await fixture.git("config", "--global", "--unset", name)
        }
        fixture.github.nextSignIn(.approve(as: "monalisa"))
        let terminal = try PseudoTerminal()
        let end = try await fixture.git(
            "ls-remote", fixture.address(), environment: fixture.github.environment, on: terminal)
        #expect(end.status == 0, "\(terminal.text)")
        #expect(Set(fixture.github.tunnels) == [fixture.host])
    }

    @Test("a certificate that nobody vouches for is refused, whatever git has been told")
    func untrusted() async throws {
        let fixture = try await EndToEndFixture()
        _ = try await fixture.git("config", "--global", "--unset", "http.sslCAInfo")
        _ = try await fixture.git("config", "--global", "http.sslVerify", "false")
        let terminal = try PseudoTerminal()
        let answer = try await fixture.helper("get", environment: ["GIT_SSL_NO_VERIFY": "1"], on: terminal)
        #expect(answer.output == "quit=1\n")
        #expect(
            terminal.text.hasPrefix("gitspace: error: the certificate of \(fixture.host) is not trusted\n"),
            "\(terminal.text)")
        #expect(fixture.github.requests.isEmpty)
    }

    @Test("the token of another variable is never used", arguments: ["GITHUB_TOKEN", "GH_TOKEN"])
    func foreignVariables(name: String) async throws {
        let fixture = try await EndToEndFixture()
        let answer = try await fixture.helper(
            "get", environment: [name: "ghp_FromTheEnvironment", "CODESPACES": "true"])
        #expect(answer.output.isEmpty && !answer.errors.contains("ghp_"))
    }
}
