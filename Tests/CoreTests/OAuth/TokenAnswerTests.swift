import TestSupport
import Testing

@Suite("Responses of the token endpoint")
struct TokenAnswerTests {
    private let client: OAuthClient

    init() throws { client = try OAuthClient(id: "c", of: #require(SignInHost(builtIn: HostName(name: "github.com")))) }

    private func answer(_ response: HTTPResponse) -> Result<TokenResponse, OAuthFailure> {
        Result { () throws(OAuthFailure) in
            try client.exchange(.deviceCode(Secret("d"), deadline: 1), over: ScriptedTransport(response))
        }
    }

    private func success(_ response: HTTPResponse) -> TokenResponse? { try? answer(response).get() }

    private func failure(_ response: HTTPResponse) -> OAuthFailure? {
        if case .failure(let failure) = answer(response) { failure } else { nil }
    }

    private func code(_ response: HTTPResponse) -> OAuthErrorCode? {
        if case .refused(let code, _)? = failure(response)?.reason { code } else { nil }
    }

    private func isUnavailable(_ response: HTTPResponse) -> Bool {
        let failure = failure(response)
        return failure?.reason == .unavailable && failure?.status == response.status
    }

    private func isMalformed(_ response: HTTPResponse) -> Bool { failure(response)?.reason == .malformed }

    @Test("reads an OAuth App's token without expiry or refresh token")
    func oauthApp() throws {
        let token = try #require(success(GitHubAnswers.oauthAppToken))
        #expect(token.accessToken.text == "gho_16C7e42F292c6912E7710c838347Ae178B4a")
        #expect(token.expiresIn == nil && token.refreshToken == nil && token.refreshTokenExpiresIn == nil)
        #expect(token.scope == "repo gist workflow")
    }

    @Test("reads a GitHub App's token with both, and a lifetime of zero as a refresh token that does not end")
    func gitHubApp() throws {
        let token = try #require(success(GitHubAnswers.gitHubAppToken))
        #expect(token.expiresIn == 28_800 && token.refreshToken?.text.hasPrefix("ghr_") == true)
        #expect(token.refreshTokenExpiresIn == 15_897_600 && token.scope == nil)
        let endless = #"{"access_token":"x","token_type":"bearer","refresh_token":"r","refresh_token_expires_in":0}"#
        let unlimited = try #require(success(.json(endless)))
        #expect(unlimited.refreshToken != nil && unlimited.refreshTokenExpiresIn == nil)
    }

    @Test("takes the requested scopes as granted if the response has none, or some with control characters")
    func minimal() throws {
        let token = try #require(success(.json(#"{"access_token":"gho_1","token_type":"bearer"}"#)))
        #expect(token.accessToken.text == "gho_1" && token.scope == nil)
        let odd = try #require(
            success(.json(#"{"access_token":"x","token_type":"bearer","scope":"repo\u001b[2J\n"}"#)))
        #expect(odd.scope == nil)
    }

    @Test(
        "accepts any characters in a token that RFC 6749 allows",
        arguments: [
            "x", "ghs_1_eyJh.bGci.OiJ-_~+/=", "tok en!#$%&'()*,:;<>?@[]^`{|}", String(repeating: "a", count: 16_384),
        ])
    func opaque(value: String) {
        #expect(success(.json(#"{"access_token":"\#(value)","token_type":"BEARER"}"#))?.accessToken.text == value)
    }

    @Test(
        "refuses a malformed token",
        arguments: [
            #""tok\nquit=1""#, #""tok\r""#, #""tok\u0000""#, #""tök""#, #""""#, "5", "null", #"["x"]"#, #""a\tb""#,
            "\"" + String(repeating: "a", count: 16_385) + "\"",
        ])
    func noToken(json: String) {
        #expect(isMalformed(.json(#"{"access_token":\#(json),"token_type":"bearer"}"#)))
        // A malformed refresh token makes the response malformed; null and empty mean that there is none.
        let isAbsence = json == "null" || json == #""""# || !json.hasPrefix("\"")
        #expect(
            isAbsence || isMalformed(.json(#"{"access_token":"x","token_type":"bearer","refresh_token":\#(json)}"#)))
    }

    @Test(
        "refuses a type other than bearer (RFC 6749, 7.1)", arguments: [#""mac""#, #""bearer ""#, #""""#, "null", "1"])
    func tokenType(json: String) { #expect(isMalformed(.json(#"{"access_token":"x","token_type":\#(json)}"#))) }

    @Test(
        "takes an expiry that is a number above zero",
        arguments: [
            ("28800", 28_800), (#""28800""#, 28_800), ("1e308", 315_360_000), ("9e18", 315_360_000), ("-1", nil),
            ("0", nil), (#""x""#, nil),
        ] as [(String, Int64?)])
    func expiry(json: String, expected: Int64?) {
        #expect(
            success(.json(#"{"access_token":"x","token_type":"bearer","expires_in":\#(json)}"#))?.expiresIn == expected)
    }

    @Test("takes an error beside a token as an error, whatever the status")
    func errorWins() {
        let body = #"{"access_token":"x","token_type":"bearer","error":"access_denied"}"#
        for status in [200, 400, 401] { #expect(code(.json(body, status: status)) == .accessDenied) }
    }

    /// Without an OAuth error, a 403 is GitHub's rate limit.
    @Test("concludes nothing if the server is in trouble or limits us", arguments: [500, 502, 503, 504, 429, 403])
    func trouble(status: Int) {
        #expect(isUnavailable(.page(status: status)))
        #expect(isUnavailable(.json(#"{"message":"You have exceeded a secondary rate limit"}"#, status: status)))
        #expect(status == 403 || isUnavailable(.json(#"{"error":"server_error"}"#, status: status)))
        #expect(isUnavailable(.json(#"{"access_token":"x","token_type":"bearer"}"#, status: status)))
        // An OAuth error counts all the same.
        #expect(code(.json(#"{"error":"access_denied"}"#, status: status)) == .accessDenied)
    }

    @Test("concludes nothing from a web page of a proxy or a captive portal", arguments: [200, 400, 404])
    func page(status: Int) { #expect(isUnavailable(.page(status: status))) }

    @Test(
        "reads Retry-After in seconds",
        arguments: [
            ("30", 30), ("0", 0), ("-1", nil), ("Wed, 21 Oct 2026 07:28:00 GMT", nil), ("1.5", nil),
            ("99999999999999999999", nil),
        ] as [(String, Int64?)])
    func retryAfter(value: String, expected: Int64?) {
        #expect(failure(.page(status: 429, headers: [("retry-after", value)]))?.retryAfter == expected)
    }

    @Test("does not follow a redirect, whatever it carries", arguments: [301, 302, 303, 307, 308])
    func redirect(status: Int) {
        #expect(isMalformed(.json(#"{"access_token":"x","token_type":"bearer"}"#, status: status)))
        #expect(isMalformed(.json(#"{"error":"invalid_grant"}"#, status: status)))
        #expect(isMalformed(.page(status: status)))
    }

    @Test(
        "reports a response that is not OAuth's as malformed",
        arguments: ["{}", "[]", "", "null", #"{"access_token":"x"}"#, #"{"token_type":"bearer"}"#])
    func malformed(body: String) { #expect(isMalformed(.json(body))) }
}

@Suite("Fields of a response")
struct AnswerFieldsTests {
    private func fields(_ json: String) throws -> JSONValue { try #require(HTTPResponse.json(json).fields) }

    @Test("reads an empty text and null as none, and no text of another type")
    func texts() throws {
        let fields = try fields(#"{"empty":"","null":null,"number":5,"text":"x"}"#)
        #expect(fields.text("empty") == nil && fields["empty"] != nil)
        #expect(fields.text("null") == nil && fields["null"] == nil)
        #expect(fields.text("number") == nil && fields["number"] != nil && fields.text("text") == Array("x".utf8))
        #expect(fields["absent"] == nil)
    }

    @Test(
        "limits seconds to -1 and ten years, without a trap, and refuses a value that is no number",
        arguments: [
            ("5", 5), ("28800", 28_800), (#""28800""#, 28_800), ("0", 0), ("-5", -1), (#""-5""#, -1), ("1.9", 1),
            ("1e9", 315_360_000), ("9e18", 315_360_000), ("1e308", 315_360_000), ("1e999", 315_360_000), ("-1e999", -1),
            ("1e-9", 0), ("99999999999999999999", 315_360_000), ("null", nil), ("true", nil), (#""soon""#, nil),
            (#""""#, nil), ("[5]", nil), ("{}", nil), (#""0x10""#, nil), (#""inf""#, nil), (#""nan""#, nil),
            (#""1e""#, nil), (#""5 seconds""#, nil),
        ] as [(String, Int64?)])
    func seconds(json: String, expected: Int64?) throws {
        #expect(try fields(#"{"s":\#(json)}"#).seconds("s") == expected)
    }

    @Test("refuses a body that is no JSON object", arguments: ["[]", "5", "", "{", "a=b", "<html>", #"{"a":1,"a":2}"#])
    func noObject(body: String) { #expect(HTTPResponse.json(body).fields == nil) }
}

@Suite("Form-encoded text")
struct FormBuilderTests {
    @Test("escapes everything but letters, digits and four signs, and leaves an empty value out (RFC 6749, 3.1)")
    func encoding() {
        var form = FormBuilder()
        let fields = [("scope", "repo gist"), ("empty", ""), ("odd", "&=+%/é\n"), ("plain", "aZ09-._~")]
        for (name, value) in fields { form.add(name, value.utf8) }
        let body = form.finish()
        #expect(body.text == "scope=repo%20gist&odd=%26%3D%2B%25%2F%C3%A9%0A&plain=aZ09-._~")
    }
}
