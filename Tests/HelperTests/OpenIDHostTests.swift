import TestSupport
import Testing

@Suite("A host whose tokens an OpenID server issues")
struct OpenIDHostTests: HelperSuite {
    let helper = HelperFixture()
    private static let issuer = "https://id.example"
    init() { configureOpenID() }

    private func get() throws -> String { try get(host: "git.example") }

    private func stored(issuer: String?, expiresIn seconds: Int64) {
        helper.stored(
            expiresIn: seconds, refreshToken: "refresh", clientID: "c", host: "git.example", password: "old",
            issuer: issuer)
    }

    private func approve(_ claims: String = #"{"sub":"7","preferred_username":"octocat"}"#) {
        respond(
            .json(
                """
                {"device_code":"d","user_code":"AAAA-BBBB","verification_uri":"https://id.example/go","expires_in":900}
                """))
        respond(.json(#"{"access_token":"new","token_type":"bearer","expires_in":3600,"refresh_token":"r2"}"#))
        respond(.json(claims))
    }

    @Test("shows the issuer's page, and stores the issuer with the grant")
    func signIn() throws {
        discover()
        approve()
        #expect(try get().contains("username=octocat\npassword=new"))
        #expect(prompts.first?.approval.address.text == "https://id.example/go")
        // The prompt names the host where the person signs in.
        #expect(prompts.first?.host == "id.example" && prompts.first?.providerName == "git.example")
        #expect(try #require(doubles.keyring.items.first?.secret?.text).contains("gitspace_issuer=https://id.example"))
        #expect(requests.allSatisfy { $0.address.hasPrefix("https://id.example/") })
    }

    @Test("revokes only the access token of a wrong account, because the refresh token is a session's")
    func takenBack() throws {
        discover()
        approve()
        respond(.json(""))
        #expect(try get(as: "alice", host: "git.example") == "quit=1\n")
        let place = AccountRequest.repository(.folder(nil), remote: "origin", "git.example/OWNER/REPOSITORY")
        #expect(doubles.errors == [.wrongAccount(asked: "alice", got: "octocat", host: "git.example", place)])
        #expect(doubles.transport.isExhausted)
        #expect(requests.filter { $0.address == "https://id.example/revoke" }.map { $0["token"] } == ["new"])
    }

    @Test("accepts each name of an account", arguments: ["octocat", "OctoCat", "mona", "mona@id.example", "7"])
    func names(asked: String) throws {
        discover()
        approve(
            #"{"sub":"7","preferred_username":"octocat","nickname":"mona","email":"mona@id.example","name":"Mallory"}"#)
        #expect(try get(as: asked, host: "git.example").hasPrefix("username=\(asked)\n"))
    }

    @Test("reaches the issuer and another endpoint with git's settings for their hosts")
    func transport() throws {
        doubles.configure("http", nil, "proxy", "http://proxy.example")
        doubles.configure("http", "https://id.example", "proxy", "")
        doubles.configure("credential", "https://git.example", "oauthTokenURL", "https://t.example:8443/token")
        doubles.configure("http", "https://t.example:8443", "proxy", "p")
        let resolver = ContextResolver(with: .forTests(doubles))
        let context = try #require(try resolver.signInContext(of: HostName(name: "git.example")))
        #expect(context.transport.proxy == "http://proxy.example")
        #expect(context.transport.others.mapValues(\.proxy) == ["id.example": "", "t.example:8443": "p"])
    }

    @Test("discovers the endpoints before it takes the lock, and names the issuer in an error of a refresh")
    func discoveryComesFirst() throws {
        stored(issuer: Self.issuer, expiresIn: -10)
        discover()
        respond(.page(status: 502))
        #expect(try get() == "quit=1\n" && doubles.errors == [.serverInTrouble(host: "id.example", status: 502)])
        discover()
        respond(.json(#"{"access_token":"new","token_type":"bearer","expires_in":3600,"refresh_token":"r2"}"#))
        #expect(try get().contains("password=new"))
        let events = doubles.journal.entries
        let discovery = try #require(events.firstIndex { $0.contains("openid-configuration") })
        let lock = try #require(events.firstIndex(of: "lock"))
        #expect(discovery < lock)
    }

    @Test("does not send a refresh token of another issuer to this one", arguments: ["https://former.example", nil])
    func formerIssuer(issuer: String?) throws {
        stored(issuer: issuer, expiresIn: 100)
        discover()
        #expect(try get().contains("password=old") && requests.count == 1)
    }

    @Test("does not send another tenant's refresh token, and explains the new sign-in")
    func formerTenant() throws {
        stored(issuer: Self.issuer + "/former", expiresIn: -10)
        discover()
        discover()
        approve()
        #expect(try get().contains("password=new"))
        #expect(requests.allSatisfy { $0["refresh_token"] == nil })
        #expect(notices.contains(.issuedElsewhere(host: "git.example", now: "id.example")))
    }

    @Test(
        "sends a refresh token without a stored origin only to the issuer's own host",
        arguments: [("https://id.example/token", true), ("https://tokens.example/token", false)])
    func originOfIssuer(endpoint: String, isSent: Bool) throws {
        doubles.configure("credential", "https://git.example", "oauthTokenURL", endpoint)
        stored(issuer: Self.issuer, expiresIn: -10)
        discover()
        if isSent {
            respond(.json(#"{"access_token":"new","token_type":"bearer","expires_in":3600,"refresh_token":"r2"}"#))
        } else {
            discover()
            approve()
        }
        #expect(try get().contains("password=new"))
        #expect(requests.contains { $0["refresh_token"] == "refresh" } == isSent)
        let origin = try #require(credential()?.grant?.tokenOrigin)
        #expect(endpoint == origin + "/token")
    }

    @Test("keeps the token if discovery fails, and returns a valid one", arguments: [100, -10] as [Int64])
    func discoveryFails(seconds: Int64) throws {
        stored(issuer: Self.issuer, expiresIn: seconds)
        doubles.transport.fail(.unreachable)
        let before = doubles.keyring.items.map(\.secret)
        let answer = try get()
        #expect(seconds > 0 ? answer.contains("password=old\n") : answer == "quit=1\n")
        #expect(doubles.keyring.items.map(\.secret) == before)
        let failure = UserFacingError.discovery(
            .transport(.unreachable), issuer: "https://id.example", host: "git.example")
        if seconds < 0 { #expect(doubles.errors == [failure]) }
    }

    @Test("check sends the token as git does, and names who rejects it", arguments: [nil, "Bearer"] as [String?])
    func check(authtype: String?) throws {
        var credential = StoredCredential(
            username: Array("octocat".utf8), password: Secret("old"), passwordExpiryUTC: RecordingClock.start + 3_600,
            grant: .init(clientID: "c", issuer: Self.issuer))
        credential.authtype = authtype.map { Array($0.utf8) }
        doubles.keyring.put(credential, for: "git.example")
        discover()
        respond(.json(#"{"sub":"7","preferred_username":"octocat"}"#), .page(status: 401))
        let byHost = try verb.check("https://git.example/acme/x")
        let sent = try #require(requests.last)
        #expect(sent.address == "https://git.example/acme/x/info/refs?service=git-upload-pack")
        #expect(sent.authorization == (authtype == nil ? "Basic octocat:old" : "Bearer old"))
        #expect(byHost["text"] == "git.example rejected the token of octocat, which id.example accepts")
        let setting = "credential.https://git.example.gitspaceAuthType \(authtype == nil ? "bearer" : "basic")"
        #expect(byHost.hints.contains("  git config --global \(setting)"), "\(byHost.hints)")
        discover()
        respond(.page(status: 401))
        #expect(try verb.check("https://git.example/acme/x")["text"] == "id.example rejected the token of octocat")
        #expect(doubles.transport.isExhausted)
    }

    @Test("logout names the server that refused to revoke")
    func refusedRevocation() throws {
        stored(issuer: Self.issuer, expiresIn: 3_600)
        discover()
        respond(.page(status: 503))
        _ = try verb.run("logout", "git.example", "octocat", "--revoke")
        let kept = "could not revoke the token of octocat, so it was kept in the keyring: "
        #expect(sentences.last == kept + "id.example refused the request (status 503)")
    }

    @Test("reports an unusable key, and a git that cannot send Bearer, before anybody is asked")
    func key() throws {
        doubles.configure("credential", "https://git.example", "oauthClientKey", "/keys/client.pem")
        doubles.keyFault = .accessibleToOthers
        discover()
        #expect(try get() == "quit=1\n")
        #expect(doubles.errors == [SigningKeyError.accessibleToOthers.words("/keys/client.pem")] && requests.count == 1)
        doubles.configure("credential", "https://git.example", "gitspaceAuthType", "bearer")
        #expect(try get().isEmpty && doubles.errors.last == .gitLacksAuthtype(host: "git.example"))
        #expect(requests.count == 1 && prompts.isEmpty)
    }

    @Test(
        "names the issuer as an assertion's audience, or the endpoint if configured",
        arguments: [nil, "endpoint"] as [String?])
    func audience(setting: String?) throws {
        doubles.configure("credential", "https://git.example", "oauthClientKey", "/keys/client.pem")
        if let setting { doubles.configure("credential", "https://git.example", "oauthAssertionAudience", setting) }
        discover()
        respond(.json(#"{"error":"access_denied"}"#, status: 400))
        #expect(try get() == "quit=1\n")
        let request = try #require(requests.last)
        let assertion = try #require(request["client_assertion"])
        let payload = try #require(Base64URL.decode(assertion.utf8.split(separator: UInt8(ascii: "."))[1]))
        let audience = JSONValue(parsing: payload)?["aud"]?.string.map { String(decoding: $0, as: UTF8.self) }
        #expect(audience == (setting == nil ? "https://id.example" : request.address))
        #expect(request.address == "https://id.example/device")
    }

    /// Queues the answers up to the token, which has this ID token.
    private func approve(idToken: String) {
        respond(
            .json(
                """
                {"issuer":"https://id.example","token_endpoint":"https://id.example/token",\
                "device_authorization_endpoint":"https://id.example/device","jwks_uri":"https://id.example/keys",\
                "userinfo_endpoint":"https://id.example/me"}
                """))
        respond(.json(#"{"device_code":"d","user_code":"AAAA-BBBB","verification_uri":"https://id.example/go"}"#))
        respond(.json(#"{"access_token":"new","token_type":"bearer","id_token":"\#(idToken)"}"#))
    }

    private func expectRefusal(_ reason: IDTokenError) throws {
        #expect(try get() == "quit=1\n")
        let words = UserFacingError.signIn(
            .untrustedIdentity(reason), host: "git.example", at: "id.example", clientID: "c")
        #expect(doubles.errors.last == words && doubles.keyring.items.isEmpty && doubles.transport.isExhausted)
    }

    @Test("stores nothing if the ID token fails a check, or without its keys, which are requested three times")
    func idToken() throws {
        // The header is {"alg":"none"}.
        approve(idToken: "eyJhbGciOiJub25lIn0.e30.")
        try expectRefusal(.signature(.refusedAlgorithm("none")))
        let now = RecordingClock.start
        let claims = #"{"iss":"https://id.example","aud":"c","sub":"7","iat":\#(now),"exp":\#(now + 300)}"#
        let parts = [Array(#"{"alg":"ES256"}"#.utf8), Array(claims.utf8), [UInt8](repeating: 1, count: 64)]
        approve(idToken: parts.map { String(decoding: Base64URL.encode($0), as: UTF8.self) }.joined(separator: "."))
        doubles.transport.fail(.timedOut)
        respond(.json("", status: 503))
        doubles.transport.fail(.unreachable)
        try expectRefusal(.keysUnavailable)
    }

    @Test("takes the name in an Azure DevOps address as an organization, not as the account")
    func organization() throws {
        let azure = "https://dev.azure.com"
        doubles.configure("credential", azure, ["provider": "oidc", "oauthClientId": "c", "oauthIssuer": Self.issuer])
        func get(_ organization: String) throws -> String { try self.get(as: organization, host: "dev.azure.com") }
        // This token is for the organization `acme` alone.
        helper.brought("pasted", host: "dev.azure.com", user: "acme")
        discover()
        approve(#"{"sub":"7","preferred_username":"alice@corp.test"}"#)
        #expect(try get("other").contains("username=alice@corp.test\npassword=new"))
        // The sign-in is for every organization except one with a pasted token.
        #expect(try get("third").contains("username=alice@corp.test\npassword=new"))
        #expect(try get("acme").contains("username=acme\npassword=pasted") && prompts.count == 1)
    }

    @Test("reports a missing ID token if the person does not allow openid, and stores nothing")
    func noIDToken() throws {
        discover()
        approve()
        doubles.transport.aside = { $0.address == "https://id.example/me" ? .json("{}", status: 401) : nil }
        #expect(try get() == "quit=1\n")
        let words = UserFacingError.signIn(.noIDToken, host: "git.example", at: "id.example", clientID: "c")
        #expect(doubles.errors == [words])
        #expect(doubles.keyring.items.isEmpty)
    }
}
