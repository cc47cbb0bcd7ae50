import StandIn
import Testing

@Suite("GitHub's REST API: who am I, what do I reach")
struct APITests {
    private static let repository = "https://api.github.com/repos/acme/private"

    @Test("a dead token is 401, and a client without User-Agent 403")
    func user() async throws {
        let github = try await StandIn.start()
        let client = Client(github: github)
        let token = github.issueToken(for: "monalisa", app: .personalAccessTokens).accessToken
        let enterprise = "https://ghe.test/api/v3/user"
        #expect(try await client.curl("--oauth2-bearer", token, enterprise).body.contains(#""login":"monalisa""#))
        #expect(try await client.curl("--user-agent", "", "--oauth2-bearer", token, enterprise).status == "403")
        #expect(try await client.curl("--oauth2-bearer", token, "https://ghe.test/user").status == "404")
        github.revoke(token)
        let dead = try await client.curl("--oauth2-bearer", token, enterprise)
        #expect(dead.status == "401" && dead.body.contains(#""message":"Bad credentials""#))
    }

    @Test("a repository: reached, unknown to a stranger, out of scope, and refused with the reason")
    func repositories() async throws {
        let github = try await StandIn.start()
        let client = Client(github: github)
        try github.createRepository("acme/private", readers: ["monalisa"])
        func ask(_ login: String, scopes: [String] = ["repo"]) async throws -> (body: String, status: String) {
            let token = github.issueToken(for: login, app: .personalAccessTokens, scopes: scopes).accessToken
            return try await client.curl("--include", "--oauth2-bearer", token, Self.repository)
        }
        #expect(try await ask("monalisa").body.contains(#""permissions":{"pull":true,"push":false}"#))
        #expect(try await ask("stranger").status == "404")
        #expect(try await ask("monalisa", scopes: ["gist"]).status == "404")
        #expect(try await client.curl(Self.repository).status == "404")
        github.refuse("monalisa", at: "acme/private", because: .singleSignOn)
        let address = "https://github.com/orgs/acme/sso?"
        #expect(try await ask("monalisa").body.contains("X-GitHub-SSO: required; url=\(address)"))
        github.refuse("monalisa", at: "acme/private", because: .appRestriction)
        #expect(try await ask("monalisa").body.contains("OAuth App access restrictions"))
    }
}
