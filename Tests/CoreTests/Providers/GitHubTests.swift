import CredentialCore
import Providers
import TestSupport
import Testing

@Suite("GitHub's addresses")
struct GitHubTests {
    private func host(_ text: String) throws -> SignInHost {
        let name = try #require(HostName(Array(text.utf8)))
        return try #require(SignInHost(builtIn: name) ?? SignInHost(configured: name, provider: .github))
    }

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
        #expect(host.provider is GitHub)
        let client = try OAuthClient(id: "c", scopes: "repo", of: host)
        #expect(client.server.deviceAuthorization?.text == origin + "/login/device/code")
        #expect(client.server.token.text == origin + "/login/oauth/access_token" && client.scopes == "repo")
        let transport = ScriptedTransport(GitHubAnswers.user("octocat"))
        _ = GitHub(host).holder(of: Secret("gho_1"), over: transport)
        #expect(transport.requests.map(\.address) == [api + "/user"])
        let probes = GitHub(host).reachAddresses.map(\.text)
        #expect(probes == (api.hasPrefix(origin) ? [] : [origin + "/login/device"]) + [api + "/rate_limit"])
    }

    @Test(
        "has each page on the same host",
        arguments: [
            (.approval, nil, "/settings/connections/applications"), (.installations, nil, "/settings/installations"),
            (.singleSignOn, "acme", "/orgs/acme/sso"), (.access, "Ov23li", "/settings/connections/applications/Ov23li"),
            (.access, "Iv1.a", "/settings/apps/authorizations"), (.access, nil, "/settings/apps/authorizations"),
            (.access, "\u{1b}[2J", "/settings/apps/authorizations"),
            (.access, "../../../logout", "/settings/apps/authorizations"),
            (.access, "", "/settings/apps/authorizations"), (.repository, "acme/widgets.js", "/acme/widgets.js"),
        ] as [(ProviderPage, String?, String)])
    func pages(page: ProviderPage, name: String?, path: String) throws {
        #expect(GitHub(try host("ghe.example:8443")).page(page, name)?.text == "https://ghe.example:8443" + path)
    }
}

@Suite("Account of a GitHub token")
struct GitHubAccountTests {
    private let transport = ScriptedTransport()
    private let host: SignInHost

    init() throws { host = try #require(SignInHost(builtIn: HostName(name: "github.com"))) }

    private func ask(_ answers: HTTPResponse...) -> Holder {
        answers.forEach(transport.answer)
        return GitHub(host).holder(of: Secret("gho_1"), over: transport)
    }

    @Test("sends the token to the API as a bearer token")
    func request() throws {
        #expect(ask(GitHubAnswers.user("octocat")) == .account(names: ["octocat"], id: 1))
        let sent = try #require(transport.requests.first)
        #expect(sent.method == "GET" && sent.address == "https://api.github.com/user")
        #expect(sent.authorization == "Bearer gho_1" && sent.accept == "application/vnd.github+json")
        #expect(sent.body.isEmpty)
    }

    @Test("distinguishes a dead token from a server that cannot answer or be reached, and reports Ctrl-C")
    func rejected() {
        #expect(ask(GitHubAnswers.badCredentials) == .rejected)
        #expect(ask(.page(status: 401)) == .rejected)
        #expect(ask(.page(status: 500)) == .unknown())
        #expect(ask(.json(#"{"message":"rate limit"}"#, status: 403)) == .unknown())
        #expect(ask(.json(#"{"login":"octocat"}"#, status: 302)) == .unknown())
        transport.fail(.timedOut)
        #expect(ask() == .unknown(.timedOut))
        transport.fail(.interrupted)
        #expect(ask() == .interrupted)
    }

    @Test(
        "accepts every kind of name on GitHub, and none with control characters or other signs",
        arguments: [
            (#""monalisa""#, "monalisa"), (#""up_the_irons""#, "up_the_irons"), (#""a-b""#, "a-b"), (#""x.y""#, "x.y"),
            (#""Octo-Cat_acme""#, "Octo-Cat_acme"), (#""web-flow""#, "web-flow"), (#""""#, nil), (#""a b""#, nil),
            (#""a\nquit=1""#, nil), (#""\u001b[2K""#, nil), (#""ünicode""#, nil), (#""a/b""#, nil), (#""a@b""#, nil),
            ("5", nil), ("null", nil), ("\"" + String(repeating: "a", count: 256) + "\"", nil),
        ] as [(String, String?)])
    func names(json: String, name: String?) {
        #expect(ask(.json(#"{"login":\#(json),"id":1}"#)) == (name.map { .account(names: [$0], id: 1) } ?? .unknown()))
    }

    @Test(
        "accepts an installation's token only if the host lists its repositories",
        arguments: [(200, .account(names: ["x-access-token"])), (401, .rejected), (403, .unknown())] as [(Int, Holder)])
    func installation(status: Int, holder: Holder) {
        transport.answer(.json("{}", status: status))
        #expect(GitHub(host).holder(of: Secret("ghs_1"), over: transport) == holder)
        #expect(transport.requests.first?.address == "https://api.github.com/installation/repositories?per_page=1")
    }
}

@Suite("Revocation at GitHub")
struct GitHubRevocationTests {
    private let github = SignInHost(builtIn: HostName(name: "github.com"))

    private func send(_ tokens: [String], to host: SignInHost?, over transport: ScriptedTransport) throws
        -> RevocationOutcome
    {
        GitHub(try #require(host)).revoke(
            tokens.map { RevocableGrant(accessToken: Secret($0), refreshToken: nil, client: nil) }, over: transport)
    }

    @Test("revokes access and refresh token in one request without authentication")
    func bothTokens() throws {
        let transport = ScriptedTransport(HTTPResponse(status: 202))
        #expect(try send(["ghu_a", "ghr_b"], to: github, over: transport) == .accepted)
        let request = try #require(transport.requests.first)
        #expect(request.method == "POST" && request.address == "https://api.github.com/credentials/revoke")
        #expect(request.body == #"{"credentials":["ghu_a","ghr_b"]}"#)
        #expect(request.authorization == nil)
    }

    @Test(
        "reports any status but 202 as a refusal, and distinguishes a transport error from it",
        arguments: [200, 204, 302, 403, 422, 429, 500])
    func refused(status: Int) throws {
        let transport = ScriptedTransport(HTTPResponse(status: status))
        transport.fail(.timedOut)
        #expect(try send(["gho_a"], to: github, over: transport) == .refused(status: status))
        #expect(try send(["gho_a"], to: github, over: transport) == .failed(.timedOut))
    }

    @Test(
        "lets an installation's token revoke itself, and reports one that stays valid",
        arguments: [(204, .accepted), (401, .accepted), (500, .refused(status: 500))] as [(Int, RevocationOutcome)])
    func installation(status: Int, outcome: RevocationOutcome) throws {
        let transport = ScriptedTransport(HTTPResponse(status: status))
        #expect(try send(["ghs_a"], to: github, over: transport) == outcome)
        #expect(transport.requests.first?.address == "https://api.github.com/installation/token")
        #expect(transport.requests.first?.authorization == "Bearer ghs_a")
    }

    @Test("sends nothing if the host has no such endpoint, not even to github.com")
    func unsupported() throws {
        let enterprise = SignInHost(configured: HostName(name: "ghe.example"), provider: .github)
        let cloud = SignInHost(builtIn: HostName(name: "octo.ghe.com"))
        let transport = ScriptedTransport()
        #expect(try send(["gho_a"], to: enterprise, over: transport) == .unsupported)
        #expect(try send(["gho_a"], to: cloud, over: transport) == .unsupported)
        #expect(transport.requests.isEmpty)
    }

    @Test("does not send a password that is no token", arguments: ["", "a b", "q\"", "b\\", "ü"])
    func notAToken(password: String) { #expect(!Secret(Array(password.utf8)).isToken) }
}

@Suite("Names that no account can have")
struct NobodysNameTests {
    @Test(
        "refuses each service's forbidden characters and lengths, and reserved words in any letter case",
        arguments: [
            (ProviderID.github, "-_", 39), (.gitlab, "-_.", 255), (.gitea, "-_.", 40),
            (.oidc, "!\"#$%&'()*+,-./;<=>?@[\\]^_`{|}~", 255),
        ])
    func names(id: ProviderID, signs: String, longest: Int) throws {
        let facts = try #require(SignInHost(configured: HostName(name: "git.example"), provider: id)).provider.facts
        func isNobodys(_ name: String) -> Bool { facts.isNobodys(Array(name.utf8)) }
        for byte in UInt8.min...UInt8.max {
            let isAllowed = ASCII.isLetterOrDigit(byte) || signs.utf8.contains(byte)
            #expect(facts.isNobodys([UInt8(ascii: "a"), byte]) != isAllowed, "\(byte)")
        }
        let longestName = String(repeating: "a", count: longest)
        #expect(!isNobodys(longestName) && isNobodys(longestName + "a") && isNobodys(""))
        for word in ["git", "Git", "oauth2", "OAuth2", "x-access-token", facts.anyUsername] { #expect(isNobodys(word)) }
        for word in ["gi", "gits", "oauth", "octocat"] { #expect(!isNobodys(word)) }
    }
}
