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
        #expect(isOurs(shown), "\(hostile.name): \(shown.debugDescription)")
        #expect(!shown.contains("gho_x"), what)
        #expect(Set(fixture.server.tunnels).subtracting([fixture.host]).isEmpty, what)
    }

    /// Allows printable ASCII, line ends, and the two other characters of our own texts.
    private static func isOurs(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { (" "..."~").contains($0) || "\n✓…".unicodeScalars.contains($0) }
    }
}
