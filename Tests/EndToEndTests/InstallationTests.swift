import Staging
import Testing

/// CI and servers: a GitHub App's installation as the account, with a real key, git and server.
@Suite("An app's installation")
struct InstallationTests {
    @Test("clones and pushes without any person, terminal or keyring", arguments: Git.all)
    func mainJob(git: Git) async throws {
        let machine = try await AppFixture(git: git, session: .noBus)
        let fixture = machine.fixture
        try await fixture.git("clone", fixture.address()).succeeded()
        let folder = fixture.session.home + "/private"
        _ = try await fixture.git("commit", "--quiet", "--allow-empty", "--message=By the app", in: folder)
        try await fixture.git("push", "--quiet", in: folder).succeeded(silently: true)
        #expect(try machine.github.git(["log", "-1", "--format=%s"], in: "acme/private") == "By the app\n")
        #expect(machine.github.count(of: .installationToken) == 1 && machine.github.count(of: .deviceCode) == 0)
        let log = machine.github.requests.map { "\($0.request.method) \($0.request.target)" }
        #expect(
            log.prefix(4) == [
                "GET /acme/private/info/refs?service=git-upload-pack", "GET /api/v3/users/acme/installation",
                "POST /api/v3/app/installations/100/access_tokens",
                "GET /acme/private/info/refs?service=git-upload-pack",
            ], "\(log)")
        #expect(log.filter { $0.contains("/api/") }.count == 2)
        _ = try await fixture.session.run(["git", "credential-cache", "exit"])
    }

    @Test("stores one item for the owner with its own lines, from which the front door answers", arguments: Git.all)
    func stored(git: Git) async throws {
        let machine = try await AppFixture(git: git)
        let fixture = machine.fixture
        for _ in 1...2 { try await fixture.git("ls-remote", fixture.address()).succeeded(silently: true) }
        let items = try await fixture.session.items()
        let item = try #require(items.first)
        #expect(items.count == 1 && item.attributes["object"] == "acme" && item.attributes["user"] == "x-access-token")
        #expect(item["gitspace_installation"] == "acme" && item["gitspace_client_id"] == "4711")
        #expect(item.password == machine.tokens.last && machine.tokens.count == 1)
        let requests = machine.github.requests.filter { $0.request.target.contains("/api/") }
        #expect(requests.map(\.endpoint) == [.installation, .installationToken])
    }

    @Test("gets one token for thirty-two simultaneous commands", arguments: [Session.Kind.keyring, .noBus])
    func crowd(kind: Session.Kind) async throws {
        let machine = try await AppFixture(session: kind)
        let count = kind == .keyring ? 32 : 8
        let programs = try (1...count).map { _ in try machine.fixture.startHelper("get", ["path=acme/private.git"]) }
        var answers: Set<String> = []
        for program in programs { answers.insert(try await program.ended().output) }
        #expect(answers.count == 1 && machine.tokens.count == 1, "\(answers)")
        _ = try await machine.fixture.session.run(["git", "credential-cache", "exit"])
    }

    @Test("gets a new token after a rejected one (401), and no third after two in a row", arguments: Git.all)
    func refused(git: Git) async throws {
        let machine = try await AppFixture(git: git)
        let fixture = machine.fixture
        for number in 1...2 {
            #expect(try await fixture.helper("get", "path=acme/private.git").output.contains("password=ghs_"))
            #expect(machine.tokens.count == number)
            machine.github.revoke(machine.tokens.last ?? "")
            let failed = try await fixture.git("ls-remote", fixture.address())
            #expect(failed.status == 128, "\(failed.errors)")
            #expect(try await fixture.session.items().map(\.password) == [""])
        }
        let third = try await fixture.git("ls-remote", fixture.address())
        #expect(third.status == 128 && third.errors.contains("rejected two tokens in a row"), "\(third.errors)")
        #expect(machine.tokens.count == 2)
    }

    @Test(
        "gets a token in the next command if this one is killed before or just after the host's answer",
        arguments: [(Endpoint.installation, true), (.installationToken, true), (.installationToken, false)])
    func killed(endpoint: Endpoint, isSilent: Bool) async throws {
        let machine = try await AppFixture()
        if isSilent { machine.github.answer(endpoint, with: .silence) }
        let program = try machine.fixture.startHelper("get", ["path=acme/private.git"])
        try await machine.github.waitForRequests(1, to: endpoint)
        program.signal(SIGKILL)
        _ = try await program.ended()
        let next = try await machine.fixture.helper("get", "path=acme/private.git")
        #expect(next.output.contains("password=\(machine.tokens.last ?? "none")\n"), "\(next.errors)")
        #expect(try await machine.fixture.session.items().count == 1)
    }

    @Test("follows no redirect of the host, and takes no token from it")
    func redirected() async throws {
        let machine = try await AppFixture()
        for endpoint in [Endpoint.installation, .installationToken] {
            machine.github.answer(endpoint, with: .redirect(to: "https://evil.example/"))
            let end = try await machine.fixture.helper("get", "path=acme/private.git")
            #expect(end.output == "quit=1\n" && end.errors.hasPrefix("gitspace: error: "), "\(endpoint): \(end)")
            machine.github.answerGenuinely()
        }
        #expect(try await machine.fixture.session.items().isEmpty)
        #expect(machine.github.tunnels.allSatisfy { !$0.contains("evil") })
        let next = try await machine.fixture.helper("get", "path=acme/private.git")
        #expect(next.output.contains("password=ghs_"), "\(next.errors)")
    }

    @Test("reports a key of the wrong kind, and sends nothing")
    func wrongKind() async throws {
        let machine = try await AppFixture()
        let make = "umask 077; openssl ecparam -name prime256v1 -genkey -noout -out app.pem"
        try await machine.fixture.session.run(["sh", "-c", make]).succeeded()
        let end = try await machine.fixture.helper("get", "path=acme/private.git")
        #expect(end.output == "quit=1\n" && end.errors.contains("is not an RSA key (ES256)"), "\(end.errors)")
        #expect(machine.github.requests.isEmpty)
    }

    @Test("reads a systemd credential by its name")
    func systemdCredential() async throws {
        let machine = try await AppFixture(settings: "githubAppKey = runner-key")
        let folder = machine.fixture.session.home + "/credentials"
        _ = try await machine.fixture.session.run([
            "sh", "-c", "mkdir credentials && install -m 440 app.pem credentials/runner-key",
        ])
        let end = try await machine.fixture.helper(
            "get", "path=acme/private.git", environment: ["CREDENTIALS_DIRECTORY": folder])
        #expect(end.output.contains("password=ghs_"), "\(end.errors)")
        let without = try await machine.fixture.helper("get", "path=beta/x.git")
        #expect(without.errors.contains("there is no systemd credential runner-key"), "\(without.errors)")
    }

    @Test("ignores an app in a repository's own configuration")
    func repositoryConfiguration() async throws {
        let machine = try await AppFixture()
        let fixture = machine.fixture
        #expect(try await fixture.git("clone", "--quiet", fixture.address()).status == 0)
        let folder = fixture.session.home + "/private"
        _ = try await fixture.git("config", fixture.setting("githubAppId"), "666", in: folder)
        machine.github.expireAccessTokens()
        try await fixture.session.age(expiringIn: -10)
        try await fixture.git("fetch", in: folder).succeeded()
        #expect(machine.github.tokens.map(\.clientID).allSatisfy { $0 == "4711" } && machine.tokens.count == 2)
    }
}

@Suite("Refusals of an app's installation")
struct InstallationRefusalTests {
    @Test("distinguishes a wrong key, an unknown app and a wrong clock")
    func rejections() async throws {
        let machine = try await AppFixture()
        let fixture = machine.fixture
        machine.github.setClock(aheadBy: 900)
        let behind = try await fixture.helper("get", "path=acme/private.git")
        #expect(Self.isQuarter(behind.errors.firstMatch(of: #/clock is (\d+) minutes behind/#)), "\(behind.errors)")
        machine.github.setClock(aheadBy: -900)
        let ahead = try await fixture.helper("get", "path=acme/private.git")
        #expect(Self.isQuarter(ahead.errors.firstMatch(of: #/clock is (\d+) minutes ahead/#)), "\(ahead.errors)")
        // A clock within our tolerance does not change the expiry of the token.
        machine.github.setClock(aheadBy: 30)
        let fine = try await fixture.helper("get", "path=acme/private.git")
        let end = try #require(fine.output.split(separator: "\n").first { $0.hasPrefix("password_expiry_utc=") })
        let left = try #require(Double(end.dropFirst(20))) - StandIn.systemClock()
        #expect((3_000...3_605).contains(left), "\(left)")
        machine.github.setClock(aheadBy: 0)
        var other = machine.app
        other.installations.append(.init(id: 7, owner: "beta"))
        other.publicKey = try await fixture.session.run([
            "sh", "-c", "openssl genrsa 2048 2>/dev/null | openssl rsa -pubout 2>/dev/null",
        ]).output
        machine.github.install(other)
        let wrong = try await fixture.helper("get", "path=beta/x.git")
        #expect(wrong.errors.contains("accepts neither the app ID 4711 nor its private key"), "\(wrong.errors)")
    }

    /// Returns whether a server's clock is reported as a quarter of an hour off.
    ///
    /// Its answer may come in a later second than it was made.
    private static func isQuarter(_ match: Regex<(Substring, Substring)>.Match?) -> Bool {
        match.flatMap { Int($0.1) }.map { (14...16).contains($0) } ?? false
    }

    @Test("reports a suspended installation, a repository that is not included, and a server in trouble")
    func refusals() async throws {
        let machine = try await AppFixture(settings: "githubAppScope = repository")
        let fixture = machine.fixture
        var app = machine.app
        app.installations = [.init(id: 1, owner: "acme", repositories: ["private"])]
        machine.github.install(app)
        let excluded = try await fixture.helper("get", "path=acme/other.git")
        #expect(excluded.errors.contains("the app's installation does not include acme/other"), "\(excluded.errors)")
        app.installations[0].isSuspended = true
        machine.github.install(app)
        let suspended = try await fixture.helper("get", "path=acme/private.git")
        #expect(suspended.errors.contains("installation for acme on \(fixture.host) is suspended"))
        machine.github.answer(.installation, with: .status(502))
        let trouble = try await fixture.helper("get", "path=acme/private.git")
        #expect(trouble.output == "quit=1\n" && trouble.errors.contains("status 502"), "\(trouble.errors)")
    }
}

@Suite("Verbs as an app's installation")
struct InstallationVerbTests {
    @Test("setup configures the app, gets a token, and git works")
    func setup() async throws {
        let machine = try await AppFixture(session: .noBus, usesPath: false)
        let fixture = machine.fixture
        let end = try await fixture.gitspace("setup", fixture.host, "--yes").succeeded()
        #expect(end.output.contains("Got a token from \(fixture.host) for the app 4711, installed for acme."))
        let path = try await fixture.git(
            "config", "--get-urlmatch", "credential.useHttpPath", "https://\(fixture.host)")
        #expect(path.output == "true\n")
        #expect(try await fixture.git("clone", "--quiet", fixture.address()).status == 0)
        #expect(machine.github.count(of: .deviceCode) == 0)
        _ = try await fixture.session.run(["git", "credential-cache", "exit"])
    }

    @Test("login, refresh, status, check, doctor and logout --revoke report the app's state")
    func all() async throws {
        let machine = try await AppFixture()
        let (fixture, host) = (machine.fixture, machine.fixture.host)
        let login = try await fixture.gitspace("login", "https://\(host)/acme").succeeded()
        #expect(login.output.contains("the app 4711, installed for acme"))
        #expect(try await fixture.session.items().first?.attributes["object"] == "acme")
        let refresh = try await machine.fixture.gitspace("refresh", "https://\(host)/acme/private")
        #expect(refresh.status == 0 && machine.tokens.count == 2, "\(refresh.output)\(refresh.errors)")
        let status = try await machine.fixture.gitspace("status", host)
        #expect(status.output.contains("The app 4711, installed for acme (keyring)"))
        #expect(status.output.contains("then refreshed automatically"), "\(status.output)")
        try await machine.fixture.gitspace("check", fixture.address()).succeeded()
        let doctor = try await machine.fixture.gitspace("doctor")
        #expect(doctor.output.contains("[ OK ] \(host) knows the app 4711 by its private key\n"), "\(doctor.output)")
        #expect(doctor.output.contains("[ OK ] the app is installed for acme\n"), "\(doctor.output)")
        let logout = try await fixture.gitspace("logout", host, "--revoke").succeeded()
        #expect(logout.output.contains("Revoked the token at "))
        #expect(try await fixture.session.items().isEmpty)
        #expect(
            machine.github.count(of: .revokeInstallation) == 1
                && machine.tokens.allSatisfy { !machine.github.isLive($0) || $0 != machine.tokens.last })
    }

    @Test("doctor reports the key's mode, the missing permission, and a line without a host")
    func faults() async throws {
        let machine = try await AppFixture()
        var app = machine.app
        app.installations[0].permissions = ["metadata": "read"]
        machine.github.install(app)
        let permission = try await machine.fixture.gitspace("doctor")
        #expect(permission.output.contains("[FAIL] the app may not read the repositories of acme\n"))
        _ = try await machine.fixture.session.run(["chmod", "644", machine.key])
        _ = try await machine.fixture.git("config", "--global", "credential.githubAppId", "1")
        let mode = try await machine.fixture.gitspace("doctor")
        #expect(mode.output.contains("[FAIL] other users can read or change the private key \(machine.key)\n"))
        #expect(mode.output.contains("chmod 600 \(machine.key)\n"))
        #expect(mode.output.contains("[WARN]") && mode.output.contains("credential.githubappid"), "\(mode.output)")
    }
}
