import CurlTransport
import Staging
import TestSupport
import Testing

/// Hostile answers of a server over a real connection: nothing is stored or lost, no text is shown as it came, and no
/// other host is contacted.
///
/// `HostileServerTests` has ten of the answers for the program itself, with a terminal and a keyring.
@Suite("Hostile answers")
struct HostileAnswerTests {
    /// The helper on test doubles, with a real server and connection.
    private struct Scene {
        let server: StandIn
        let host: String
        let helper = HelperFixture()
        private let app: App

        var doubles: Doubles { helper.doubles }

        init(_ service: Service, host: String? = nil) async throws {
            server = try StandIn(service)
            self.host = host ?? "localhost:\(server.port)"
            // The clock of the doubles runs without the server's.
            app = server.register(service.refreshingApp(interval: 0))
            let clock = doubles.clock
            doubles.network = {
                CurlTransport(
                    $0, userAgent: "git-credential-gitspace", uptimeMilliseconds: { clock.uptimeMilliseconds })
            }
            doubles.configure("http", nil, "proxy", server.proxyAddress)
            doubles.configure("http", nil, "sslCAInfo", server.caFile)
            doubles.configure("credential", "https://\(self.host)", "oauthClientId", app.clientID)
            if host == nil { doubles.configure("credential", "https://\(self.host)", "provider", service.rawValue) }
        }

        /// Stores a token pair of monalisa's.
        func remember(expiresIn seconds: Int64) {
            let pair = server.issueToken(for: "monalisa", app: app)
            helper.stored(
                expiresIn: seconds, refreshToken: pair.refreshToken, clientID: app.clientID, host: host,
                user: "monalisa", password: pair.accessToken)
        }

        /// Runs a get with the hostile answer, and checks what must hold for every answer.
        func get(_ hostile: HostileAnswer, from endpoint: Endpoint, times: Int? = 1, _ lines: String = "") throws {
            let before = doubles.errors.count
            server.answer(endpoint, with: hostile.answer, times: times)
            let answer = try helper.run(.get, "protocol=https\nhost=\(host)\(lines)")
            server.answerGenuinely()
            #expect(answer.isEmpty || answer == "quit=1\n", "\(hostile.name)")
            check(doubles.errors[before...].flatMap { [$0.text] + $0.hints }.map(\.english), hostile)
        }

        /// Signs monalisa out with the hostile answer to the revocation, which fails.
        func revoke(_ hostile: HostileAnswer, at endpoint: Endpoint) throws {
            let before = doubles.errors.count
            server.answer(endpoint, with: hostile.answer)
            let end = try VerbFixture(doubles).run("logout", host, "--revoke")
            server.answerGenuinely()
            let errors = doubles.errors[before...]
            #expect(
                end.status == .failed
                    && errors.contains { $0.text.english.contains("could not revoke the token of monalisa") },
                "\(hostile.name): \(errors)")
            check(end.text + errors.flatMap { [$0.text] + $0.hints }.map(\.english), hostile)
        }

        private func check(_ shown: [String], _ hostile: HostileAnswer) {
            // Allow printable ASCII, and the one other character that our own texts have.
            for text in shown {
                #expect(
                    text.unicodeScalars.allSatisfy { (" "..."~").contains($0) || $0 == "…" },
                    "\(hostile.name): \(text.debugDescription)")
                #expect(!text.contains("gho_x"), "\(hostile.name)")
            }
        }
    }

    @Test("keeps the stored pair unchanged after a hostile answer to a refresh", arguments: Service.allCases)
    func refresh(service: Service) async throws {
        let scene = try await Scene(service)
        scene.doubles.ui.canBeReached = false
        scene.remember(expiresIn: -10)
        let before = scene.doubles.keyring.onlyText
        let answers = HostileAnswer.shapes(host: scene.host) + HostileAnswer.tokens
        for hostile in answers { try scene.get(hostile, from: .refresh) }
        #expect(scene.doubles.keyring.onlyText == before && before != nil)
        #expect(scene.server.count(of: .refresh) == answers.count && answers.count >= 90)
        #expect(Set(scene.server.tunnels) == [scene.host])
    }

    @Test("shows and follows no hostile answer to the request for a code", arguments: Service.withDeviceFlow)
    func deviceCode(service: Service) async throws {
        let scene = try await Scene(service)
        let answers = HostileAnswer.shapes(host: scene.host) + HostileAnswer.deviceCodes(host: scene.host)
        for hostile in answers {
            try scene.get(hostile, from: .deviceCode)
            #expect(scene.doubles.ui.prompts.isEmpty, "\(hostile.name)")
        }
        #expect(scene.server.count(of: .deviceCode) >= answers.count && answers.count >= 100)
        #expect(scene.server.count(of: .poll) == 0 && scene.doubles.keyring.items.isEmpty)
        #expect(Set(scene.server.tunnels) == [scene.host])
    }

    /// After a temporary error, the next answer is that the person declined.
    @Test("accepts no hostile answer to a poll as a token", arguments: Service.withDeviceFlow)
    func token(service: Service) async throws {
        let scene = try await Scene(service)
        scene.server.everySignIn(.deny)
        let answers = HostileAnswer.tokens + HostileAnswer.shapes(host: scene.host).filter { $0.name.contains("a") }
        for hostile in answers { try scene.get(hostile, from: .poll) }
        #expect(scene.server.count(of: .poll) >= answers.count && answers.count >= 70)
        #expect(scene.server.count(of: .user) == 0 && scene.doubles.keyring.items.isEmpty)
        #expect(Set(scene.server.tunnels) == [scene.host])
    }

    /// Only github.com has an endpoint for revocation.
    @Test("keeps the stored pair after a hostile answer to a revocation")
    func revocation() async throws {
        let scene = try await Scene(.gitHub, host: "github.com")
        scene.remember(expiresIn: 1_000)
        let before = scene.doubles.keyring.onlyText
        let answers = HostileAnswer.shapes(host: scene.host)
        for hostile in answers { try scene.revoke(hostile, at: .revokeCredentials) }
        #expect(scene.server.count(of: .revokeCredentials) == answers.count)
        #expect(Set(scene.server.tunnels) == ["api.github.com:443"])
        #expect(scene.doubles.keyring.onlyText == before && before != nil)
        scene.server.answer(.revokeCredentials, with: .status(500))
        let end = try VerbFixture(scene.doubles).run("logout", scene.host, "--revoke", "--force")
        #expect(end.status == .done && end.text.contains { $0.contains("The token was not revoked: ") })
        #expect(scene.doubles.keyring.items.isEmpty)
    }

    /// RFC 7009 defines each 200 as success, whatever its body, unless a proxy or an error sent it.
    @Test("keeps the stored pair after a hostile answer to a revocation at GitLab")
    func revocationByRFC() async throws {
        let scene = try await Scene(.gitLab)
        scene.remember(expiresIn: 1_000)
        let before = scene.doubles.keyring.onlyText
        let answers = HostileAnswer.shapes(host: scene.host).filter {
            !["nothing", "an empty object"].contains($0.name)
        }
        for hostile in answers { try scene.revoke(hostile, at: .revoke) }
        #expect(scene.server.count(of: .revoke) == answers.count)
        #expect(scene.doubles.keyring.onlyText == before && before != nil)
        let end = try VerbFixture(scene.doubles).run("logout", scene.host, "--revoke")
        #expect(end.status == .done && scene.server.tokens.allSatisfy { !scene.server.isLive($0.accessToken) })
        #expect(scene.doubles.keyring.items.isEmpty)
    }

    @Test(
        "stores no token under the asked name after a hostile answer to the question for the account",
        arguments: Service.withDeviceFlow)
    func user(service: Service) async throws {
        let scene = try await Scene(service)
        scene.server.everySignIn(.approve(as: "monalisa"))
        let answers =
            HostileAnswer.users(member: service == .gitHub ? "login" : "username")
            + HostileAnswer.shapes(host: scene.host).filter { $0.name.contains("redirect") || $0.name.contains("end") }
        for hostile in answers { try scene.get(hostile, from: .user, times: nil, "\nusername=monalisa") }
        #expect(scene.server.count(of: .user) >= answers.count && answers.count >= 25)
        #expect(scene.doubles.keyring.items.isEmpty)
        #expect(Set(scene.server.tunnels) == [scene.host])
    }
}
