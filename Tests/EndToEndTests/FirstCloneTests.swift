import Staging
import Testing

/// The program's main task: a first clone.
///
/// The tests run one after another, since all sign in to github.com or gitlab.com: see `EndToEndFixture`.
@Suite("The first clone", .serialized)
struct FirstCloneTests {
    @Test(
        "shows the documented screen at 80 columns for the first clone, and prints and asks nothing afterwards",
        arguments: Git.all, Service.withDeviceFlow)
    func mainJob(git: Git, service: Service) async throws {
        let fixture = try await EndToEndFixture(service, git: git, host: service.host)
        let terminal = try PseudoTerminal(columns: 80)
        let clone = try fixture.startGit(["clone", "--quiet", fixture.address()], on: terminal)
        try await terminal.shows("Ctrl-C cancels.")
        let code = fixture.server.newestUserCode ?? ""
        let (name, page, minutes) = service == .gitHub ? ("GitHub", "login/device", 15) : ("GitLab", "oauth/device", 5)
        #expect(
            terminal.screen == """
                git needs to sign in to \(name) (\(service.host)).

                1. Open this page, here or on any other device:
                  https://\(service.host)/\(page)
                2. Enter this code:
                  \(code)

                Asked by: git clone, in "~"

                Press c to copy the code, r for a QR code, q to quit.
                Waiting for you to approve. \(minutes) min left. Ctrl-C cancels.
                """)
        try await BrowserUser(login: "monalisa", on: fixture).answer(on: terminal)
        #expect(try await clone.ended().status == 0, "\(terminal.text)")
        #expect(terminal.screen.hasSuffix("\n✓ Signed in as monalisa. Saved in the keyring.\n"))
        let folder = fixture.session.home + "/private"

        let items = try await fixture.session.items()
        #expect(
            items.map(\.attributes) == [
                ["xdg:schema": "org.git.Password", "protocol": "https", "server": service.host, "user": "monalisa"]
            ])
        #expect(items.first?.label == "Git: https://\(service.host)/")
        #expect(items.first?.password == fixture.server.tokens.first?.accessToken)

        let fetch = try await fixture.git("fetch", in: folder)
        #expect(fetch.status == 0 && fetch.output.isEmpty && fetch.errors.isEmpty, "\(fetch.errors)")

        _ = try await fixture.git("commit", "--quiet", "--allow-empty", "--message=Second commit", in: folder)
        try await fixture.git("push", "--quiet", in: folder).succeeded(silently: true)
        #expect(try fixture.server.git(["log", "-1", "--format=%s"], in: "acme/private") == "Second commit\n")

        #expect(try await fixture.session.items() == items)
        let scopes = service.scopes.joined(separator: " ")
        #expect(fixture.server.requests(to: .deviceCode).map { $0.form["scope"] } == [scopes])
        #expect(fixture.server.completedSignIns == 1 && fixture.server.count(of: .user) == 1)
        let hosts = service == .gitHub ? ["github.com:443", "api.github.com:443"] : ["gitlab.com:443"]
        #expect(Set(fixture.server.tunnels) == Set(hosts))
    }
}
