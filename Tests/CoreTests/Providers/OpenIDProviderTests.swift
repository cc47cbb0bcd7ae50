import TestSupport
import Testing

@testable import Providers

@Suite("OpenID and OAuth servers")
struct OpenIDProviderTests {
    let provider: OpenIDProvider
    let transport = ScriptedTransport()

    init() throws {
        provider = OpenIDProvider(try #require(SignInHost(configured: HostName(name: "git.example"), provider: .oidc)))
    }

    static let issuer = "https://id.example/realms/r"

    static func document(_ more: String = "", issuer: String = issuer) -> HTTPResponse {
        .json(
            """
            {"issuer":"\(issuer)","token_endpoint":"\(issuer)/token","device_authorization_endpoint":"\(issuer)/device",\
            "jwks_uri":"\(issuer)/keys","userinfo_endpoint":"\(issuer)/me","revocation_endpoint":"\(issuer)/revoke"\(more)}
            """)
    }

    func configured(_ lines: [(key: String, value: String)]) throws -> SignInSettings {
        let entries = lines.map {
            ConfigurationEntry(
                section: "credential", subsection: "https://git.example", key: $0.key.lowercased(), value: $0.value)
        }
        let name = provider.host.name
        return try SignInSettings(Configuration(entries, for: name), host: name, environment: { _ in nil })
    }

    private func discovered(
        _ answers: HTTPResponse..., by lines: [(key: String, value: String)] = [("oauthIssuer", issuer)]
    ) throws -> (server: OAuthServer, asked: [String]) {
        let transport = ScriptedTransport()
        answers.forEach(transport.answer)
        let server = try provider.server(configured(lines), over: transport)
        #expect(transport.isExhausted)
        return (server, transport.requests.map(\.address))
    }

    @Test("asks the configured issuer, or else the host, at both addresses until a document names the token endpoint")
    func addresses() throws {
        let first = try discovered(Self.document())
        #expect(first.asked == ["https://id.example/realms/r/.well-known/openid-configuration"])
        #expect(first.server.token.text == "https://id.example/realms/r/token")
        #expect(first.server.revocation?.text == "https://id.example/realms/r/revoke")
        let second = try discovered(.json(String(repeating: " ", count: 1 << 17), status: 404), Self.document())
        #expect(second.asked.last == "https://id.example/.well-known/oauth-authorization-server/realms/r")
        #expect(try discovered(.json(#"{"issuer":"\#(Self.issuer)"}"#), Self.document()).asked == second.asked)
        let own = try discovered(Self.document(issuer: "https://git.example"), by: [])
        #expect(own.asked == ["https://git.example/.well-known/openid-configuration"])
    }

    @Test("distinguishes a server that is down from one without a sign-in", arguments: [429, 500, 503])
    func down(status: Int) {
        #expect(throws: DiscoveryError.unavailable(status: status)) {
            try discovered(.page(status: status), .page(status: status))
        }
        #expect(throws: DiscoveryError.absent) { try discovered(.page(status: 404), .json("{}", status: 404)) }
    }

    @Test("reports a web page or a refusal in place of the document, with its status", arguments: [200, 401, 403])
    func blocked(status: Int) {
        #expect(throws: DiscoveryError.blocked(status: status, isPage: true)) {
            try discovered(.page(status: status), .page(status: 404))
        }
        guard status != 200 else { return }
        #expect(throws: DiscoveryError.blocked(status: status, isPage: false)) {
            try discovered(.page(status: 404), .json("{}", status: status))
        }
    }

    @Test("prefers configured endpoints to the document, and trusts their host")
    func configuredEndpoints() throws {
        let both = [
            ("oauthDeviceAuthURL", "https://login.example/device"), ("oauthTokenURL", "https://login.example/token"),
        ]
        let alone = try discovered(by: both)
        #expect(alone.asked.isEmpty && alone.server.issuer == nil)
        let more =
            #", "revocation_endpoint":"https://login.example/revoke","userinfo_endpoint":"https://evil.example/"}"#
        let text = """
            {"issuer":"\(Self.issuer)","token_endpoint":"https://other.example/t"\(more)
            """
        let named = try discovered(.json(text), by: both + [("oauthIssuer", Self.issuer)])
        #expect(named.server.token.text == "https://login.example/token")
        #expect(named.server.revocation?.text == "https://login.example/revoke" && named.server.userinfo == nil)
        let foreign = text.replacing("login.example/revoke", with: "evil.example/revoke")
        #expect(try discovered(.json(foreign), by: both + [("oauthIssuer", Self.issuer)]).server.revocation == nil)
    }

    /// Returns the code of a device endpoint whose response has this page.
    private func code(from device: String, at page: String) throws -> DeviceAuthorization {
        let server = try discovered(
            by: [("oauthDeviceAuthURL", device), ("oauthTokenURL", "https://id.example/token")]).server
        let answer = HTTPResponse.json(
            #"{"device_code":"d","user_code":"AB12","verification_uri":"\#(page)","expires_in":900}"#)
        return try OAuthClient(id: "c", server: server).requestCode(over: ScriptedTransport(answer))
    }

    @Test("shows a sign-in page on another host only if it has the same owner")
    func verificationHosts() throws {
        let (entra, google) = (
            "https://login.microsoftonline.com/T/oauth2/v2.0/devicecode", "https://oauth2.googleapis.com/device/code"
        )
        let sovereign = "https://login.microsoftonline.us/T/oauth2/v2.0/devicecode"
        for (device, page) in [
            (entra, "https://www.microsoft.com/link"), (entra, "https://microsoft.com/devicelogin"),
            (sovereign, "https://microsoft.com/deviceloginus"), (google, "https://www.google.com/device"),
            ("https://id.example/device", "https://id.example/enter"),
        ] { #expect(try code(from: device, at: page).verificationURI.text == page) }
        for (device, page) in [
            (entra, "https://www.google.com/device"), (entra, "https://evil.example/link"),
            (sovereign, "https://login.microsoftonline.com/common/oauth2/deviceauth"),
            (entra, "https://www.microsoft.com:8443/link"), (entra, "https://www.microsoft.com.evil.example/link"),
            ("https://login.microsoftonline.com:8443/T/devicecode", "https://www.microsoft.com/link"),
            ("https://id.example/device", "https://www.microsoft.com/link"),
        ] { #expect(throws: SignInError.foreignAddress) { try code(from: device, at: page) } }
    }

    @Test(
        "refuses an issuer that is no https URL, or has a query or fragment",
        arguments: [
            "http://id.example", "id.example", "https://id.example/?a=b", "https://id.example/#a",
            "https://a@id.example",
        ])
    func malformedIssuer(text: String) {
        #expect(throws: DiscoveryError.malformedIssuer(DisplayText(untrusted: text.utf8))) {
            try discovered(by: [("oauthIssuer", text)])
        }
    }

    @Test(
        "refuses an issuer of all tenants before any request",
        arguments: ["common", "organizations/v2.0", "consumers/v2.0"])
    func tenants(path: String) {
        for server in ["login.microsoftonline.com", "login.microsoftonline.us"] {
            #expect(throws: DiscoveryError.tenantNeeded(DisplayText(trusted: server))) {
                try provider.server(configured([("oauthIssuer", "https://\(server)/\(path)")]), over: transport)
            }
        }
        #expect(transport.requests.isEmpty)
    }

    @Test("requests only those default scopes that the server lists")
    func scopes() throws {
        #expect(try discovered(Self.document()).server.scopes == "openid profile offline_access")
        let some = try discovered(Self.document(#","scopes_supported":["openid","email","profile"]"#))
        #expect(some.server.scopes == "openid profile")
    }

    @Test(
        "sends a secret in a header, and in the body if the server lists only that or refuses the header",
        arguments: [
            (#","token_endpoint_auth_methods_supported":["client_secret_basic"]"#, [.basic]),
            (
                #","token_endpoint_auth_methods_supported":["client_secret_post","client_secret_basic"]"#,
                [.basic, .body]
            ), (#","token_endpoint_auth_methods_supported":["client_secret_post"]"#, [.body]),
            (#","token_endpoint_auth_methods_supported":["private_key_jwt"]"#, [.basic, .body]),
            // RFC 8414, 2: without the list, the method is client_secret_basic.
            ("", [.basic]),
        ] as [(String, [SecretMethod])])
    func secret(members: String, methods: [SecretMethod]) throws {
        #expect(try discovered(Self.document(members)).server.secretMethods == methods)
    }

    @Test(
        "repeats the form once with the secret in the body if the header is refused and the server lists both",
        arguments: [
            ("invalid_client", [.basic, .body], 2), ("invalid_client", [.basic], 1), ("invalid_client", [.body], 1),
            ("unauthorized_client", [.basic, .body], 1),
        ] as [(String, [SecretMethod], Int)])
    func secondTry(error: String, methods: [SecretMethod], requests: Int) throws {
        var server = try discovered(Self.document()).server
        server.secretMethods = methods
        let refusal = HTTPResponse.json(#"{"error":"\#(error)"}"#, status: 401)
        transport.otherwise = refusal
        let client = OAuthClient(id: "c", authentication: .secret(Secret("s")), server: server)
        #expect(throws: OAuthFailure.self) { try client.exchange(.refreshToken(Secret("r")), over: transport) }
        #expect(transport.requests.count == requests)
        #expect(transport.requests.allSatisfy { $0["refresh_token"] == "r" && $0["client_id"] == "c" })
        let inBody = transport.requests.map { $0["client_secret"] == "s" && $0.authorization == nil }
        #expect(inBody == methods.prefix(requests).map { $0 == .body })
        transport.answer(refusal, .json(#"{"access_token":"a","token_type":"bearer"}"#))
        guard requests == 2 else { return }
        #expect(try client.exchange(.refreshToken(Secret("r")), over: transport).accessToken == Secret("a"))
    }

    // MARK: Who may see which token

    private func grant(_ client: OAuthClient?) -> RevocableGrant {
        RevocableGrant(accessToken: Secret("access"), refreshToken: Secret("refresh"), client: client)
    }

    private func client(_ authentication: ClientAuthentication = .none) throws -> OAuthClient {
        OAuthClient(id: "c", authentication: authentication, server: try discovered(Self.document()).server)
    }

    @Test("shows no token that the issuer has not issued")
    func foreignTokens() throws {
        #expect(provider.holder(of: Secret("pasted"), over: transport) == .unknown())
        #expect(provider.revoke([grant(nil), grant(try client())], over: transport) == .unsupported)
        #expect(transport.requests.isEmpty)
    }

    @Test("asks userinfo about the issuer's token, where 403 proves nothing, and revokes the refresh token first")
    func ownTokens() throws {
        let transport = ScriptedTransport(
            .json("{}", status: 401),
            .json(#"{"sub":"1","preferred_username":"octocat","nickname":"a b","email":"mona@example.com"}"#),
            .json(""), .json(""))
        let client = try client()
        #expect(provider.holder(of: Secret("access"), issuedTo: client, over: transport) == .rejected)
        #expect(
            provider.holder(of: Secret("access"), issuedTo: client, over: transport)
                == .account(names: ["octocat", "mona@example.com", "1"]))
        #expect(provider.revoke([grant(client)], over: transport) == .accepted)
        #expect(transport.requests.prefix(2).allSatisfy { $0.address == Self.issuer + "/me" })
        #expect(transport.requests[0].authorization == "Bearer access")
        #expect(transport.requests.suffix(2).map { $0["token"] } == ["refresh", "access"])
        transport.answer(.json("{}", status: 403))
        #expect(provider.holder(of: Secret("access"), issuedTo: client, over: transport) == .unknown())
    }

    @Test("signs a new assertion for each request and its endpoint")
    func assertions() throws {
        let transport = ScriptedTransport(.json(""), .json(""))
        let signed = try client(.assertion(ScriptedSignatures(), keyID: "k", now: { 1_000 }))
        #expect(provider.revoke([grant(signed)], over: transport) == .accepted)
        let assertions = transport.requests.compactMap { $0["client_assertion"] }
        #expect(Set(assertions).count == 2)
        for assertion in assertions {
            let payload = try #require(Base64URL.decode(assertion.utf8.split(separator: UInt8(ascii: "."))[1]))
            let claims = JSONValue(parsing: payload)
            #expect(claims?["aud"]?.string.map { String(decoding: $0, as: UTF8.self) } == Self.issuer + "/revoke")
            #expect(claims?["exp"] == .number("1180"))
        }
    }

    @Test("form-encodes the client ID and the secret before they go into a header")
    func basic() throws {
        let transport = ScriptedTransport(.json(""), .json(""))
        var client = try client(.secret(Secret("a b:c")))
        client.id = "c:1"
        _ = provider.revoke([grant(client)], over: transport)
        #expect(transport.requests.first?.authorization == "Basic c%3A1:a%20b%3Ac")
        #expect(transport.requests.first?["client_secret"] == nil)
    }

    // MARK: The repository

    @Test("check asks as git would, under either name, and takes no web page for git's answer")
    func repository() throws {
        let transport = ScriptedTransport(.json("", status: 404), .json(""), .json("", status: 403))
        let credential = StoredCredential(username: Array("mona".utf8), password: Secret("t"))
        let answer = try provider.repository("a/b", as: credential, over: transport)
        let rights = RepositoryRights(mayPush: false, missingScope: nil, workflows: .notSeparate, isArchived: false)
        #expect(answer == .reached(rights))
        #expect(
            transport.requests.map(\.address) == [
                "https://git.example/a/b/info/refs?service=git-upload-pack",
                "https://git.example/a/b.git/info/refs?service=git-upload-pack",
                "https://git.example/a/b.git/info/refs?service=git-receive-pack",
            ])
        transport.answer(.page(status: 200))
        #expect(try provider.repository("a/b", as: credential, over: transport) == .malformed)
    }
}
