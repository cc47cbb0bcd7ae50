import CredentialCore
import OAuth
import Providers
import TestSupport
import Testing

@Suite("What GitHub says of a repository")
struct GitHubRepositoryQuestionTests {
    private let question = GitHubRepositoryQuestion()
    private let host: SignInHost

    init() throws { host = try #require(SignInHost(builtIn: HostName(name: "github.com"))) }

    private func answer(_ body: String, _ status: Int = 200, _ headers: (String, String)...) -> RepositoryAnswer {
        question.answer(.json(body, status: status, headers: headers), on: host)
    }

    private func message(_ text: String, _ status: Int = 403, _ headers: (String, String)...) -> RepositoryAnswer {
        question.answer(.json("{\"message\":\"\(text)\"}", status: status, headers: headers), on: host)
    }

    @Test("it is asked on the API of the very host")
    func addresses() throws {
        let address = question.address(of: "acme/widgets", on: host)
        #expect(address.text == "https://api.github.com/repos/acme/widgets")
        let server = try #require(SignInHost(configured: HostName(name: "ghe.example", port: 8_443), provider: .github))
        let onServer = question.address(of: "acme/widgets", on: server)
        #expect(onServer.text == "https://ghe.example:8443/api/v3/repos/acme/widgets")
        let sent = SentRequest(question.request(address, token: Secret("gho_1")))
        #expect(sent.method == "GET" && sent.authorization == "Bearer gho_1")
        #expect(SentRequest(question.request(address, token: nil)).authorization == nil)
    }

    @Test("the person's rights count only as far as the token's scopes reach")
    func rights() throws {
        func rights(_ isPrivate: Bool, push: Bool, scopes: String?) -> RepositoryRights? {
            let body = "{\"full_name\":\"acme/w\",\"private\":\(isPrivate),\"permissions\":{\"push\":\(push)}}"
            let headers = scopes.map { [("x-oauth-scopes", $0)] } ?? []
            guard case .reached(let rights) = question.answer(.json(body, headers: headers), on: host) else {
                return nil
            }
            return rights
        }
        let full = try #require(rights(true, push: true, scopes: "repo, workflow"))
        #expect(full.canPush && full.mayChangeWorkflows == true && full.name == "acme/w" && !full.isPublic)
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
        func page(_ url: String) -> RepositoryAnswer {
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
            answer("{}", 404, ("x-github-sso", "required; url=\(good)")) != .notFound(scopes: nil),
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
        #expect(
            message("Not StoredMatch", 404, ("x-oauth-scopes", "gist, repo")) == .notFound(scopes: ["gist", "repo"]))
        #expect(message("Not StoredMatch", 404) == .notFound(scopes: nil))
        #expect(question.answer(.page(status: 502), on: host) == .unavailable(status: 502))
        #expect(question.answer(.page(status: 200), on: host) == .malformed)
    }

    @Test("a repository that has moved is followed by its number alone")
    func moved() {
        func move(_ location: String) -> RepositoryAnswer { message("Moved", 301, ("location", location)) }
        #expect(
            move("https://api.github.com/repositories/1296269")
                == .moved(HTTPSAddress(host: "api.github.com", path: "/repositories/1296269")))
        for elsewhere in [
            "https://evil.example/repositories/1", "https://api.github.com/user",
            "https://api.github.com/repositories/",
            "https://api.github.com/repositories/1/../../user", "/repositories/1",
        ] {
            #expect(move(elsewhere) == .malformed, "\(elsewhere)")
        }
    }
}
