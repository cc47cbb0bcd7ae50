import Staging
import StandIn
import Testing

/// How a sign-in can go other than well, and what the person reads then.
@Suite("Outcomes of a sign-in")
struct SignInOutcomeTests {
    /// A sign-in that comes to nothing.
    struct Failure: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Who plays it.
        var service = Service.gitHub
        /// What is said behind `gitspace: error: `; HOST and CLIENT are filled in.
        let sentence: String
        /// Codes that are shown before.
        var codes = 1
        var prepare: @Sendable (StandIn, App) -> Void = { _, _ in }

        static let all =
            gitHubs
            + gitHubs.filter { $0.isEverywhere }.map { failure in
                var failure = failure
                failure.service = .gitLab
                return failure
            } + gitLabs

        /// Whether it is no matter of GitHub's alone.
        private var isEverywhere: Bool {
            !["no verified e-mail address", "unknown client ID", "device flow disabled"].contains(testDescription)
        }

        private static let gitLabs = [
            Failure(
                testDescription: "unknown client ID", service: .gitLab,
                sentence: "HOST refused the client ID CLIENT: its app is confidential, or the ID is unknown",
                codes: 0,
                prepare: { server, _ in server.answer(.deviceCode, with: .oauthError("invalid_client", status: 401)) }),
            Failure(
                testDescription: "scopes that the app may not have", service: .gitLab,
                sentence: "the client ID CLIENT is not allowed to request all of these scopes: SCOPES", codes: 0,
                prepare: { server, app in
                    var app = app
                    app.allowedScopes = ["read_user"]
                    server.register(app)
                }),
            Failure(
                testDescription: "an application left confidential", service: .gitLab,
                sentence: "HOST requires a secret for the client ID CLIENT",
                prepare: { server, app in
                    var app = app
                    app.isConfidential = true
                    app.secret = "gloas-1"
                    server.register(app)
                }),
            Failure(
                testDescription: "a GitLab without a device flow", service: .gitLab,
                sentence: "HOST does not offer the device flow for the client ID CLIENT", codes: 0,
                prepare: { server, _ in server.answer(.deviceCode, with: .answer(.html("<h1>404</h1>", status: 404))) }),
        ]

        private static let gitHubs = [
            Failure(
                testDescription: "declined in the browser", sentence: "the sign-in was declined in the browser",
                prepare: { server, _ in server.nextSignIn(.deny()) }),
            Failure(
                testDescription: "three codes expired", sentence: "the code expired before it was approved",
                codes: 3, prepare: { server, _ in server.everySignIn(.expire()) }),
            Failure(
                testDescription: "no verified e-mail address",
                sentence: "HOST requires a verified email address",
                prepare: { server, _ in server.nextSignIn(.emailUnverified()) }),
            Failure(
                testDescription: "unknown client ID", sentence: "HOST does not recognize the client ID CLIENT",
                codes: 0,
                prepare: { server, _ in server.answer(.deviceCode, with: .oauthError("Not Found", status: 404)) }),
            Failure(
                testDescription: "device flow disabled", sentence: "the device flow is not enabled for this app",
                codes: 0,
                prepare: { server, app in
                    var app = app
                    app.allowsDeviceFlow = false
                    server.register(app)
                }),
            Failure(
                testDescription: "a token that its own server refuses",
                sentence: "HOST rejected the token it has just issued",
                prepare: { server, _ in
                    server.nextSignIn(.approve(as: "monalisa"))
                    server.answer(.user, with: .status(401))
                }),
            Failure(
                testDescription: "an address on another host",
                sentence: "HOST sent a sign-in page on another host, so it is not shown", codes: 0,
                prepare: { server, _ in
                    server.answer(
                        .deviceCode, with: .edited { $0.replacing("https://localhost", with: "https://evil") })
                }),
            Failure(
                testDescription: "a server in trouble", sentence: "HOST returned a server error (status 503)", codes: 0,
                prepare: { server, _ in server.answer(.deviceCode, with: .status(503)) }),
        ]
    }

    @Test("a failure is told once, git asks for nothing more, and nothing is stored", arguments: Failure.all)
    func failure(_ failure: Failure) async throws {
        let fixture = try await EndToEndFixture(failure.service)
        failure.prepare(fixture.server, fixture.app)
        let terminal = try PseudoTerminal(columns: 200)
        let end = try await fixture.git("ls-remote", fixture.address(), on: terminal)
        let sentence = failure.sentence.replacing("HOST", with: fixture.host)
            .replacing("CLIENT", with: fixture.app.clientID)
            .replacing("SCOPES", with: fixture.service.scopes.joined(separator: " "))
        let lines = terminal.screen.split(separator: "\n")
        #expect(
            lines.filter { $0.contains("gitspace: error: ") } == ["gitspace: error: \(sentence)"], "\(terminal.text)")
        #expect(lines.last?.hasPrefix("fatal: credential helper ") == true, "\(terminal.text)")
        #expect(end.status == 128)
        #expect(lines.count { $0.contains("2. Enter this code:") } == failure.codes)
        #expect(try await fixture.session.items().isEmpty)
    }

    @Test("somebody else than was asked for is told so, and nothing is stored", arguments: Service.allCases)
    func wrongAccount(service: Service) async throws {
        let fixture = try await EndToEndFixture(service)
        let terminal = try PseudoTerminal()
        let running = try fixture.startGit(
            ["ls-remote", fixture.address(user: "alice")], terminal: .standardError(terminal))
        try await BrowserUser(login: "bob", on: fixture).answer(on: terminal)
        #expect(try await running.ended().status == 128)
        #expect(terminal.text.contains("\nSign in as: alice\nAsked by: git ls-remote, in \"~\"\n"))
        #expect(
            terminal.screen.contains(
                "\ngitspace: error: signed in as bob, but git asked for alice; nothing was stored\n"),
            "\(terminal.text)")
        #expect(try await fixture.session.items().isEmpty)
        // An Enterprise Server, as which the stand-in plays GitHub here, has no such endpoint.
        #expect(fixture.server.count(of: .revoke) == (service == .gitLab ? 2 : 0))
    }

    @Test("what somebody else has approved on github.com is revoked there")
    func takenBack() async throws {
        let fixture = try await EndToEndFixture(host: "github.com", app: .gitHubApp(interval: 1))
        fixture.server.nextSignIn(.approve(as: "bob"))
        let end = try await fixture.git("ls-remote", fixture.address(user: "alice"), on: PseudoTerminal())
        #expect(end.status == 128)
        #expect(fixture.server.count(of: .revokeCredentials) == 1)
    }

    @Test("without a client ID, one line says how to get one, and git asks for a token", arguments: Service.allCases)
    func noClientID(service: Service) async throws {
        var app = service.app(interval: 1)
        app.clientID = ""
        let fixture = try await EndToEndFixture(service, app: app)
        let terminal = try PseudoTerminal(columns: 200)
        let running = try fixture.startGit(["ls-remote", fixture.address()], terminal: .standardError(terminal))
        try await terminal.shows("Username for 'https://\(fixture.host)': ")
        #expect(
            terminal.text.hasPrefix(
                """
                gitspace: error: cannot sign in to \(fixture.host): no OAuth client ID is configured
                hint: you can also enter a personal access token at git's password prompt; gitspace stores it

                """), "\(terminal.text)")
        let token = fixture.server.issueToken(for: "monalisa", app: .personalAccessTokens)
        terminal.type("monalisa\n")
        try await terminal.shows("Password for ")
        terminal.type("\(token.accessToken)\n")
        #expect(try await running.ended().status == 0, "\(terminal.text)")
        #expect(try await fixture.session.items().map(\.password) == [token.accessToken])
        let next = try await fixture.git("ls-remote", fixture.address())
        #expect(next.status == 0 && next.errors.isEmpty, "\(next.errors)")
        #expect(fixture.server.count(of: .deviceCode) == 0)
    }
}
