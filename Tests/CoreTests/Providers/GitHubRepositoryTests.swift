import CredentialCore
import OAuth
import Providers
import TestSupport
import Testing

@Suite("What GitHub says of a repository")
struct GitHubRepositoryTests {
    private let transport = ScriptedTransport()
    private let host: SignInHost

    init() throws { host = try #require(SignInHost(builtIn: HostName(name: "github.com"))) }

    private func answer(_ response: HTTPResponse) -> RepositoryAnswer? {
        transport.answer(response)
        return try? GitHub().repository("acme/widgets", on: host, token: Secret("gho_1"), over: transport)
    }

    private func answer(_ body: String, _ status: Int = 200, _ headers: (String, String)...) -> RepositoryAnswer? {
        answer(.json(body, status: status, headers: headers))
    }

    private func message(_ text: String, _ status: Int = 403, _ headers: (String, String)...) -> RepositoryAnswer? {
        answer(.json("{\"message\":\"\(text)\"}", status: status, headers: headers))
    }

    @Test("it is asked on the API of the very host, with the token or without")
    func requests() throws {
        let server = try #require(SignInHost(configured: HostName(name: "ghe.example", port: 8_443), provider: .github))
        for (host, token) in [(host, Secret("gho_1")), (server, nil)] {
            transport.answer(.page(status: 404))
            _ = try GitHub().repository("acme/widgets", on: host, token: token, over: transport)
        }
        #expect(
            transport.requests.map { "\($0.method) \($0.address)" } == [
                "GET https://api.github.com/repos/acme/widgets",
                "GET https://ghe.example:8443/api/v3/repos/acme/widgets",
            ])
        #expect(transport.requests.map(\.authorization) == ["Bearer gho_1", nil])
    }

    @Test("what follows the name in a browser's address is no part of it")
    func name() {
        #expect(GitHub().repositoryName(["acme", "widgets", "tree", "main"]) == "acme/widgets")
        #expect(GitHub().repositoryName(["acme"]) == nil)
    }

    @Test("the person's rights count only as far as the token's scopes reach")
    func rights() throws {
        func rights(_ isPrivate: Bool, push: Bool, scopes: String?) -> RepositoryRights? {
            let body = "{\"full_name\":\"acme/w\",\"private\":\(isPrivate),\"permissions\":{\"push\":\(push)}}"
            let headers = scopes.map { [("x-oauth-scopes", $0)] } ?? []
            guard case .reached(let rights) = answer(.json(body, headers: headers)) else {
                return nil
            }
            return rights
        }
        let full = try #require(rights(true, push: true, scopes: "repo, workflow"))
        #expect(full.canPush && full.mayChangeWorkflows == true && full.name == "acme/w")
        #expect(rights(true, push: true, scopes: "public_repo")?.canPush == false)
        #expect(rights(false, push: true, scopes: "public_repo")?.canPush == true)
        #expect(rights(false, push: true, scopes: "gist")?.canPush == false)
        #expect(rights(true, push: false, scopes: "repo")?.canPush == false)
        let app = try #require(rights(true, push: true, scopes: nil))
        #expect(app.canPush && app.mayChangeWorkflows == nil)
    }

    @Test("an archived repository takes no push, and a name that could harm is not taken over")
    func archived() {
        let body = #"{"full_name":"acme/\u001b[2J","private":false,"archived":true,"permissions":{"push":true}}"#
        guard case .reached(let rights) = answer(body, 200, ("x-oauth-scopes", "repo")) else {
            Issue.record("not reached")
            return
        }
        #expect(rights.isArchived && !rights.canPush && rights.name == nil)
    }

    @Test("the page for single sign-on must be on the very host, under an organisation")
    func singleSignOn() {
        func page(_ url: String) -> RepositoryAnswer? {
            message(
                "Resource protected by organization SAML enforcement.", 403, ("x-github-sso", "required; url=\(url)"))
        }
        let good = "https://github.com/orgs/acme/sso?authorization_request=AZSC_-1"
        #expect(
            page(good)
                == .singleSignOnRequired(
                    page: HTTPSAddress(host: "github.com", path: "/orgs/acme/sso?authorization_request=AZSC_-1")))
        let bad = [
            "https://evil.example/orgs/acme/sso", "https://github.com@evil.example/orgs/a", "http://github.com/orgs/a",
            "https://github.com/login/oauth/authorize?client_id=1", "https://github.com/orgs/../login",
            "https://github.com/orgs/$(id)", "https://github.com:8443/orgs/acme/sso", "javascript:1", "",
        ]
        for url in bad { #expect(page(url) == .singleSignOnRequired(page: nil), "\(url)") }
        #expect(
            answer("{}", 404, ("x-github-sso", "required; url=\(good)")) == page(good),
            "also where the repository is hidden")
        #expect(message("gone", 403, ("x-github-sso", "partial-results; organizations=1")) == .refused(status: 403))
    }

    @Test("each refusal is told by what GitHub says with it")
    func refusals() {
        #expect(message("Bad credentials", 401) == .tokenRejected)
        #expect(message("the `acme` organization has enabled OAuth App access restrictions") == .appRestricted)
        #expect(message("Resource not accessible by integration") == .appNotInstalled)
        #expect(message("the `acme` organization has an IP allow list enabled") == .addressNotAllowed)
        #expect(message("Repository access blocked", 403) == .blocked)
        #expect(message("unavailable due to DMCA", 451) == .blocked)
        #expect(message("You have exceeded a secondary rate limit.") == .rateLimited(until: nil))
        let limit = message("no", 403, ("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1700000100"))
        #expect(limit == .rateLimited(until: 1_700_000_100))
        #expect(message("slow", 429) == .rateLimited(until: nil))
        #expect(message("else") == .refused(status: 403))
        #expect(message("Not Found", 404, ("x-oauth-scopes", "gist, repo")) == .notFound)
        #expect(message("Not Found", 404, ("x-oauth-scopes", "gist, public_repo")) == .scopeMissing)
        #expect(message("Not Found", 404) == .notFoundByApp)
        #expect(answer(.page(status: 502)) == .unavailable(status: 502))
        #expect(answer(.page(status: 200)) == .malformed)
    }

    @Test("a repository that has moved is followed once, by its number alone")
    func moved() {
        func move(_ location: String) -> RepositoryAnswer? { message("Moved", 301, ("location", location)) }
        for elsewhere in [
            "https://evil.example/repositories/1", "https://api.github.com/user",
            "https://api.github.com/repositories/",
            "https://api.github.com/repositories/1/../../user", "/repositories/1",
        ] {
            #expect(move(elsewhere) == .malformed, "\(elsewhere)")
        }
        let asked = transport.requests.count
        let place = ("location", "https://api.github.com/repositories/1296269")
        transport.answer(.json("{}", status: 301, headers: [place]))
        #expect(message("Bad credentials", 401) == .tokenRejected)
        #expect(transport.requests.dropFirst(asked).map(\.address).last == place.1)
        transport.answer(.json("{}", status: 301, headers: [place]))
        #expect(message("Moved", 301, place) == .malformed)
        #expect(transport.requests.count == asked + 4 && transport.isExhausted)
    }
}
