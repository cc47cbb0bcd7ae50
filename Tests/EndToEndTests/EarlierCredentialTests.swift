import Staging
import Testing

/// Credentials that git and libcurl use before they ask a helper: bob's, although monalisa is signed in.
@Suite("Credentials before any helper")
struct EarlierCredentialTests {
    enum Place: String, CaseIterable { case netrc, lines, url, header }

    /// Returns a fixture in which git reads bob's repository by the credential in one place, from a clone of it.
    private func fixture(_ place: Place) async throws -> (EndToEndFixture, clone: String) {
        let fixture = try await EndToEndFixture()
        try fixture.github.createRepository("acme/bobs", readers: ["bob"])
        try await fixture.signedIn("monalisa")
        let token = fixture.github.issueToken(for: "bob", app: fixture.app).accessToken
        let clone = try await fixture.repository("clone", origin: fixture.address("acme/bobs"))
        #expect(try await fixture.git("-C", clone, "ls-remote").status != 0)
        let name = fixture.host.split(separator: ":").first.map(String.init) ?? ""
        let netrc = fixture.session.home + "/.netrc"
        switch place {
        case .netrc:
            try "machine other.example login x password y\nmachine \(name) login bob password \(token)\n"
                .write(to: netrc)
        case .lines:
            try "machine \(name)\n  login bob\n  password\t\(token)\nmachine other.example password y\n".write(
                to: netrc)
        case .url:
            let url = fixture.address("acme/bobs", user: "bob:\(token)")
            try await fixture.git("remote", "set-url", "origin", url, in: clone).succeeded()
        case .header:
            let basic = Data("bob:\(token)".utf8).base64EncodedString()
            let key = "http.https://\(fixture.host)/.extraheader"
            try await fixture.git("config", "--global", key, "Authorization: Basic \(basic)").succeeded()
        }
        return (fixture, clone)
    }

    @Test("doctor and check report it, and the printed command removes it", arguments: Place.allCases)
    func found(place: Place) async throws {
        let (fixture, clone) = try await fixture(place)
        #expect(try await fixture.git("-C", clone, "ls-remote").status == 0)
        let doctor = try await fixture.gitspace("doctor", in: clone)
        #expect(doctor.output.contains("instead of your sign-in"), "\(doctor.output)")
        let check = try await fixture.gitspace("check", in: clone)
        #expect(check.status == 1 && check.errors.contains("instead of your sign-in"), "\(check.errors)")
        for secret in fixture.github.issuedSecrets { #expect(!(doctor.output + check.errors).contains(secret)) }
        let hint = try #require(check.errors.split(separator: "\n").last)
        let command = try #require(hint.split(separator: ":", maxSplits: 1).last)
        let removed = try await fixture.start(["sh", "-c", String(command)], in: clone).ended()
        #expect(removed.status == 0, "\(command) \(removed.errors)")
        let netrc = try? String(contentsOfFile: fixture.session.home + "/.netrc", encoding: .utf8)
        #expect(netrc?.contains("machine other.example") != false, "\(command)")
        #expect(try await fixture.git("-C", clone, "ls-remote").status != 0)
        let after = try await fixture.gitspace("doctor", in: clone)
        #expect(!after.output.contains("instead of your sign-in"), "\(after.output)")
    }
}

@Suite("git's configuration, hostile or unreadable")
struct UnreadableConfigurationTests {
    private static let tenant = "octo.ghe.com"

    /// A built-in host with an expired token, which is reached by a proxy only because of the configuration.
    private func fixture() async throws -> (EndToEndFixture, IssuedToken) {
        let fixture = try await EndToEndFixture(host: Self.tenant, app: .gitHubApp(interval: 1))
        return (fixture, try await fixture.signedIn("monalisa", expiringIn: -10))
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
        arguments: [
            ("GIT_CONFIG_GLOBAL", "git cannot read its configuration"),
            ("PATH", "cannot read git's configuration: git took longer than 5 seconds"),
        ])
    func unreadable(variable: String, reason: String) async throws {
        let (fixture, _) = try await fixture()
        let fresh = try await fixture.signedIn("octocat")
        try await fixture.session.write(git: "exec sleep 600")
        // The home folder is no file.
        let environment = [variable: variable == "PATH" ? fixture.session.path() : fixture.session.home]
        let before = try await fixture.session.items()
        let terminal = try PseudoTerminal()
        let end = try await get(fixture, environment: environment, "username=monalisa\n", on: terminal)
        #expect(end.output == "quit=1\n")
        #expect(terminal.text.hasPrefix("gitspace: error: \(reason)"))
        #expect(terminal.text.contains("\nhint: "))
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
