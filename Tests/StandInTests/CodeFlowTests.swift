import FoundationEssentials
import StandIn
import Testing

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
        server = try await StandIn.start(service)
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
        test.server.nextSignIn(.deny())
        #expect(try await test.authorize() == ["error": "access_denied", "state": "xyz"])
        #expect(try await test.authorize("&login=bob")["code"] != nil)
        #expect(try await test.authorize("&action=deny")["error"] == "access_denied")
    }
}
