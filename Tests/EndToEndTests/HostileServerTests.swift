import Staging
import Testing

/// A hostile server: nothing is stored or lost, no text is shown as it came, and no other host is contacted.
@Suite("Hostile servers")
struct HostileServerTests {
    /// Ten of the answers; `HostileAnswerTests` has all of them without processes.
    @Test("shows no text of the server as it came, and loses nothing", arguments: Service.withDeviceFlow)
    func answers(service: Service) async throws {
        let fixture = try await EndToEndFixture(service, app: service.refreshingApp(interval: 1))
        let all =
            HostileAnswer.shapes(host: fixture.host) + HostileAnswer.deviceCodes(host: fixture.host)
            + HostileAnswer.tokens
        func some(_ names: [String]) -> [HostileAnswer] { all.filter { names.contains($0.name) } }
        let asked = some([
            "a shown error", "a long error", "redirect to another host", "verification_uri bidi",
            "user_code an escape sequence",
        ])
        for hostile in asked {
            fixture.server.answer(.deviceCode, with: hostile.answer)
            let terminal = try PseudoTerminal()
            let end = try await fixture.helper("get", on: terminal)
            Self.check(end, terminal, hostile, fixture)
            #expect(!terminal.text.contains("1. Open this page"), "\(hostile.name): \(terminal.text)")
            fixture.server.answerGenuinely()
        }
        #expect(fixture.server.count(of: .poll) == 0 && asked.count == 5)
        #expect(try await fixture.session.items().isEmpty)

        try await fixture.signedIn("monalisa", expiringIn: -10)
        let before = try await fixture.session.items()
        let refreshed = some([
            "a body without end", "HTTP/0.9", "nested 30 000 deep", "429 for a million years",
            "access_token with a line feed",
        ])
        for hostile in refreshed {
            fixture.server.answer(.refresh, with: hostile.answer)
            Self.check(try await fixture.helper("get"), nil, hostile, fixture)
            fixture.server.answerGenuinely()
        }
        #expect(fixture.server.count(of: .refresh) == 5 && refreshed.count == 5)
        #expect(try await fixture.session.items() == before)
    }

    /// Not written within `@Test`, because Swift 6.0 crashes over a closure there.
    private static let certificates = ServerCertificate.allCases.filter { $0 != .valid }

    @Test("sends no refresh token and no request to a server without a valid certificate", arguments: certificates)
    func certificate(kind: ServerCertificate) async throws {
        let fixture = try await EndToEndFixture(app: .gitHubApp(interval: 1), certificate: kind)
        try await fixture.signedIn("monalisa", expiringIn: -10)
        let before = try await fixture.session.items()
        // git's settings that switch the check off have no effect here.
        let weakened = [
            "GIT_SSL_NO_VERIFY": "1", "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "http.sslVerify",
            "GIT_CONFIG_VALUE_0": "false",
        ]
        for environment in [[:], weakened] {
            let end = try await fixture.helper("get", environment: environment)
            Self.check(end, nil, HostileAnswer("\(kind)", .genuine), fixture)
            #expect(end.errors.contains("certificate"), "\(end.errors)")
        }
        let terminal = try PseudoTerminal()
        let end = try await fixture.helper("get", "username=somebody-else", environment: weakened, on: terminal)
        #expect(end.output == "quit=1\n" && !terminal.text.contains("1. Open this page"))
        #expect(fixture.server.requests.isEmpty)
        #expect(try await fixture.session.items() == before)
    }

    /// `DeadlineTests` has the other limits of time, made shorter.
    @Test(
        "sends nothing to a server without TLS, and waits for none", arguments: [Reception.plainHTTP, .hungUp, .silent])
    func noTLS(reception: Reception) async throws {
        let fixture = try await EndToEndFixture(app: .gitHubApp(interval: 1))
        try await fixture.signedIn("monalisa", expiringIn: -10)
        let before = try await fixture.session.items()
        fixture.server.receive(reception)
        let end = try await fixture.helper("get")
        Self.check(end, nil, HostileAnswer(reception.rawValue, .genuine), fixture)
        #expect(end.output == "quit=1\n" && end.errors.contains("the stored token was kept"), "\(end.errors)")
        #expect(fixture.server.requests.isEmpty)
        #expect(try await fixture.session.items() == before)
    }

    /// Checks the rules that hold for every answer.
    private static func check(
        _ end: RunningProgram.End, _ terminal: PseudoTerminal?, _ hostile: HostileAnswer, _ fixture: EndToEndFixture
    ) {
        let what = Comment(rawValue: hostile.name)
        #expect(end.status == 0 || end.status == 1, what)
        #expect(!end.output.contains("password") && !end.output.contains("username"), what)
        let shown = end.errors + (terminal?.screen ?? "")
        // Allow printable ASCII, line ends, and the two other characters of our own texts.
        let isOurs = shown.unicodeScalars.allSatisfy { (" "..."~").contains($0) || "\n✓…".unicodeScalars.contains($0) }
        #expect(isOurs, "\(hostile.name): \(shown.debugDescription)")
        #expect(!shown.contains("gho_x"), what)
        #expect(Set(fixture.server.tunnels).subtracting([fixture.host]).isEmpty, what)
    }
}

/// A host that is its own issuer, and returns hostile documents of its endpoints.
@Suite("Hostile discovery")
struct HostileDiscoveryTests {
    @Test("requests no code or token and contacts no other host after a hostile document")
    func documents() async throws {
        let fixture = try await EndToEndFixture(settings: "provider = oidc\n[http]\nproxy =")
        let (host, own) = (fixture.host, "https://\(fixture.host)")
        for (name, answer, said) in Self.documents(own) {
            fixture.github.answer(.unknown, with: answer, times: nil)
            let terminal = try PseudoTerminal(columns: 200)
            let end = try await fixture.helper("get", on: terminal)
            #expect(end.output == "quit=1\n", "\(name): \(end.output)")
            #expect(terminal.text.contains(said.replacing("HOST", with: host)), "\(name): \(terminal.text)")
            #expect(!terminal.text.contains("1. Open this page"), "\(name)")
            fixture.github.answerGenuinely()
        }
        #expect(try await fixture.session.items().isEmpty)
        #expect(fixture.github.requests.allSatisfy { $0.endpoint == .unknown && $0.request.method == "GET" })
        #expect(fixture.github.requests.allSatisfy { $0.request.headers["authorization"] == nil })
    }

    /// The responses in place of a document, and the error that a person sees.
    private static func documents(_ own: String) -> [(name: String, answer: ScriptedAnswer, said: String)] {
        func document(_ members: [String: String]) -> ScriptedAnswer {
            let all = [
                "issuer": own, "token_endpoint": own + "/token", "device_authorization_endpoint": own + "/device",
            ].merging(members) { $1 }.filter { !$0.value.isEmpty }
            let text = all.map { "\"\($0.key)\":\"\($0.value)\"" }.joined(separator: ",")
            return .answer(.text("{\(text)}", type: "application/json"))
        }
        let elsewhere = "publishes an endpoint on another host, evil.example"
        let absent = "does not publish its sign-in endpoints"
        return [
            ("another issuer", document(["issuer": "https://evil.example"]), "another issuer: https://evil.example"),
            ("the issuer with a slash", document(["issuer": own + "/"]), "identifies itself as another issuer"),
            ("no issuer", document(["issuer": ""]), "identifies itself as another issuer"),
            ("http", document(["token_endpoint": "http://HOST/token"]), "not an https URL (token_endpoint)"),
            ("http keys", document(["jwks_uri": "http://HOST/keys"]), "not an https URL (jwks_uri)"),
            ("a user", document(["userinfo_endpoint": "https://a@HOST/"]), "not an https URL (userinfo_endpoint)"),
            ("tokens elsewhere", document(["token_endpoint": "https://evil.example/t"]), elsewhere),
            ("codes elsewhere", document(["device_authorization_endpoint": "https://evil.example/d"]), elsewhere),
            ("no device flow", document(["device_authorization_endpoint": ""]), "offers neither the device flow"),
            ("no token endpoint", document(["token_endpoint": ""]), "does not publish this endpoint: token_endpoint"),
            ("a redirect", .redirect(to: "https://evil.example/"), absent),
            ("a loop of redirects", .redirect(to: own + "/.well-known/openid-configuration"), absent),
            ("a page", .status(200), "sent a web page instead of its sign-in endpoints (status 200)"),
            ("nothing", .status(404), absent), ("trouble", .status(503), "server error (status 503)"),
            ("megabytes", .endlessBody, "sent an unexpected response"),
            ("headers without end", .headerFlood, "sent an unexpected response"),
            ("half a document", .raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{\"issuer"), "cannot reach"),
        ]
    }
}
