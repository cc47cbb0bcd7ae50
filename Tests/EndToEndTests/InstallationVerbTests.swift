import Staging
import Testing

@Suite("Verbs as an app's installation")
struct InstallationVerbTests {
    @Test("setup configures the app, gets a token, and git works")
    func setup() async throws {
        let machine = try await AppFixture(session: .noBus, usesPath: false)
        let fixture = machine.fixture
        let end = try await fixture.gitspace("setup", fixture.host, "--yes")
        #expect(
            end.status == 0
                && end.output.contains("Got a token from \(fixture.host) for the app 4711, installed for acme."),
            "\(end.output)\(end.errors)")
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
        let login = try await machine.fixture.gitspace("login", "https://\(host)/acme")
        #expect(
            login.status == 0 && login.output.contains("the app 4711, installed for acme"),
            "\(login.output)\(login.errors)")
        #expect(try await fixture.session.items().first?.attributes["object"] == "acme")
        let refresh = try await machine.fixture.gitspace("refresh", "https://\(host)/acme/private")
        #expect(refresh.status == 0 && machine.tokens.count == 2, "\(refresh.output)\(refresh.errors)")
        let status = try await machine.fixture.gitspace("status", host)
        #expect(
            status.output.contains("The app 4711, installed for acme (keyring)"), "\(status.output)\(status.errors)")
        #expect(status.output.contains("then refreshed automatically"), "\(status.output)")
        try await machine.fixture.gitspace("check", fixture.address()).succeeded()
        let doctor = try await machine.fixture.gitspace("doctor")
        #expect(doctor.output.contains("[ OK ] \(host) knows the app 4711 by its private key\n"), "\(doctor.output)")
        #expect(doctor.output.contains("[ OK ] the app is installed for acme\n"), "\(doctor.output)")
        let logout = try await machine.fixture.gitspace("logout", host, "--revoke")
        #expect(
            logout.status == 0 && logout.output.contains("Revoked the token at "), "\(logout.output)\(logout.errors)")
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
        #expect(
            permission.output.contains("[FAIL] the app may not read the repositories of acme\n"), "\(permission.output)"
        )
        _ = try await machine.fixture.session.run(["chmod", "644", machine.key])
        _ = try await machine.fixture.git("config", "--global", "credential.githubAppId", "1")
        let mode = try await machine.fixture.gitspace("doctor")
        #expect(
            mode.output.contains("[FAIL] other users can read or change the private key \(machine.key)\n"),
            "\(mode.output)")
        #expect(mode.output.contains("chmod 600 \(machine.key)\n"))
        #expect(mode.output.contains("[WARN]") && mode.output.contains("credential.githubappid"), "\(mode.output)")
    }
}
