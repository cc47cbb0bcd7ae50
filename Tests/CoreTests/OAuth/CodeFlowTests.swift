import TestSupport
import Testing

@testable import Providers

@Suite("Code flow")
struct CodeFlowTests {
    private let transport = ScriptedTransport()
    private static let address = HTTPSAddress(host: "id.example")

    private func request(
        _ change: (inout OAuthServer) -> Void = { _ in }, scopes: String = "openid repo",
        endpoint: String = "/authorize", account: String? = nil, prompt: String? = nil
    ) throws -> AuthorizationRequest {
        var server = OAuthServer(token: Self.address.appending("/token"))
        server.issuer = Issuer("https://id.example")
        change(&server)
        return AuthorizationRequest(
            by: OAuthClient(id: "a client", scopes: scopes, server: server), at: Self.address.appending(endpoint),
            redirectURI: Self.redirectURI, account: account, prompt: prompt)
    }

    private static let redirectURI = "http://127.0.0.1:49152/"

    private func fields(of page: HTTPSAddress) throws -> [String: String] {
        let query = try #require(page.path.split(separator: "?", maxSplits: 1).last)
        let sent = SentRequest(HTTPRequest(.post, page, body: .form(Secret(String(query)))))
        return Dictionary(uniqueKeysWithValues: sent.fields.map { ($0.name, $0.value) })
    }

    private func parsed(_ query: String) throws -> FormFields { try #require(FormFields(Array(query.utf8))) }

    @Test("opens the page with an S256 challenge and a state of this request")
    func page() throws {
        let first = try request(account: "mona@corp.test")
        let asked = try fields(of: first.page)
        #expect(asked["response_type"] == "code" && asked["client_id"] == "a client")
        #expect(asked["redirect_uri"] == Self.redirectURI && asked["scope"] == "openid repo")
        #expect(asked["code_challenge_method"] == "S256" && asked["login_hint"] == "mona@corp.test")
        #expect(asked["nonce"] == first.nonce && asked["nonce"]?.count == 43 && asked["state"]?.count == 43)
        #expect(asked["prompt"] == nil && asked["code_verifier"] == nil)
        let second = try fields(of: request().page)
        for name in ["state", "nonce", "code_challenge"] { #expect(second[name] != asked[name], "\(name)") }
        #expect(second["login_hint"] == nil)
    }

    @Test("keeps a server's own query, and sends prompt and nonce only if they are set")
    func variations() throws {
        let request = try request(scopes: "repo", endpoint: "/authorize?p=B2C_1", prompt: "select_account")
        #expect(request.page.text.hasPrefix("https://id.example/authorize?p=B2C_1&response_type=code&"))
        let asked = try fields(of: request.page)
        #expect(asked["prompt"] == "select_account" && asked["nonce"] == nil && request.nonce == nil)
    }

    @Test("sends a verifier that matches the challenge")
    func proof() throws {
        transport.answer(.json(#"{"access_token":"a","token_type":"bearer"}"#))
        let request = try request()
        let client = OAuthClient(id: "a client", server: OAuthServer(token: Self.address.appending("/token")))
        let token = try client.exchange(.code(Secret("c+/ d"), of: request), over: transport)
        #expect(token.accessToken == Secret("a"))
        let sent = try #require(transport.requests.first)
        #expect(sent.address == "https://id.example/token" && sent["grant_type"] == "authorization_code")
        #expect(sent["code"] == "c+/ d" && sent["redirect_uri"] == Self.redirectURI && sent["client_id"] == "a client")
        let verifier = try #require(sent["code_verifier"])
        #expect((43...128).contains(verifier.utf8.count))
        var digest = SHA256()
        digest.update(verifier.utf8)
        let challenge = String(decoding: Base64URL.encode(digest.digest()), as: UTF8.self)
        #expect(try fields(of: request.page)["code_challenge"] == challenge)
    }

    @Test("refuses an unknown state, and a field that comes twice")
    func state() throws {
        let request = try request()
        let state = try #require(try fields(of: request.page)["state"])
        #expect(request.isAnswered(by: try parsed("code=c&state=\(state)")))
        for query in ["code=c", "code=c&state=", "code=c&state=\(state.dropLast())", "code=c&state=\(state)x"] {
            #expect(!request.isAnswered(by: try parsed(query)), "\(query)")
        }
        for query in ["code=c&state=\(state)&code=d", "state=\(state)&%73tate=\(state)", "code=%4", "code=%zz"] {
            #expect(FormFields(Array(query.utf8)) == nil, "\(query)")
        }
    }

    /// The answer's query, whether the server promises to name its issuer (`nil` if it has published none), and whether
    /// the code counts.
    @Test(
        "compares the issuer exactly, or by origin if none is published, and requires a promised one (RFC 9207)",
        arguments: [
            ("code=c", false, true), ("code=c", true, false), ("code=c&iss=https://id.example", false, true),
            ("code=c&iss=https%3A%2F%2Fid.example", true, true), ("code=c&iss=https://id.example/", true, false),
            ("code=c&iss=https://mallory.example", false, false),
            ("error=access_denied&iss=https://mallory.example", true, false), ("code=c", nil, true),
            ("code=c&iss=https://id.example", nil, true), ("code=c&iss=https://ID.example:443/realm", nil, true),
            ("code=c&iss=https://mallory.example", nil, false), ("code=c&iss=https://id.example:8443", nil, false),
            ("code=c&iss=http://id.example", nil, false), ("code=c&iss=", nil, false), ("code=c&iss=%ff", nil, false),
            ("error=access_denied&iss=https://mallory.example", nil, false),
        ] as [(String, Bool?, Bool)])
    func issuer(query: String, isPromised: Bool?, isRight: Bool) throws {
        let request = try request { server in
            if let isPromised { server.namesIssuer = isPromised } else { server.issuer = nil }
        }
        let fields = try parsed(query)
        guard !isRight else {
            #expect(try request.code(in: fields) == Secret("c"))
            return
        }
        let failure = failure { () throws(SignInError) in _ = try request.code(in: fields) }
        if case .foreignIssuer? = failure {} else { Issue.record("\(String(describing: failure))") }
    }

    @Test("takes a code of 8,192 characters, since those of Entra ID have more than a thousand")
    func longCode() throws {
        let fields = try parsed("code=" + String(repeating: "c", count: 8_192))
        #expect(try request().code(in: fields).count == 8_192)
    }

    @Test(
        "throws an error for an error code or a malformed code",
        arguments: [
            ("error=access_denied&code=c", SignInError.declined), ("error=%1b[2J", .refused(#"\x1b[2J"#)),
            ("", .malformedAnswer), ("code=", .malformedAnswer), ("code=a%0ab", .malformedAnswer),
        ] as [(String, SignInError)])
    func refusals(query: String, expected: SignInError) throws {
        let request = try request()
        #expect(throws: expected) { try request.code(in: try parsed(query)) }
    }
}
