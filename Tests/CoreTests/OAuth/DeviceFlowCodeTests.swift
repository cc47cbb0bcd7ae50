import TestSupport
import Testing

@Suite("Requests for a device code")
struct DeviceFlowCodeTests {
    private func client(secret: String? = nil, scopes: String? = nil) throws -> OAuthClient {
        try OAuthClient(
            id: "Iv1.a&b", secret: secret.map { Secret($0) }, scopes: scopes,
            of: try #require(SignInHost(builtIn: HostName(name: "github.com"))))
    }

    private func failure(_ response: HTTPResponse, secret: String? = nil) throws -> SignInError? {
        let client = try client(secret: secret)
        return CoreTests.failure { () throws(SignInError) in
            _ = try client.requestCode(over: ScriptedTransport(response))
        }
    }

    @Test("sends a form with client and scope, if there is one, and asks for JSON")
    func request() throws {
        let transport = ScriptedTransport(GitHubAnswers.device)
        _ = try client(secret: "s3cret").requestCode(over: transport)
        let sent = try #require(transport.requests.first)
        #expect(sent.method == "POST" && sent.address == "https://github.com/login/device/code")
        // RFC 8628, 3.1: a client with a secret authenticates here too.
        #expect(sent.fields.map(\.name) == ["client_id", "scope", "client_secret"])
        #expect(sent["client_id"] == "Iv1.a&b" && sent["scope"] == "repo workflow gist")
        #expect(sent.accept == "application/json" && sent.authorization == nil && sent.isInterruptible)
        #expect(transport.requests.count == 1)
        transport.answer(GitHubAnswers.device)
        _ = try client(scopes: "").requestCode(over: transport)
        #expect(transport.requests.last?.fields.map(\.name) == ["client_id"])
    }

    @Test("waits as long as the server asks for")
    func busy() throws {
        let later = HTTPResponse(status: 429, headers: [("retry-after", Array("7".utf8))])
        #expect(try failure(later) == .busy(seconds: 7))
        #expect(try failure(.json(#"{"error":"slow_down"}"#, status: 400)) == .busy(seconds: 5))
        #expect(try failure(.json(#"{"error":"slow_down","interval":9}"#, status: 400)) == .busy(seconds: 9))
        #expect(try failure(.json(#"{"error":"slow_down","interval":-9}"#, status: 400)) == .busy(seconds: 0))
        #expect(try failure(HTTPResponse(status: 429)) == .unavailable(status: 429))
    }

    @Test("reads GitHub's 404 as an unknown client ID")
    func unknownClient() throws {
        #expect(try failure(.json(#"{"error":"Not Found"}"#, status: 404)) == .unknownClient)
        #expect(try failure(.page(status: 404)) == .unknownClient)
    }

    @Test("recognizes a host without device flow", arguments: [401, 403, 422])
    func unsupported(status: Int) throws {
        #expect(try failure(.page(status: status)) == .deviceFlowUnsupported)
        #expect(try failure(.json("{}", status: status)) == .deviceFlowUnsupported)
    }

    @Test("reports an empty response as malformed", arguments: [200, 201, 204, 302, 400])
    func malformed(status: Int) throws { #expect(try failure(HTTPResponse(status: status)) == .malformedAnswer) }

    @Test("does not read a redirect, whatever its body", arguments: [301, 302, 307])
    func redirect(status: Int) throws {
        #expect(try failure(HTTPResponse(status: status, body: GitHubAnswers.device.body)) == .malformedAnswer)
    }
}

@Suite("Device authorization response")
struct DeviceAuthorizationTests {
    /// Reads GitHub's response with changed members; `nil` leaves a member out.
    private func read(_ changes: [String: String?] = [:]) throws -> DeviceAuthorization {
        var members: [String: String?] = [
            "device_code": #""3584d83530557fdd""#, "user_code": #""WDJB-MJHT""#,
            "verification_uri": #""https://github.com/login/device""#, "expires_in": "900", "interval": "5",
        ]
        members.merge(changes) { $1 }
        let text = members.compactMap { name, json in json.map { #""\#(name)":\#($0)"# } }.joined(separator: ",")
        let client = try OAuthClient(id: "c", of: try #require(SignInHost(builtIn: HostName(name: "github.com"))))
        return try client.requestCode(over: ScriptedTransport(.json("{\(text)}")))
    }

    @Test("reads GitHub's sample")
    func sample() throws {
        let authorization = try read()
        #expect(authorization.deviceCode.text == "3584d83530557fdd" && authorization.userCode == "WDJB-MJHT")
        #expect(authorization.verificationURI.text == "https://github.com/login/device")
        #expect(authorization.expiresIn == 900 && authorization.interval == 5)
    }

    @Test("reads the older name of the address, ignores a link with the code, and rebuilds the shown address")
    func address() throws {
        let page = #""HTTPS://GitHub.com:443/login/device""#
        let link = #""https://github.com/login/device?user_code=WDJB-MJHT""#
        for name in ["verification_uri", "verification_url"] {
            var changes = ["verification_uri": nil, "verification_uri_complete": link] as [String: String?]
            changes[name] = page
            #expect(try read(changes).verificationURI.text == "https://github.com/login/device")
        }
    }

    /// Addresses of other servers, in forms that resemble the host's.
    @Test(
        "refuses an address that is not plainly on the host",
        arguments: [
            "http://github.com/login/device", "https://evil.example/login/device", "https://github.com@evil.example/",
            "https://github.com.evil.example/", "https://gist.github.com/login/device", "javascript:alert(1)", "-h",
            "https://github.com:8443/login/device", #"https://github.com/\u001b[2K"#, "github.com/login/device",
            "https://github.com/" + String(repeating: "x", count: 60_000),
        ])
    func foreignAddress(text: String) {
        #expect(throws: SignInError.foreignAddress) { try read(["verification_uri": "\"\(text)\""]) }
    }

    @Test(
        "refuses a user code that a person cannot type, or with control characters",
        arguments: [
            #""""#, #""WDJB MJHT""#, #""WDJB\u001b[2K""#, #""WDJB\n""#, #""ＷＤＪＢ""#, #""<b>""#, "12345678", "null",
            "\"" + String(repeating: "A", count: 33) + "\"",
        ])
    func userCode(json: String) { #expect(throws: SignInError.malformedAnswer) { try read(["user_code": json]) } }

    @Test(
        "refuses a device code that is not printable or too long",
        arguments: [#""""#, #""a b""#, #""a\n""#, "5", #""é""#, "\"" + String(repeating: "a", count: 2_049) + "\""])
    func deviceCode(json: String) { #expect(throws: SignInError.malformedAnswer) { try read(["device_code": json]) } }

    /// The attacks S11 of the starter corpus.
    @Test(
        "replaces a malformed interval by five seconds, and limits it to a minute",
        arguments: [
            ("5", 5), (#""5""#, 5), ("0", 5), ("-5", 5), (nil, 5), ("null", 5), (#""soon""#, 5), ("10", 10),
            ("1e9", 60), ("61", 60),
        ] as [(String?, Int64)])
    func interval(json: String?, expected: Int64) throws { #expect(try read(["interval": json]).interval == expected) }

    @Test(
        "limits the lifetime of a code to a quarter of an hour",
        arguments: [
            ("899", 899), ("300", 300), ("900", 900), ("1800", 900), ("1e308", 900), ("0", 900), ("-1", 900),
            (nil, 900), (#""x""#, 900),
        ] as [(String?, Int64)])
    func lifetime(json: String?, expected: Int64) throws {
        #expect(try read(["expires_in": json]).expiresIn == expected)
    }

    @Test("has no device flow without an address, as cli/oauth reads it")
    func noAddress() { #expect(throws: SignInError.deviceFlowUnsupported) { try read(["verification_uri": nil]) } }
}

extension OAuthClient {
    /// Creates the client of a host whose endpoints are known without discovery.
    init(id: String, secret: Secret? = nil, scopes: String? = nil, of host: SignInHost) throws {
        self.init(
            id: id, authentication: secret.map { .secret($0) } ?? .none, scopes: scopes,
            server: try host.provider.server(nil, over: ScriptedTransport()))
    }
}

/// Returns the error that `body` throws, or `nil` if it throws none.
func failure<Failure: Error>(of body: () throws(Failure) -> Void) -> Failure? {
    do throws(Failure) {
        try body()
        return nil
    } catch {
        return error
    }
}
