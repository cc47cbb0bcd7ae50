import Staging
import StandIn
import Testing

/// A server that answers whatever it likes: nothing is stored or lost, nothing is shown as it came, nobody else is asked.
@Suite("Hostile servers")
struct HostileServerTests {
    /// So many fixtures at a time, each with its share of the answers.
    private static let lanes = 5

    @Test("no answer to a refresh costs the stored pair, or replaces it", arguments: Service.allCases)
    func refresh(service: Service) async throws {
        let count = try await onFixtures(service) {
            HostileAnswer.shapes(host: $0) + HostileAnswer.tokens
        } run: { fixture, share in
            let pair = fixture.server.issueToken(for: "monalisa", app: fixture.app)
            try await fixture.remember(pair, expiringIn: -10)
            let before = try await fixture.session.items()
            for hostile in share {
                fixture.server.answer(.refresh, with: hostile.answer)
                let end = try await fixture.helper("get")
                Self.check(end, nil, hostile, fixture)
                fixture.server.answerGenuinely()
            }
            #expect(try await fixture.session.items() == before)
            #expect(fixture.server.count(of: .refresh) == share.count)
        }
        #expect(count >= 90)
    }

    @Test("no answer to the question for a code is shown, or leads on", arguments: Service.withDeviceFlow)
    func deviceCode(service: Service) async throws {
        let count = try await onFixtures(service) {
            HostileAnswer.shapes(host: $0) + HostileAnswer.deviceCodes(host: $0)
        } run: { fixture, share in
            for hostile in share {
                fixture.server.answer(.deviceCode, with: hostile.answer)
                let terminal = try PseudoTerminal()
                let end = try await fixture.helper("get", on: terminal)
                Self.check(end, terminal, hostile, fixture)
                #expect(!terminal.text.contains("1. Open this page"), "\(hostile.name): \(terminal.text)")
                fixture.server.answerGenuinely()
            }
            #expect(fixture.server.count(of: .poll) == 0)
            #expect(try await fixture.session.items().isEmpty)
        }
        #expect(count >= 100)
    }

    /// A fault that may pass is waited out: the next answer is that the person declined.
    @Test("no answer to a poll is taken for a token", arguments: Service.withDeviceFlow)
    func token(service: Service) async throws {
        let count = try await onFixtures(service) {
            HostileAnswer.tokens + HostileAnswer.shapes(host: $0).filter { $0.name.contains("a") }
        } run: { fixture, share in
            fixture.server.everySignIn(.deny())
            for hostile in share {
                fixture.server.answer(.poll, with: hostile.answer)
                let terminal = try PseudoTerminal()
                let end = try await fixture.helper("get", on: terminal)
                Self.check(end, terminal, hostile, fixture)
                fixture.server.answerGenuinely()
            }
            #expect(try await fixture.session.items().isEmpty)
            #expect(fixture.server.count(of: .user) == 0)
        }
        #expect(count >= 70)
    }

    /// Only github.com has an endpoint for it, which the stand-in plays behind the proxy.
    @Test("no answer to a revocation passes for one, or costs what is stored")
    func revocation() async throws {
        let fixture = try await EndToEndFixture(host: "github.com", app: .gitHubApp(interval: 1))
        let answers = HostileAnswer.shapes(host: fixture.host)
        try await fixture.remember(fixture.server.issueToken(for: "monalisa", app: fixture.app), expiringIn: 1_000)
        let before = try await fixture.session.items()
        for hostile in answers {
            fixture.server.answer(.revokeCredentials, with: hostile.answer)
            let end = try await fixture.session.run([BuiltFiles.helper, "logout", "--revoke"])
            #expect(
                end.status == 1 && end.errors.contains("could not revoke the token of monalisa"),
                "\(hostile.name): \(end.errors)")
            #expect(Self.isOurs(end.output + end.errors), "\(hostile.name): \(end.errors.debugDescription)")
            fixture.server.answerGenuinely()
        }
        #expect(fixture.server.count(of: .revokeCredentials) == answers.count)
        #expect(Set(fixture.server.tunnels) == ["api.github.com:443"])
        #expect(try await fixture.session.items() == before)
        let forced = try await fixture.session.run([BuiltFiles.helper, "logout", "--force"])
        #expect(forced.status == 64, "\(forced.errors)")
        #expect(try await fixture.session.items() == before)
        fixture.server.answer(.revokeCredentials, with: .status(500))
        let end = try await fixture.session.run([BuiltFiles.helper, "logout", "--revoke", "--force"])
        #expect(end.status == 0 && end.output.contains("The token was not revoked: "), "\(end.errors)")
        #expect(try await fixture.session.items().isEmpty)
    }

    /// To RFC 7009 each 200 is a yes, whatever comes with it, unless a proxy or an error speaks.
    @Test("no answer to a revocation of GitLab's passes for one, or costs what is stored")
    func revocationByRFC() async throws {
        let fixture = try await EndToEndFixture(.gitLab)
        let answers = HostileAnswer.shapes(host: fixture.host).filter {
            !["nothing", "an empty object"].contains($0.name)
        }
        try await fixture.remember(fixture.server.issueToken(for: "monalisa", app: fixture.app), expiringIn: 1_000)
        let before = try await fixture.session.items()
        for hostile in answers {
            fixture.server.answer(.revoke, with: hostile.answer)
            let end = try await fixture.session.run([BuiltFiles.helper, "logout", fixture.host, "--revoke"])
            #expect(
                end.status == 1 && end.errors.contains("could not revoke the token of monalisa"),
                "\(hostile.name): \(end.errors)")
            #expect(Self.isOurs(end.output + end.errors), "\(hostile.name): \(end.errors.debugDescription)")
            fixture.server.answerGenuinely()
        }
        #expect(fixture.server.count(of: .revoke) == answers.count)
        #expect(try await fixture.session.items() == before)
        let end = try await fixture.session.run([BuiltFiles.helper, "logout", fixture.host, "--revoke"])
        #expect(end.status == 0 && fixture.server.tokens.allSatisfy { !fixture.server.isLive($0.accessToken) })
        #expect(try await fixture.session.items().isEmpty)
    }

    @Test(
        "no answer to the question who it is puts a token under a name that was not asked for",
        arguments: Service.withDeviceFlow)
    func user(service: Service) async throws {
        let count = try await onFixtures(service) { host in
            HostileAnswer.users(member: service == .gitHub ? "login" : "username")
                + HostileAnswer.shapes(host: host).filter { $0.name.contains("redirect") || $0.name.contains("end") }
        } run: { fixture, share in
            fixture.server.everySignIn(.approve(as: "monalisa"))
            for hostile in share {
                fixture.server.answer(.user, with: hostile.answer, times: nil)
                let terminal = try PseudoTerminal()
                let end = try await fixture.helper("get", "username=monalisa", on: terminal)
                Self.check(end, terminal, hostile, fixture)
                fixture.server.answerGenuinely()
            }
            #expect(try await fixture.session.items().isEmpty)
        }
        #expect(count >= 25)
    }

    /// Not written within `@Test`: Swift 6.0 crashes over a closure there.
    private static let certificates = ServerCertificate.allCases.filter { $0 != .valid }

    @Test(
        "a server that cannot prove who it is gets neither the refresh token nor a question", arguments: certificates)
    func certificate(kind: ServerCertificate) async throws {
        let fixture = try await EndToEndFixture(app: .gitHubApp(interval: 1), certificate: kind)
        try await fixture.remember(fixture.server.issueToken(for: "monalisa", app: fixture.app), expiringIn: -10)
        let before = try await fixture.session.items()
        // Nothing that git lets a person switch off is switched off here.
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

    @Test("a server that speaks no TLS is told nothing", arguments: [Reception.plainHTTP, .hungUp])
    func noTLS(reception: Reception) async throws {
        let fixture = try await EndToEndFixture(app: .gitHubApp(interval: 1))
        try await fixture.remember(fixture.server.issueToken(for: "monalisa", app: fixture.app), expiringIn: -10)
        let before = try await fixture.session.items()
        fixture.server.receive(reception)
        let end = try await fixture.helper("get")
        Self.check(end, nil, HostileAnswer(reception.rawValue, .genuine), fixture)
        #expect(end.output == "quit=1\n" && end.errors.contains("the stored token was kept"), "\(end.errors)")
        #expect(fixture.server.requests.isEmpty)
        #expect(try await fixture.session.items() == before)
    }

    /// By itself it would go on for longer than anybody waits here, the last one for a quarter of an hour.
    @Test(
        "a server that keeps us waiting is given up in time", arguments: ["no handshake", "silence", "a byte a second"])
    func slow(kind: String) async throws {
        let fixture = try await EndToEndFixture(app: .gitHubApp(interval: 1))
        try await fixture.remember(fixture.server.issueToken(for: "monalisa", app: fixture.app), expiringIn: -10)
        let before = try await fixture.session.items()
        switch kind {
        case "no handshake": fixture.server.receive(.silent)
        case "silence": fixture.server.answer(.refresh, with: .silence)
        default: fixture.server.answer(.refresh, with: .drip())
        }
        let end = try await fixture.helper("get")
        Self.check(end, nil, HostileAnswer(kind, .genuine), fixture)
        #expect(try await fixture.session.items() == before)
    }

    /// Gives each of a few fixtures its share of the answers, at the same time.
    ///
    /// - Returns: how many answers there were.
    private func onFixtures(
        _ service: Service, _ answers: @escaping @Sendable (String) -> [HostileAnswer],
        run: @escaping @Sendable (EndToEndFixture, [HostileAnswer]) async throws -> Void
    ) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for lane in 0..<Self.lanes {
                group.addTask {
                    let fixture = try await EndToEndFixture(service, app: service.refreshingApp(interval: 1))
                    let share = answers(fixture.host).enumerated().filter { $0.offset % Self.lanes == lane }
                    try await run(fixture, share.map(\.element))
                    return share.count
                }
            }
            return try await group.reduce(0, +)
        }
    }

    /// What holds whatever the server says.
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

    /// Printable ASCII in lines, and the two characters beyond it that our own texts have.
    private static func isOurs(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { (" "..."~").contains($0) || "\n✓…".unicodeScalars.contains($0) }
    }
}
