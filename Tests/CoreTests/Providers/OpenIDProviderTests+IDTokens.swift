import TestSupport
import Testing

/// Accounts by an ID token and the issuer's published keys.
extension OpenIDProviderTests {
    /// Returns a token response at 1,800,000,000 with an ID token of these claims, signed by the key `k`.
    private func signIn(
        _ document: HTTPResponse? = document(), by lines: [(key: String, value: String)] = [("oauthIssuer", issuer)],
        times: String = #""iat":1800000000,"exp":1800000300"#, name: String = #""preferred_username":"octocat","#
    ) throws -> CompletedSignIn {
        let claims = #"{"iss":"\#(Self.issuer)","aud":"c","sub":"7",\#(name)\#(times)}"#
        let parts = [Array(#"{"alg":"ES256","kid":"k"}"#.utf8), Array(claims.utf8), [UInt8](repeating: 1, count: 64)]
        let token = parts.map { String(decoding: Base64URL.encode($0), as: UTF8.self) }.joined(separator: ".")
        let transport = ScriptedTransport()
        document.map(transport.answer)
        let client = OAuthClient(id: "c", server: try provider.server(configured(lines), over: transport))
        transport.answer(.json(#"{"access_token":"a","token_type":"bearer","id_token":"\#(token)"}"#))
        let response = try client.exchange(.refreshToken(Secret("r")), over: transport)
        return CompletedSignIn(response, to: client, at: 1_800_000_000, verifier: ScriptedSignatures())
    }

    /// Returns a P-256 key of this name, whose point is never used.
    private static func key(_ name: String) -> String {
        let number = String(repeating: "A", count: 43)
        return #"{"kty":"EC","crv":"P-256","x":"\#(number)","y":"\#(number)","kid":"\#(name)"}"#
    }

    private static func keySet(_ names: [String], padding: Int = 0) -> HTTPResponse {
        .json(#"{"keys":[\#(names.map(key).joined(separator: ","))]}"# + String(repeating: " ", count: padding))
    }

    @Test("fetches the keys once more for an ID token with an unpublished key")
    func unknownKey() throws {
        let transport = ScriptedTransport(Self.keySet(["old"]), Self.keySet(["old"]))
        let signIn = try signIn()
        #expect(throws: IDTokenError.signature(.unknownKey("k"))) {
            try provider.holder(after: signIn, over: transport)
        }
        #expect(transport.requests.map(\.address) == [Self.issuer + "/keys", Self.issuer + "/keys"])
        transport.answer(Self.keySet(["old"]), Self.keySet(["old", "k"]))
        #expect(try provider.holder(after: signIn, over: transport) == .account(names: ["octocat", "7"]))
    }

    @Test(
        "asks userinfo if the ID token has no name, and ignores another subject's answer",
        arguments: [
            (.json(#"{"sub":"7","nickname":"mona","email":"mona@example.com"}"#), ["mona", "mona@example.com", "7"]),
            (.json(#"{"sub":"7"}"#), ["7"]), (.json(#"{"sub":"8","preferred_username":"mallory"}"#), ["7"]),
            (.json(#"{"preferred_username":"mallory"}"#), ["7"]), (HTTPResponse(status: 500), ["7"]),
        ] as [(HTTPResponse, [String])])
    func nameless(answer: HTTPResponse, names: [String]) throws {
        let transport = ScriptedTransport(Self.keySet(["k"]), answer)
        #expect(try provider.holder(after: signIn(name: ""), over: transport) == .account(names: names))
        #expect(transport.requests.last?.authorization == "Bearer a")
    }

    @Test("reads up to 256 keys and 512 KiB, on any host of the issuer's")
    func manyKeys() throws {
        let names = (1...255).map { "\($0)" } + ["k"]
        let document = HTTPResponse.json(
            #"{"issuer":"\#(Self.issuer)","token_endpoint":"\#(Self.issuer)/token","#
                + #""device_authorization_endpoint":"\#(Self.issuer)/device","jwks_uri":"https://keys.example/certs"}"#)
        let bare = Self.keySet(names).body.count
        let transport = ScriptedTransport(Self.keySet(names, padding: 524_288 - bare))
        #expect(try provider.holder(after: signIn(document), over: transport) == .account(names: ["octocat", "7"]))
        #expect(transport.requests.map(\.address) == ["https://keys.example/certs"])
        #expect(transport.requests.map(\.authorization) == [nil])
    }

    @Test(
        "refuses an ID token that cannot be verified",
        arguments: [
            (.failure(.unreachable), .keysUnavailable), (.failure(.timedOut), .keysUnavailable),
            (.success(keySet(["k"], padding: 524_288)), .unusableKeys),
            (.success(keySet(["k"] + (1...256).map(String.init))), .unusableKeys),
            (.success(.json("{}")), .unusableKeys), (.success(.json("")), .unusableKeys),
            (.success(.json("", status: 404)), .keysUnavailable), (.success(.json("", status: 503)), .keysUnavailable),
        ] as [(Result<HTTPResponse, TransportError>, IDTokenError)])
    func uncheckable(answer: Result<HTTPResponse, TransportError>, reason: IDTokenError) throws {
        transport.answer(answer)
        let signIn = try signIn()
        #expect(throws: reason) { try provider.holder(after: signIn, over: transport) }
        #expect(transport.isExhausted)
    }

    @Test("reports Ctrl-C while the keys or the name are fetched, and stores no other name")
    func interrupted() throws {
        transport.fail(.interrupted)
        #expect(try provider.holder(after: signIn(), over: transport) == .interrupted)
        transport.answer(Self.keySet(["k"]))
        transport.fail(.interrupted)
        #expect(try provider.holder(after: signIn(name: ""), over: transport) == .interrupted)
    }

    @Test("refuses an ID token with wrong claims before any key is fetched")
    func claimsFirst() throws {
        let signIn = try signIn(times: #""iat":1799990000,"exp":1799990000"#)
        #expect(throws: IDTokenError.expired) { try provider.holder(after: signIn, over: transport) }
        let hash = try self.signIn(name: #""at_hash":"A","#)
        #expect(throws: IDTokenError.wrongAccessToken) { try provider.holder(after: hash, over: transport) }
        let asked = CompletedSignIn(hash.response, to: hash.client, nonce: "n", at: hash.now, verifier: hash.verifier)
        #expect(throws: IDTokenError.missing(.nonce)) { try provider.holder(after: asked, over: transport) }
    }

    @Test("refuses an ID token if the server publishes no keys or no issuer")
    func noKeys() throws {
        let bare = HTTPResponse.json(
            #"{"issuer":"\#(Self.issuer)","token_endpoint":"\#(Self.issuer)/token","#
                + #""device_authorization_endpoint":"\#(Self.issuer)/device"}"#)
        let noKeys = try signIn(bare)
        #expect(throws: IDTokenError.unusableKeys) { try provider.holder(after: noKeys, over: transport) }
        let both = [("oauthDeviceAuthURL", Self.issuer + "/device"), ("oauthTokenURL", Self.issuer + "/token")]
        let noIssuer = try signIn(nil, by: both)
        #expect(throws: IDTokenError.noIssuer) { try provider.holder(after: noIssuer, over: transport) }
    }
}
