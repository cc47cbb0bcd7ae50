import TestSupport
import Testing

@testable import Providers

@Suite("Repositories on GitHub")
struct GitHubRepositoryTests {
    private let transport = ScriptedTransport()
    private let host: SignInHost

    init() throws { host = try #require(SignInHost(builtIn: HostName(name: "github.com"))) }

    private func answer(_ response: HTTPResponse, to token: String = "gho_1") -> RepositoryAnswer? {
        transport.answer(response)
        let credential = StoredCredential(username: Array("mona".utf8), password: Secret(token.utf8))
        return try? GitHub(host).repository("acme/widgets", as: credential, over: transport)
    }

    private func answer(_ body: String, _ status: Int = 200, _ headers: (String, String)...) -> RepositoryAnswer? {
        answer(.json(body, status: status, headers: headers))
    }

    private func message(_ text: String, _ status: Int = 403, _ headers: (String, String)...) -> RepositoryAnswer? {
        answer(.json("{\"message\":\"\(text)\"}", status: status, headers: headers))
    }

    @Test("asks the API of the same host, with the token or without")
    func requests() throws {
        let server = try #require(SignInHost(configured: HostName(name: "ghe.example", port: 8_443), provider: .github))
        for (host, token) in [(host, Secret("gho_1")), (server, nil)] {
            transport.answer(.page(status: 404))
            let credential = token.map { StoredCredential(username: Array("mona".utf8), password: $0) }
            _ = try GitHub(host).repository("acme/widgets", as: credential, over: transport)
        }
        #expect(
            transport.requests.map { "\($0.method) \($0.address)" } == [
                "GET https://api.github.com/repos/acme/widgets",
                "GET https://ghe.example:8443/api/v3/repos/acme/widgets",
            ])
        #expect(transport.requests.map(\.authorization) == ["Bearer gho_1", nil])
    }

    @Test("takes owner and name of a browser's address only")
    func name() {
        #expect(GitHub(host).repositoryName(["acme", "widgets", "tree", "main"]) == "acme/widgets")
        #expect(GitHub(host).repositoryName(["acme"]) == nil)
        // A wiki has the rights of its repository.
        #expect(GitHub(host).repositoryName(["acme", "widgets.wiki"]) == "acme/widgets")
        for name in [".wiki", "..wiki", "...wiki"] {
            #expect(GitHub(host).repositoryName(["acme", name]) == "acme/\(name)")
        }
        let place = GitHubApp.place(of: Array("acme/widgets.wiki.git".utf8))
        #expect(place?.owner == "acme" && place?.repository == "widgets")
    }

    @Test("limits the person's rights to the token's scopes")
    func rights() throws {
        func rights(_ isPrivate: Bool, push: Bool, scopes: String?) -> RepositoryRights? {
            let body = "{\"full_name\":\"acme/w\",\"private\":\(isPrivate),\"permissions\":{\"push\":\(push)}}"
            let headers = scopes.map { [("x-oauth-scopes", $0)] } ?? []
            guard case .reached(let rights) = answer(.json(body, headers: headers)) else { return nil }
            return rights
        }
        let full = try #require(rights(true, push: true, scopes: "repo, workflow"))
        #expect(full.canPush && full.workflows == .granted)
        #expect(rights(true, push: true, scopes: "public_repo")?.canPush == false)
        #expect(rights(false, push: true, scopes: "public_repo")?.canPush == true)
        #expect(rights(false, push: true, scopes: "gist")?.canPush == false)
        #expect(rights(true, push: false, scopes: "repo")?.canPush == false)
        let app = try #require(rights(true, push: true, scopes: nil))
        #expect(app.canPush && app.workflows == .unknown)
    }

    @Test("reports that an archived repository takes no push")
    func archived() {
        let body = #"{"full_name":"acme/\u001b[2J","private":false,"archived":true,"permissions":{"push":true}}"#
        guard case .reached(let rights) = answer(body, 200, ("x-oauth-scopes", "repo")) else {
            Issue.record("not reached")
            return
        }
        #expect(rights.isArchived && !rights.canPush)
    }

    /// Returns the meaning of a response that requires single sign-on on that page.
    private func singleSignOn(_ url: String) -> RepositoryAnswer? {
        message("Resource protected by organization SAML enforcement.", 403, ("x-github-sso", "required; url=\(url)"))
    }

    @Test(
        "rebuilds the address of the single sign-on page on the same host",
        arguments: [
            "/orgs/acme/sso?authorization_request=AZSC_-1", "/orgs/acme-2/sso", "/enterprises/acme_x/sso",
            "/orgs/a/sso?authorization_request=AZSC==",
        ])
    func singleSignOnPage(path: String) {
        let page = RepositoryAnswer.singleSignOnRequired(page: HTTPSAddress(host: "github.com", path: path))
        #expect(singleSignOn("https://github.com\(path)") == page)
        #expect(
            answer("{}", 404, ("x-github-sso", "required; url=https://github.com\(path)")) == page,
            "also where the repository is hidden")
    }

    @Test(
        "shows no other page",
        arguments: [
            "https://evil.example/orgs/acme/sso", "https://github.com@evil.example/orgs/a/sso",
            "http://github.com/orgs/acme/sso", "https://github.com:8443/orgs/acme/sso", "javascript:1", "",
            "https://github.com/orgs/%2e%2e/sso", "https://github.com/orgs/%2E%2e/sso",
            "https://github.com/orgs/acme%2f..%2f../sso", "https://github.com/orgs/%2e%2e/login/oauth/authorize",
            "https://github.com/orgs/acme/%2e%2e/%2e%2e/login/oauth/authorize?client_id=1&authorization_request=1",
            "https://github.com/orgs/../sso", "https://github.com/orgs/./sso", "https://github.com/orgs/a.b/sso",
            "https://github.com/orgs/acme%5csso", "https://github.com/orgs\\acme\\sso", "https://github.com/orgs//sso",
            "https://github.com//orgs/acme/sso", "https://github.com/orgs/acme/sso/",
            "https://github.com/orgs/acme/SSO",
            "https://github.com/orgs/acme/sso/../../login", "https://github.com/orgs/$(id)/sso",
            "https://github.com/login/oauth/authorize?client_id=1", "https://github.com/orgs/acme/people",
            "https://github.com/orgs/acme/sso?return_to=/x", "https://github.com/orgs/acme/sso?authorization_request=",
            "https://github.com/orgs/acme/sso?authorization_request=a%2e", "https://github.com/orgs/acme/sso?",
            "https://github.com/orgs/acme/sso?authorization_request=a&return_to=b",
            "https://github.com/orgs/acme/sso?authorization_request=a?b", "https://github.com/orgs/acme/sso#x",
            "https://github.com/orgs/acme/sso?authorization_request=a=b", "https://github.com/orgs/ac\u{200b}me/sso",
            "https://github.com/orgs/*/sso", "https://github.com/orgs/acme/sso?authorization_request=a\u{e9}",
        ])
    func foreignPage(url: String) { #expect(singleSignOn(url) == .singleSignOnRequired(page: nil)) }

    @Test("ignores a single sign-on header that only reports a partial response")
    func partialResults() {
        #expect(message("gone", 403, ("x-github-sso", "partial-results; organizations=1")) == .refused(status: 403))
    }

    @Test("recognizes each refusal by the rest of GitHub's response")
    func refusals() {
        #expect(message("Bad credentials", 401) == .tokenRejected)
        #expect(message("the `acme` organization has enabled OAuth App access restrictions") == .appRestricted)
        #expect(message("Resource not accessible by integration") == .appNotInstalled)
        #expect(message("the `acme` organization has an IP allow list enabled") == .addressNotAllowed)
        #expect(message("Repository access blocked", 403) == .blocked)
        #expect(message("unavailable due to DMCA", 451) == .blocked)
        #expect(message("You have exceeded a secondary rate limit.") == .rateLimited(RateLimit()))
        let limit = message("no", 403, ("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1700000100"))
        #expect(limit == .rateLimited(RateLimit(reset: 1_700_000_100)))
        #expect(message("slow", 429) == .rateLimited(RateLimit()))
        for (pause, minutes) in [("1", 1), ("1800", 30), ("7200", 120)] as [(String, Int64)] {
            let limit = message("slow", 429, ("x-ratelimit-reset", "1700003600"), ("retry-after", pause))
            guard case .rateLimited(let limit) = limit else {
                Issue.record("\(String(describing: limit))")
                continue
            }
            #expect(limit.minutes(at: 1_700_000_000) == minutes)
        }
        #expect(message("else") == .refused(status: 403))
        #expect(message("Not Found", 404, ("x-oauth-scopes", "gist, repo")) == .notFound)
        #expect(message("Not Found", 404, ("x-oauth-scopes", "gist, public_repo")) == .scopeMissing("repo"))
        #expect(message("Not Found", 404) == .notFoundByApp)
        let unlisted = HTTPResponse.json("{}", status: 404, headers: [("x-oauth-scopes", "")])
        for token in ["ghp_1", "gho_1"] { #expect(answer(unlisted, to: token) == .scopeMissing("repo")) }
        for token in ["ghu_1", "ghs_1"] { #expect(answer(unlisted, to: token) == .notFoundByApp) }
        #expect(answer(unlisted, to: "github_pat_1") == .notFound)
        #expect(answer(.page(status: 502)) == .unavailable(status: 502))
        #expect(answer(.page(status: 200)) == .malformed)
    }

    @Test("does not follow a moved repository's redirect", arguments: [301, 302, 307, 308])
    func moved(status: Int) {
        for place in ["https://api.github.com/repositories/1296269", "https://evil.example/repositories/1", ""] {
            #expect(message("Moved Permanently", status, ("location", place)) == .moved)
        }
        #expect(transport.requests.count == 3 && transport.isExhausted)
    }
}
