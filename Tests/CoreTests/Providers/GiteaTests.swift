import TestSupport
import Testing

@testable import Providers

@Suite("Gitea and Forgejo")
struct GiteaTests {
    private let gitea: Gitea
    private let transport = ScriptedTransport()

    init() throws { gitea = Gitea(try #require(SignInHost(tokenHost: BuiltInHost.codeberg.name))) }
    private func server() throws -> OAuthServer { try gitea.server(nil, over: transport) }

    private func client() throws -> OAuthClient {
        transport.answer(GiteaAnswers.discovery())
        return OAuthClient(id: "c", server: try server())
    }

    @Test("recognizes only well-known servers by their names", arguments: ["codeberg.org", "GITEA.com:443"])
    func known(name: String) throws {
        let host = try #require(HostName(Array(name.utf8)).flatMap { SignInHost(tokenHost: $0) })
        #expect(host.provider is Gitea && host.providerID == .gitea && !host.isBuiltIn)
        for other in ["bitbucket.org", "codeberg.org.evil.example", "gitea.example"] {
            #expect(SignInHost(tokenHost: HostName(name: other))?.provider as? Gitea == nil)
        }
    }

    @Test("names Codeberg as such, and any other server by its software")
    func names() throws {
        #expect(gitea.displayName == "Codeberg")
        let gitea = try #require(SignInHost(tokenHost: BuiltInHost.gitea.name))
        let own = try #require(SignInHost(configured: HostName(name: "git.example"), provider: .gitea))
        #expect([gitea, own].map(\.provider.displayName) == ["Gitea", "Gitea"])
    }

    @Test("discovers the endpoints, whose issuer may end with a slash")
    func discovery() throws {
        for issuer in ["https://codeberg.org", "https://codeberg.org/"] {
            // The document of an issuer with a slash is requested again by that name.
            transport.otherwise = GiteaAnswers.discovery(issuer: issuer)
            let found = try server()
            #expect(found.authorization?.text == "https://codeberg.org/login/oauth/authorize")
            #expect(found.token.text == "https://codeberg.org/login/oauth/access_token")
            #expect(found.deviceAuthorization == nil && found.revocation == nil && found.issuer?.text == issuer)
            #expect(OAuthClient(id: "c", server: found).scopes == "read:user write:repository")
        }
        #expect(transport.requests.allSatisfy { $0.address.hasPrefix("https://codeberg.org/.well-known/") })
    }

    @Test(
        "refuses metadata that lead to another host",
        arguments: [
            (GiteaAnswers.discovery(issuer: "https://evil.example"), .wrongIssuer("https://evil.example")),
            (GiteaAnswers.discovery(issuer: "https://codeberg.org//"), .wrongIssuer("https://codeberg.org//")),
            (GiteaAnswers.discovery(token: "https://evil.example/t"), .foreign(.token, host: "evil.example")),
            (GiteaAnswers.discovery(token: "http://codeberg.org/t"), .insecure(.token)),
        ] as [(HTTPResponse, DiscoveryError)])
    func hostile(answer: HTTPResponse, error: DiscoveryError) throws {
        transport.otherwise = answer
        #expect(throws: error) { _ = try server() }
    }

    @Test("reads unauthorized_client as a dead refresh token, and as a confidential client for a code")
    func blames() throws {
        let client = try client()
        for (code, meaning) in [
            ("unauthorized_client", .invalidGrant), ("invalid_grant", .invalidGrant),
            ("invalid_client", .clientConfidential),
        ] as [(String, SignInError)] {
            transport.answer(GiteaAnswers.error(code))
            let failure = failure { () throws(OAuthFailure) in
                _ = try client.exchange(.refreshToken(Secret("r")), over: transport)
            }
            #expect(failure?.signInError == meaning)
        }
        transport.answer(GiteaAnswers.token)
        let token = try client.exchange(.refreshToken(Secret("r")), over: transport)
        #expect(token.expiresIn == 3_600 && token.refreshToken != nil && token.scope == nil)
    }

    @Test("reads the account from the API, and refuses a token without that right")
    func account() {
        transport.answer(GiteaAnswers.user("monalisa"))
        #expect(gitea.holder(of: Secret("t"), over: transport) == .account(names: ["monalisa"], id: 1))
        transport.answer(.json("{\"message\":\"required scope\"}", status: 403))
        #expect(gitea.holder(of: Secret("t"), over: transport) == .unknown())
        #expect(transport.requests.map(\.address) == Array(repeating: "https://codeberg.org/api/v1/user", count: 2))
    }

    private func answer(_ answers: HTTPResponse..., token: Secret? = Secret("t")) throws -> RepositoryAnswer {
        answers.forEach(transport.answer)
        let credential = token.map { StoredCredential(username: Array("mona".utf8), password: $0) }
        let answer = try gitea.repository("acme/widgets", as: credential, over: transport)
        #expect(transport.isExhausted)
        return answer
    }

    @Test("asks the API for the right to push, and then git's own protocol for the scopes")
    func push() throws {
        func rights(push: Bool, missing: String? = nil, archived: Bool = false) -> RepositoryAnswer {
            .reached(
                RepositoryRights(mayPush: push, missingScope: missing, workflows: .notSeparate, isArchived: archived))
        }
        #expect(try answer(GiteaAnswers.repository(), .json("")) == rights(push: true))
        #expect(
            try answer(GiteaAnswers.repository(), .json("", status: 403))
                == rights(push: true, missing: "write:repository"))
        #expect(try answer(GiteaAnswers.repository(push: false)) == rights(push: false))
        #expect(try answer(GiteaAnswers.repository(archived: true)) == rights(push: true, archived: true))
        #expect(try answer(GiteaAnswers.repository(push: false), token: nil) == rights(push: false))
        #expect(transport.requests.allSatisfy { $0.address.hasPrefix("https://codeberg.org/") })
    }

    @Test(
        "reads the API's other statuses",
        arguments: [
            (401, .tokenRejected), (403, .scopeMissing("write:repository")), (404, .notFound), (301, .moved),
            (429, .rateLimited(RateLimit())), (502, .unavailable(status: 502)), (418, .refused(status: 418)),
        ] as [(Int, RepositoryAnswer)])
    func refusals(status: Int, expected: RepositoryAnswer) throws {
        #expect(try answer(.json("{}", status: status)) == expected)
    }

    @Test("reports a body that is no repository as malformed", arguments: ["[]", "null", "{", "{\"message\":\"\"}"])
    func malformed(body: String) throws { #expect(try answer(.json(body)) == .malformed) }

    @Test("has one page for tokens and applications, and recognizes a person's token by its form")
    func pages() {
        let page = "https://codeberg.org/user/settings/applications"
        #expect(gitea.page(.newToken)?.text == page && gitea.page(.access, "c")?.text == page)
        #expect(gitea.registration(of: .oauthApp)?.page.text == page && gitea.registration(of: .gitHubApp) == nil)
        #expect(gitea.page(.approval) == nil)
        #expect(gitea.page(revoking: Secret(String(repeating: "0a", count: 20)))?.address.text == page)
        #expect(gitea.page(revoking: Secret("eyJhbGciOiJSUzI1NiJ9.YQ.YQ")) == nil)
    }

    @Test("finds the repository of a page or wiki", arguments: [("a/b/src/b", "a/b"), ("a/b.wiki", "a/b"), ("a", nil)])
    func names(path: String, name: String?) {
        #expect(gitea.repositoryName(path.split(separator: "/").map(String.init)) == name)
    }
}
