import Staging
import Testing

@Suite("git's configuration, hostile or unreadable")
struct UnreadableConfigurationTests {
    private static let tenant = "octo.ghe.com"

    /// A built-in host with an expired token, which is reached by a proxy only because of the configuration.
    private func fixture() async throws -> (EndToEndFixture, IssuedToken) {
        let fixture = try await EndToEndFixture(host: Self.tenant, app: .gitHubApp(interval: 1))
        let token = try await fixture.signedIn("monalisa", expiringIn: -10)
        return (fixture, token)
    }

    /// Creates a repository whose own configuration ends with a text.
    private func repository(_ fixture: EndToEndFixture, _ text: String) async throws -> String {
        let folder = try await fixture.repository("repository")
        let configuration = folder + "/.git/config"
        let own = try String(contentsOfFile: configuration, encoding: .utf8)
        try (own + text).write(to: configuration)
        return folder
    }

    private func get(
        _ fixture: EndToEndFixture, in folder: String? = nil, environment: [String: String] = [:], _ lines: String = "",
        on terminal: PseudoTerminal? = nil
    ) async throws -> RunningProgram.End {
        try await fixture.gitspace(
            "get", in: folder, environment: environment, input: fixture.request + lines, on: terminal)
    }

    @Test("uses the person's proxy and settings beside a repository's file of 6 MiB")
    func largeRepository() async throws {
        let (fixture, old) = try await fixture()
        let line = "y = \(String(repeating: "z", count: 100))\n"
        let folder = try await repository(
            fixture, "[credential]\n" + String(repeating: line, count: 6 << 20 / line.utf8.count))
        let end = try await get(fixture, in: folder)
        #expect(end.output.contains("password=\(fixture.github.tokens.last?.accessToken ?? "")\n"), "\(end.errors)")
        #expect(fixture.github.tunnels == ["\(Self.tenant):443"])
        #expect(fixture.github.requests(to: .refresh).map { $0.form["refresh_token"] } == [old.refreshToken])
    }

    @Test(
        "sends nothing and asks nobody if it cannot be read, and returns a fresh token",
        arguments: ["a directory", "hanging git"])
    func unreadable(how: String) async throws {
        let (fixture, _) = try await fixture()
        let fresh = try await fixture.signedIn("octocat")
        var environment: [String: String] = [:]
        let reason: String
        switch how {
        case "a directory":
            environment["GIT_CONFIG_GLOBAL"] = fixture.session.home
            reason = "git cannot read its configuration"
        default:
            try await fixture.session.write(git: "exec sleep 600")
            environment["PATH"] = fixture.session.path()
            reason = "cannot read git's configuration: git took longer than 5 seconds"
        }
        let before = try await fixture.session.items()
        let terminal = try PseudoTerminal()
        let end = try await get(fixture, environment: environment, "username=monalisa\n", on: terminal)
        #expect(end.output == "quit=1\n")
        #expect(
            terminal.text.hasPrefix("gitspace: error: \(reason)") && terminal.text.contains("\nhint: "),
            "\(terminal.text)")
        #expect(fixture.github.requests.isEmpty && fixture.github.tunnels.isEmpty)
        #expect(try await fixture.session.items() == before)
        let good = try await get(fixture, environment: environment, "username=octocat\n")
        #expect(good.output.contains("password=\(fresh.accessToken)\n") && good.errors.isEmpty, "\(good.errors)")
    }

    @Test("keeps a person's prohibition to ask against a repository's permission", arguments: Git.all)
    func interactive(git: Git) async throws {
        let fixture = try await EndToEndFixture(git: git, settings: "[credential]\ninteractive = false")
        let folder = try await repository(fixture, "[credential]\ninteractive = true\n")
        fixture.github.nextSignIn(.approve(as: "monalisa"))
        let terminal = try PseudoTerminal()
        // git runs its helpers in this way.
        let end = try await get(fixture, in: folder, environment: ["GIT_DIR": ".git"], on: terminal)
        #expect(end.output.isEmpty)
        #expect(terminal.text.contains("credential.interactive=false is set\n"), "\(terminal.text)")
        #expect(fixture.github.count(of: .deviceCode) == 0)
    }
}
