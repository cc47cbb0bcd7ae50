import TestSupport
import Testing

@Suite("Revocation at GitHub")
struct GitHubRevocationTests {
    private let github = SignInHost(builtIn: HostName(name: "github.com"))

    private func send(_ tokens: [String], to host: SignInHost?, over transport: ScriptedTransport) throws
        -> RevocationOutcome
    {
        GitHub(try #require(host)).revoke(
            tokens.map { RevocableGrant(accessToken: Secret($0), refreshToken: nil, client: nil) }, over: transport)
    }

    @Test("revokes access and refresh token in one request without authentication")
    func bothTokens() throws {
        let transport = ScriptedTransport(HTTPResponse(status: 202))
        #expect(try send(["ghu_a", "ghr_b"], to: github, over: transport) == .accepted)
        let request = try #require(transport.requests.first)
        #expect(request.method == "POST" && request.address == "https://api.github.com/credentials/revoke")
        #expect(request.body == #"{"credentials":["ghu_a","ghr_b"]}"#)
        #expect(request.authorization == nil)
    }

    @Test("reports any status but 202 as a failure", arguments: [200, 204, 302, 403, 422, 429, 500])
    func refused(status: Int) throws {
        let transport = ScriptedTransport(HTTPResponse(status: status))
        #expect(try send(["gho_a"], to: github, over: transport) == .refused(status: status))
    }

    @Test("distinguishes a transport error from a refusal")
    func failed() throws {
        let transport = ScriptedTransport()
        transport.fail(.timedOut)
        #expect(try send(["gho_a"], to: github, over: transport) == .failed(.timedOut))
    }

    @Test("sends nothing if the host has no such endpoint, not even to github.com")
    func unsupported() throws {
        let enterprise = SignInHost(configured: HostName(name: "ghe.example"), provider: .github)
        let cloud = SignInHost(builtIn: HostName(name: "octo.ghe.com"))
        let transport = ScriptedTransport()
        #expect(try send(["gho_a"], to: enterprise, over: transport) == .unsupported)
        #expect(try send(["gho_a"], to: cloud, over: transport) == .unsupported)
        #expect(transport.requests.isEmpty)
    }

    @Test("does not send a password that is no token", arguments: ["", "a b", "q\"", "b\\", "ü"])
    func notAToken(password: String) { #expect(!Secret(Array(password.utf8)).isToken) }
}
