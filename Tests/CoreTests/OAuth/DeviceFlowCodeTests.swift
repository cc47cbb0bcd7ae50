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

    @Test("sends a form with client and scope, and asks for JSON")
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

    @Test("sends no scope if none is configured")
    func noScope() throws {
        let transport = ScriptedTransport(GitHubAnswers.device)
        _ = try client(scopes: "").requestCode(over: transport)
        #expect(transport.requests.first?.fields.map(\.name) == ["client_id"])
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

    @Test("reports a server in trouble", arguments: [429, 500, 503])
    func trouble(status: Int) throws {
        #expect(try failure(.page(status: status)) == .unavailable(status: status))
        #expect(
            try failure(.json(#"{"error":"oops"}"#, status: status)) == .unavailable(status: status, saying: "oops"))
    }

    @Test("reports an empty response as malformed", arguments: [200, 201, 204, 302, 400])
    func malformed(status: Int) throws { #expect(try failure(HTTPResponse(status: status)) == .malformedAnswer) }

    @Test("does not read a redirect, whatever its body", arguments: [301, 302, 307])
    func redirect(status: Int) throws {
        #expect(try failure(HTTPResponse(status: status, body: GitHubAnswers.device.body)) == .malformedAnswer)
    }
}
