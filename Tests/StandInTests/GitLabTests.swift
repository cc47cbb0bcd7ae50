import FoundationEssentials
import StandIn
import Testing

@Suite("GitLab, as it answers")
struct GitLabTests {
    private let clock = ManualClock()
    private let app = App.gitLabApplication()
    private let base = "https://gitlab.com"

    private func start() async throws -> (StandIn, Client) {
        let server = try await StandIn.start(.gitLab, clock: { [clock] in clock.now })
        server.register(app)
        return (server, Client(github: server))
    }

    private func post(_ client: Client, _ path: String, _ form: String) async throws -> (body: String, status: String) {
        try await client.curl("--data", "client_id=\(app.clientID)&\(form)", base + path)
    }

    @Test("a sign-in: pending by 400, slow_down without an interval, then a token of two hours")
    func signIn() async throws {
        let (server, client) = try await start()
        server.nextSignIn(.approve(as: "monalisa", afterPendingPolls: 1))
        let scope = "scope=read_repository%20read_user"
        let device = try await post(client, "/oauth/authorize_device", scope).body
        #expect(device.contains(#""verification_uri":"https://gitlab.com/oauth/device","#))
        #expect(device.contains(#""expires_in":300,"interval":5"#) && device.contains("?user_code="))
        #expect(server.newestUserCode?.count == 8)
        let grant = "grant_type=urn:ietf:params:oauth:grant-type:device_code"
        let poll = "\(grant)&device_code=\(server.issuedSecrets.first ?? "")"
        let pending = try await post(client, "/oauth/token", poll)
        #expect(pending.status == "400" && pending.body.contains(#""error":"authorization_pending""#))
        let early = try await post(client, "/oauth/token", poll)
        #expect(early.status == "400" && early.body.contains("slow_down") && !early.body.contains("interval"))
        clock.advance(10)
        let granted = try await post(client, "/oauth/token", poll)
        #expect(granted.status == "200" && granted.body.contains(#""token_type":"Bearer","expires_in":7200,"#))
        #expect(granted.body.contains(#""scope":"read_repository read_user","created_at":1700000010"#))
        let token = try #require(server.tokens.last)
        #expect(token.accessToken.count == 64 && token.refreshToken?.count == 64)
        let user = try await client.curl("--oauth2-bearer", token.accessToken, base + "/api/v4/user")
        #expect(user.body.contains(#""username":"monalisa""#))
        let info = try await client.curl("--oauth2-bearer", token.accessToken, base + "/oauth/token/info").body
        #expect(info.contains(#""scope":["read_repository","read_user"],"expires_in":7200,"#))
        await server.stop()
    }

    @Test("refusals come with 400, and with 401 where they are about the client")
    func refusals() async throws {
        let (server, client) = try await start()
        let unknown = try await client.curl("--data", "client_id=x", base + "/oauth/authorize_device")
        #expect(unknown.status == "401" && unknown.body.contains(#""error":"invalid_client""#))
        var narrow = app
        narrow.allowedScopes = ["read_user"]
        server.register(narrow)
        let scope = try await post(client, "/oauth/authorize_device", "scope=api")
        #expect(scope.status == "400" && scope.body.contains(#""error":"invalid_scope""#))
        let grant = try await post(client, "/oauth/token", "grant_type=refresh_token&refresh_token=x")
        #expect(grant.status == "400" && grant.body.contains(#""error":"invalid_grant""#))
        #expect(try await client.curl("https://gitlab.com/login/device/code").status == "404")
        await server.stop()
    }

    @Test("a refresh spends both old tokens; a revocation takes both along, and says yes to any")
    func endOfTokens() async throws {
        let (server, client) = try await start()
        let old = server.issueToken(for: "monalisa", app: app)
        let refresh = "grant_type=refresh_token&refresh_token=\(old.refreshToken ?? "")"
        #expect(try await post(client, "/oauth/token", refresh).status == "200")
        #expect(!server.isLive(old.accessToken))
        #expect(try await post(client, "/oauth/token", refresh).status == "400")
        #expect(server.refreshTokenReuses == 1)
        let new = try #require(server.tokens.last)
        let stranger = try await client.curl("--data", "client_id=x&token=\(new.accessToken)", base + "/oauth/revoke")
        #expect(stranger.status == "403" && server.isLive(new.accessToken))
        #expect(try await post(client, "/oauth/revoke", "token=nonsense").body == "{}")
        #expect(try await post(client, "/oauth/revoke", "token=\(new.refreshToken ?? "")").status == "200")
        #expect(!server.isLive(new.accessToken))
        #expect(try await client.curl("--oauth2-bearer", new.accessToken, base + "/oauth/token/info").status == "401")
        await server.stop()
    }

    @Test("a project in groups of groups, by the API and by git, with the scopes of each")
    func project() async throws {
        let (server, client) = try await start()
        try server.createRepository("acme/tools/widgets", readers: ["bob"], writers: ["monalisa"])
        let address = base + "/acme/tools/widgets.git"
        let api = base + "/api/v4/projects/acme%2Ftools%2Fwidgets"
        func token(_ login: String, _ scopes: String...) -> String {
            server.issueToken(for: login, app: app, scopes: scopes).accessToken
        }
        func refs(_ service: String, _ token: String) async throws -> (body: String, status: String) {
            try await client.curl("--user", "oauth2:\(token)", "\(address)/info/refs?service=\(service)")
        }
        let writer = token("monalisa", "write_repository")
        #expect(try await client.curl("--oauth2-bearer", writer, api).body.contains("insufficient_scope"))
        let told = try await client.curl("--oauth2-bearer", token("monalisa", "read_api"), api).body
        #expect(told.contains(#""path_with_namespace":"acme/tools/widgets""#) && told.contains(#""access_level":30"#))
        #expect(try await client.curl(api).status == "404")
        #expect(try await refs("git-receive-pack", writer).status == "200")
        let noScope = try await refs("git-receive-pack", token("monalisa", "read_repository"))
        #expect(noScope.status == "403" && noScope.body == "You are not allowed to upload code.")
        let noRight = try await refs("git-receive-pack", token("bob", "write_repository"))
        #expect(noRight.status == "403" && noRight.body == "You are not allowed to push code to this project.")
        #expect(try await refs("git-upload-pack", token("eve", "api")).status == "404")
        #expect(try await refs("git-upload-pack", "nonsense").status == "401")
        server.refuse("bob", at: "acme/tools/widgets", because: .singleSignOn)
        let session = try await refs("git-upload-pack", token("bob", "read_repository"))
        #expect(session.body.contains("https://gitlab.com/groups/acme/-/saml/sso?token="))
        let clone = try await client.git("ls-remote", address, password: writer)
        #expect(clone.status == 0 && clone.outputText.contains("refs/heads/main"))
        await server.stop()
    }
}
