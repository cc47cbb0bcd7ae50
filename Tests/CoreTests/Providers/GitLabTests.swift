import TestSupport
import Testing

@testable import Providers

@Suite("GitLab's addresses and tokens")
struct GitLabTests {
    private func host(_ text: String = "gitlab.com") throws -> SignInHost {
        let name = try #require(HostName(Array(text.utf8)))
        return try #require(SignInHost(builtIn: name) ?? SignInHost(configured: name, provider: .gitlab))
    }

    @Test(
        "uses the host itself for OAuth and the API",
        arguments: [("gitlab.com", "https://gitlab.com"), ("git.example:8443", "https://git.example:8443")])
    func endpoints(name: String, origin: String) throws {
        let host = try host(name)
        #expect(host.provider is GitLab)
        let client = try OAuthClient(id: "c", of: host)
        #expect(client.server.deviceAuthorization?.text == origin + "/oauth/authorize_device")
        #expect(client.server.token.text == origin + "/oauth/token")
        #expect(client.server.revocation?.text == origin + "/oauth/revoke")
        #expect(client.scopes == "read_repository write_repository read_user" && !client.authentication.isPresent)
        let transport = ScriptedTransport(GitLabAnswers.user("monalisa"))
        #expect(GitLab(host).holder(of: Secret("t"), over: transport) == .account(names: ["monalisa"], id: 1))
        #expect(transport.requests.map(\.address) == [origin + "/api/v4/user"])
        #expect(transport.requests.map(\.authorization) == ["Bearer t"])
        #expect(GitLab(host).reachAddresses.allSatisfy { $0.isSameOrigin(as: host.origin) })
    }

    @Test(
        "asks git's own protocol about a token that lacks a scope of the API, and reports Ctrl-C",
        arguments: [
            (.success(HTTPResponse(status: 401)), .rejected), (.success(HTTPResponse(status: 404)), .good),
            (.failure(.unreachable), .unknown(.unreachable)), (.failure(.interrupted), .interrupted),
        ] as [(Result<HTTPResponse, TransportError>, Holder)])
    func insufficientScope(git: Result<HTTPResponse, TransportError>, holder: Holder) throws {
        let transport = ScriptedTransport(GitLabAnswers.error("insufficient_scope", status: 403))
        transport.answer(git)
        #expect(GitLab(try host()).holder(of: Secret("t"), over: transport) == holder)
        #expect(transport.isExhausted && transport.requests.last?.authorization == "Basic oauth2:t")
        let refused = ScriptedTransport(.json("{}", status: 403))
        #expect(GitLab(try host()).holder(of: Secret("t"), over: refused) == .unknown())
    }

    @Test(
        "has each page on the same host",
        arguments: [
            (
                .newToken, nil,
                "/-/user_settings/personal_access_tokens?name=git&scopes=read_repository,write_repository,read_user"
            ), (.access, "5ecc", "/-/user_settings/applications"),
            (.access, "\u{1b}[2J", "/-/user_settings/applications"),
            (.access, nil, "/-/user_settings/personal_access_tokens"),
            (.repository, "acme/tools/widgets", "/acme/tools/widgets"),
            (.branchRules, "acme/widgets", "/acme/widgets/-/branches"),
            (.singleSignOn, "acme", "/groups/acme/-/saml/sso"), (.approval, nil, nil), (.installations, nil, nil),
        ] as [(ProviderPage, String?, String?)])
    func pages(page: ProviderPage, name: String?, path: String?) throws {
        let found = GitLab(try host("git.example:8443")).page(page, name)?.text
        #expect(found == path.map { "https://git.example:8443" + $0 })
    }

    @Test("registers an application in the person's settings with only these scopes")
    func registration() throws {
        let registration = try #require(GitLab(host("git.example")).registration(of: .oauthApp))
        #expect(registration.page.text == "https://git.example/-/user_settings/applications")
        #expect(registration.form == .gitLabApplication)
        #expect(GitLab.facts.scopes == "read_repository write_repository read_user")
        #expect(try GitLab(host()).registration(of: .gitHubApp) == nil)
    }

    @Test(
        "takes groups of groups as a project's path, and ends it at `/-/`",
        arguments: [
            ("acme/widgets", "acme/widgets"), ("acme/tools/sub/widgets", "acme/tools/sub/widgets"),
            ("acme/tools/widgets/-/tree/main/src", "acme/tools/widgets"), ("acme/-/settings", nil), ("acme", nil),
            ("-/user_settings", nil),
        ] as [(String, String?)])
    func names(path: String, name: String?) throws {
        #expect(try GitLab(host()).repositoryName(path.split(separator: "/").map(String.init)) == name)
    }

    @Test("takes the scope api as containing git's, and write_repository as containing read_repository")
    func scopes() {
        let included = GitLab.facts.includedScopes
        #expect(included["api"]?.contains("write_repository") == true)
        #expect(included["write_repository"] == ["read_repository"])
    }

    // MARK: What is told about a token

    private func details(_ answer: HTTPResponse) throws -> TokenDetails? {
        let transport = ScriptedTransport(answer)
        let details = try GitLab(try host()).details(of: Secret("t"), over: transport)
        #expect(transport.requests.map(\.address) == ["https://gitlab.com/oauth/token/info"])
        return details
    }

    @Test("reads the scopes and the expiry of an application's token")
    func tokenInfo() throws {
        let info = #"{"resource_owner_id":1,"scope":["read_user","api"],"expires_in":7100,"created_at":1575890427}"#
        #expect(try details(.json(info)) == TokenDetails(scopes: "read_user api", expiresIn: 7_100))
        let endless = #"{"scope":["api"],"expires_in":null}"#
        #expect(try details(.json(endless)) == TokenDetails(scopes: "api", expiresIn: nil))
    }

    @Test("reports no details of a token without an application, but throws Ctrl-C", arguments: [400, 401, 404, 500])
    func personalToken(status: Int) throws {
        #expect(try details(GitLabAnswers.error("invalid_request", status: status)) == nil)
        let (gitLab, transport) = (GitLab(try host()), ScriptedTransport())
        transport.fail(.interrupted)
        #expect(throws: TransportError.interrupted) { try gitLab.details(of: Secret("t"), over: transport) }
    }

    @Test(
        "ignores malformed scopes and expiries",
        arguments: [
            #"{"scope":"api","expires_in":"soon"}"#, #"{"scope":["api\n"],"expires_in":-5}"#,
            #"{"scope":[1,"api"],"expires_in":[]}"#, #"{"scope":["a b"]}"#, #"{"scope":{"api":true}}"#,
            #"{"scope":["\u001b[2J"]}"#, "{}",
        ])
    func lies(body: String) throws { #expect(try details(.json(body)) == TokenDetails(scopes: nil, expiresIn: nil)) }

    @Test("ignores a body that is no object", arguments: ["[]", "null", "", "{", #"{"scope":[],"scope":[]}"#])
    func malformed(body: String) throws { #expect(try details(.json(body)) == nil) }

    // MARK: Sign-in, in GitLab's words

    @Test(
        "reads the errors of the device flow",
        arguments: [
            (GitLabAnswers.error("invalid_client", status: 401), .clientConfidential),
            (GitLabAnswers.error("unauthorized_client", status: 401), .deviceFlowUnsupported),
            (
                GitLabAnswers.error("invalid_scope", status: 400),
                .invalidScope("read_repository write_repository read_user")
            ), (.page(status: 404), .deviceFlowUnsupported), (.page(status: 502), .unavailable(status: 502)),
            (GitLabAnswers.device(host: "evil.example"), .foreignAddress),
        ] as [(HTTPResponse, SignInError)])
    func codeRefused(answer: HTTPResponse, error: SignInError) throws {
        let client = try OAuthClient(id: "c", of: host())
        #expect(throws: error) { try client.requestCode(over: ScriptedTransport(answer)) }
    }

    @Test("limits a code to five minutes, and adds five seconds after a `slow_down` without an interval")
    func polling() throws {
        let transport = ScriptedTransport(GitLabAnswers.device(), GitLabAnswers.slowDown, GitLabAnswers.token)
        let client = try OAuthClient(id: "c", of: host())
        let code = try client.requestCode(over: transport)
        #expect(code.expiresIn == 300 && code.verificationURI.text == "https://gitlab.com/oauth/device")
        var polling = Polling(interval: code.interval)
        _ = try client.poll(code, &polling, deadline: 1_000_000, over: transport)
        #expect(polling.interval == 10)
        guard case .approved(let token) = try client.poll(code, &polling, deadline: 1_000_000, over: transport) else {
            Issue.record("no token")
            return
        }
        #expect(token.expiresIn == 7_200 && token.scope == "read_repository write_repository read_user")
        #expect(token.refreshToken != nil && token.refreshTokenExpiresIn == nil)
    }
}

@Suite("Revocation at GitLab")
struct GitLabRevocationTests {
    private func revoke(
        _ transport: ScriptedTransport, access: String? = "acc", refresh: String? = "ref", isPersonal: Bool = false
    ) throws -> RevocationOutcome {
        let host = try #require(SignInHost(builtIn: HostName(name: "gitlab.com")))
        let grant = RevocableGrant(
            accessToken: access.map { Secret($0) }, refreshToken: refresh.map { Secret($0) },
            client: isPersonal ? nil : try OAuthClient(id: "app", of: host))
        return GitLab(host).revoke([grant], over: transport)
    }

    @Test("revokes the refresh token first, then the access token, with the client ID")
    func order() throws {
        let transport = ScriptedTransport(.json("{}"), .json("{}"))
        #expect(try revoke(transport) == .accepted)
        #expect(transport.requests.map(\.body) == ["client_id=app&token=ref", "client_id=app&token=acc"])
        #expect(
            transport.requests.allSatisfy { $0.address == "https://gitlab.com/oauth/revoke" && $0.method == "POST" })
        #expect(transport.requests.allSatisfy { $0.authorization == nil })
    }

    @Test("skips an access token that `erase` has emptied")
    func dropped() throws {
        let transport = ScriptedTransport(HTTPResponse(status: 200))
        #expect(try revoke(transport, access: "") == .accepted)
        #expect(transport.requests.map(\.body) == ["client_id=app&token=ref"])
    }

    /// The endpoint would return success, and the token would stay valid.
    @Test("does not send a token that a person created")
    func personal() throws {
        #expect(try revoke(ScriptedTransport(), refresh: nil, isPersonal: true) == .unsupported)
    }

    @Test(
        "stops at the first refusal, and distinguishes a transport error from it",
        arguments: [302, 400, 401, 403, 404, 429, 500, 503])
    func refused(status: Int) throws {
        #expect(try revoke(ScriptedTransport(.json("{}", status: status))) == .refused(status: status))
        #expect(try revoke(ScriptedTransport(.json("{}"), .json("{}", status: status))) == .refused(status: status))
        let transport = ScriptedTransport(.json("{}"))
        transport.fail(.timedOut)
        #expect(try revoke(transport) == .failed(.timedOut))
    }

    @Test("takes a 200 without a body as success, whatever its type")
    func empty() throws {
        let empty = HTTPResponse(status: 200, headers: [("content-type", Array("text/html; charset=UTF-8".utf8))])
        #expect(try revoke(ScriptedTransport(empty, empty)) == .accepted)
    }

    @Test("takes a page, or an error with status 200, as a failure")
    func lies() throws {
        #expect(try revoke(ScriptedTransport(.page(status: 200))) == .refused(status: 200))
        let error = GitLabAnswers.error("unsupported_token_type", status: 200)
        #expect(try revoke(ScriptedTransport(error)) == .refused(status: 200))
    }
}
