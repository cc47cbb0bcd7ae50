import TestSupport
import Testing

@Suite("GitHub's addresses")
struct GitHubTests {
    private func host(_ text: String) throws -> SignInHost {
        let name = try #require(HostName(Array(text.utf8)))
        return try #require(SignInHost(builtIn: name) ?? SignInHost(configured: name, provider: .github))
    }

    @Test("selects the provider by the configured word")
    func registry() throws { #expect(try host("ghe.example").provider is GitHub) }

    @Test(
        "uses the host itself for OAuth, and an API host except on Enterprise Server",
        arguments: [
            ("github.com", "https://github.com", "https://api.github.com"),
            ("gist.github.com", "https://github.com", "https://api.github.com"),
            ("acme.ghe.com", "https://acme.ghe.com", "https://api.acme.ghe.com"),
            ("ghe.example:8443", "https://ghe.example:8443", "https://ghe.example:8443/api/v3"),
        ])
    func endpoints(name: String, origin: String, api: String) throws {
        let host = try host(name)
        let client = try OAuthClient(id: "c", scopes: "repo", of: host)
        #expect(client.server.deviceAuthorization?.text == origin + "/login/device/code")
        #expect(client.server.token.text == origin + "/login/oauth/access_token" && client.scopes == "repo")
        let transport = ScriptedTransport(GitHubAnswers.user("octocat"))
        _ = GitHub(host).holder(of: Secret("gho_1"), over: transport)
        #expect(transport.requests.map(\.address) == [api + "/user"])
        let probes = GitHub(host).reachAddresses.map(\.text)
        #expect(probes == (api.hasPrefix(origin) ? [] : [origin + "/login/device"]) + [api + "/rate_limit"])
    }

    @Test("requests GitHub's own scopes if the client has none")
    func defaultScopes() throws {
        #expect(try OAuthClient(id: "c", of: host("github.com")).scopes == "repo workflow gist")
    }

    @Test(
        "has each page on the same host",
        arguments: [
            (.approval, nil, "/settings/connections/applications"),
            (.installations, nil, "/settings/installations"), (.singleSignOn, "acme", "/orgs/acme/sso"),
            (.access, "Ov23li", "/settings/connections/applications/Ov23li"),
            (.access, "Iv1.a", "/settings/apps/authorizations"),
            (.access, nil, "/settings/apps/authorizations"),
            (.access, "\u{1b}[2J", "/settings/apps/authorizations"),
            (.access, "../../../logout", "/settings/apps/authorizations"),
            (.access, "", "/settings/apps/authorizations"),
            (.repository, "acme/widgets.js", "/acme/widgets.js"),
        ] as [(ProviderPage, String?, String)])
    func pages(page: ProviderPage, name: String?, path: String) throws {
        #expect(GitHub(try host("ghe.example:8443")).page(page, name)?.text == "https://ghe.example:8443" + path)
    }
}
