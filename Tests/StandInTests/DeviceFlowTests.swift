import Staging
import Synchronization
import Testing

@Suite("Device flow and refresh of GitHub")
final class DeviceFlowTests: Sendable {
    /// The stand-in's clock in seconds since 1970, which moves only in tests.
    private let clock = Mutex(1_700_000_000.0)
    private let codeAddress = "https://github.com/login/device/code"
    private let tokenAddress = "https://github.com/login/oauth/access_token"

    private func start(_ app: App) async throws -> (StandIn, Client) {
        let github = try StandIn(clock: { self.clock.withLock { $0 } })
        github.register(app)
        return (github, Client(github: github))
    }

    /// The value of a string or number in a JSON object.
    private func member(_ name: String, of json: String) throws -> String {
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        return try #require(object?[name].map { "\($0)" })
    }

    private func pollForm(_ app: App, _ deviceCode: String) -> String {
        "client_id=\(app.clientID)&device_code=\(deviceCode)&grant_type=urn:ietf:params:oauth:grant-type:device_code"
    }

    @Test("answers each early poll with slow_down, and lengthens the interval each time")
    func pollRate() async throws {
        let app = App.gitHubApp()
        let (github, client) = try await start(app)
        let device = try await client.post(codeAddress, "client_id=\(app.clientID)")
        let form = pollForm(app, try member("device_code", of: device))

        #expect(try await client.post(tokenAddress, form).contains("authorization_pending"))
        clock.withLock { $0 += 4.99 }
        #expect(try member("interval", of: try await client.post(tokenAddress, form)) == "10")
        clock.withLock { $0 += 9.99 }
        #expect(try member("interval", of: try await client.post(tokenAddress, form)) == "15")
        clock.withLock { $0 += 15 }
        github.enter(userCode: try member("user_code", of: device), approvingAs: "monalisa")
        #expect(try member("access_token", of: try await client.post(tokenAddress, form)).hasPrefix("ghu_"))
    }

    @Test("revokes both old tokens at a refresh, and counts a second use of the refresh token")
    func rotation() async throws {
        let app = App.gitHubApp()
        let (github, client) = try await start(app)
        let old = github.issueToken(for: "monalisa", app: app)
        let refreshToken = try #require(old.refreshToken)
        let form = "client_id=\(app.clientID)&grant_type=refresh_token&refresh_token=\(refreshToken)"
        let fresh = try await client.post(tokenAddress, form)
        #expect(try member("expires_in", of: fresh) == "28800")
        #expect(try member("refresh_token", of: fresh) != refreshToken)
        #expect(try !github.isLive(old.accessToken) && github.isLive(member("access_token", of: fresh)))
        #expect(github.refreshTokenReuses == 0)

        #expect(try await client.post(tokenAddress, form).contains(#""error":"bad_refresh_token""#))
        #expect(github.refreshTokenReuses == 1)
        clock.withLock { $0 += 28_800 }
        #expect(!github.isLive(try member("access_token", of: fresh)))
    }
}

@Suite("Code flow of GitLab and Gitea")
struct CodeFlowTests {
    /// The verifier of RFC 7636, appendix B.
    private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    private static let redirectURI = "http://127.0.0.1:41234/"
    private let service: Service
    private let server: StandIn
    private let client: Client
    private let app: App

    private init(_ service: Service) async throws {
        self.service = service
        server = try StandIn(service)
        app = server.register(service.app())
        client = Client(github: server)
    }

    /// Opens the authorization address, and returns the query of the final redirect.
    private func authorize(_ more: String = "") async throws -> [Substring: Substring] {
        let path = service == .gitLab ? "/oauth/authorize" : "/login/oauth/authorize"
        let scope = service.scopes.joined(separator: "%20")
        let answer = try await client.curl(
            "--output", "/dev/null", "--write-out", "%{redirect_url}\n%{http_code}",
            "https://\(service.host)\(path)?client_id=\(app.clientID)&redirect_uri=\(Self.redirectURI)&state=xyz"
                + "&response_type=code&scope=\(scope)&code_challenge=\(Self.challenge)&code_challenge_method=S256"
                + more)
        #expect(answer.body.hasPrefix(Self.redirectURI + "?"), "\(answer)")
        let pairs = answer.body.drop { $0 != "?" }.dropFirst().split(separator: "&").map { $0.split(separator: "=") }
        return Dictionary(uniqueKeysWithValues: pairs.map { ($0[0], $0[1]) })
    }

    private func exchange(
        _ code: Substring, verifier: String = verifier, redirectURI: String = redirectURI
    ) async throws -> String {
        let path = service == .gitLab ? "/oauth/token" : "/login/oauth/access_token"
        return try await client.post(
            "https://\(service.host)\(path)",
            "grant_type=authorization_code&client_id=\(app.clientID)&code=\(code)&redirect_uri=\(redirectURI)"
                + "&code_verifier=\(verifier)")
    }

    @Test("exchanges a code once, for the verifier and the same redirect address", arguments: Service.withCodeFlow)
    static func code(service: Service) async throws {
        let test = try await CodeFlowTests(service)
        test.server.nextSignIn(.approve(as: "monalisa"), .approve(as: "monalisa"), .approve(as: "bob"))
        for (verifier, redirectURI) in [("wrong", Self.redirectURI), (Self.verifier, "http://127.0.0.1:1/")] {
            let stolen = try #require(try await test.authorize()["code"])
            let answer = try await test.exchange(stolen, verifier: verifier, redirectURI: redirectURI)
            #expect(answer.contains("\"error\""))
            #expect(try await test.exchange(stolen).contains("\"error\""), "a code that was tried is spent")
        }
        let back = try await test.authorize()
        #expect(back["state"] == "xyz")
        let code = try #require(back["code"])
        #expect(try await test.exchange(code).contains("\"access_token\""))
        let token = try #require(test.server.tokens.first)
        #expect(token.login == "bob" && token.scopes == service.scopes && test.server.isLive(token.accessToken))
        #expect(try await test.exchange(code).contains("\"error\""))
        #expect(test.server.tokens.count == 1 && !test.server.isLive(token.accessToken))
    }

    @Test("redirects with a refusal, and shows a page that asks who is there", arguments: Service.withCodeFlow)
    static func refusal(service: Service) async throws {
        let test = try await CodeFlowTests(service)
        test.server.nextSignIn(.deny)
        #expect(try await test.authorize() == ["error": "access_denied", "state": "xyz"])
        #expect(try await test.authorize("&login=bob")["code"] != nil)
        #expect(try await test.authorize("&action=deny")["error"] == "access_denied")
    }
}
