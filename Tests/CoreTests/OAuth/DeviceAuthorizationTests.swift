import TestSupport
import Testing

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

    @Test("reads the older name of the address")
    func verificationURL() throws {
        let changes =
            ["verification_uri": nil, "verification_url": #""https://github.com/login/device""#] as [String: String?]
        #expect(try read(changes).verificationURI.text == "https://github.com/login/device")
    }

    @Test("ignores a link with the code, and rebuilds the shown address")
    func complete() throws {
        let authorization = try read([
            "verification_uri": #""HTTPS://GitHub.com:443/login/device""#,
            "verification_uri_complete": #""https://github.com/login/device?user_code=WDJB-MJHT""#,
        ])
        #expect(authorization.verificationURI.text == "https://github.com/login/device")
    }

    /// The attacks S10 of the starter corpus.
    @Test(
        "refuses an address that is not plainly on the host",
        arguments: [
            "http://github.com/login/device", "https://evil.example/login/device", "https://github.com@evil.example/",
            #"https://github.com\\@evil.example/"#, "https://github.com.evil.example/",
            "https://gist.github.com/login/device", "https://github.com:8443/login/device", "javascript:alert(1)",
            "file:///etc/passwd", "data:text/html,x", "-h", "--version", #"https://github.com/\u001b[2K"#,
            #"https://github.com/\nx"#, "https://github.com/a b", "//github.com/", "github.com/login/device",
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
    func userCode(json: String) {
        #expect(throws: SignInError.malformedAnswer) { try read(["user_code": json]) }
    }

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
    func noAddress() {
        #expect(throws: SignInError.deviceFlowUnsupported) { try read(["verification_uri": nil]) }
    }
}
