import TestSupport
import Testing

@testable import Providers

@Suite("Refresh requests")
struct RefreshTests {
    private let transport = ScriptedTransport()

    private func refresh(secret: String? = nil) throws -> Result<TokenResponse, OAuthFailure> {
        let host = try #require(SignInHost(builtIn: HostName(name: "github.com")))
        let client = try OAuthClient(id: "Iv1.a", secret: secret.map { Secret($0) }, of: host)
        return Result { () throws(OAuthFailure) in try client.exchange(.refreshToken(Secret("ghr_1")), over: transport)
        }
    }

    private func outcome(_ response: HTTPResponse) throws -> String {
        transport.answer(response)
        guard case .failure(let failure) = try refresh() else { return "renewed" }
        return switch failure.reason {
        case .refused(let code, .invalidGrant): "spent, \(code.name)"
        case .refused, .transport: "\(failure)"
        case .unavailable, .malformed: "unavailable \(failure.status)"
        }
    }

    @Test("sends the token once and uninterruptibly, with a secret only if configured")
    func request() throws {
        transport.answer(GitHubAnswers.gitHubAppToken)
        _ = try refresh()
        let sent = try #require(transport.requests.first)
        #expect(sent.method == "POST" && sent.address == "https://github.com/login/oauth/access_token")
        #expect(sent.fields.map(\.name) == ["client_id", "grant_type", "refresh_token"])
        #expect(sent["grant_type"] == "refresh_token" && sent["refresh_token"] == "ghr_1" && !sent.isInterruptible)
        transport.answer(GitHubAnswers.gitHubAppToken)
        _ = try refresh(secret: "s3cret")
        #expect(transport.requests.last?["client_secret"] == "s3cret")
    }

    @Test("takes an empty 400 as the end of the token, and not one with a body")
    func empty() throws {
        #expect(try outcome(HTTPResponse(status: 400)) == "spent, invalid_grant")
        #expect(try outcome(HTTPResponse(status: 400, body: Secret("?".utf8))) == "unavailable 400")
    }

    @Test("concludes nothing from any other response", arguments: [500, 502, 429, 403, 404, 302, 200])
    func unavailable(status: Int) throws { #expect(try outcome(.page(status: status)) == "unavailable \(status)") }

    @Test(
        "reports a transport error, and does not repeat the request",
        arguments: [TransportError.unreachable, .timedOut, .untrusted, .interrupted, .tooLarge])
    func faults(error: TransportError) throws {
        transport.fail(error)
        guard case .failure(let failure) = try refresh() else { return #expect(Bool(false), "failed") }
        #expect(failure == OAuthFailure(reason: .transport(error)))
        #expect(transport.requests.count == 1)
    }
}

@Suite("Differences between servers")
struct OAuthServerTests {
    private static let host = HTTPSAddress(host: "git.example")

    private func server(_ change: (inout OAuthServer) -> Void = { _ in }) -> OAuthServer {
        var server = OAuthServer(
            deviceAuthorization: Self.host.appending("/device"), token: Self.host.appending("/token"))
        change(&server)
        return server
    }

    @Test("reads a missing page as no device flow, unless the server uses it for an unknown client")
    func status() {
        for (status, expected) in [(nil, .deviceFlowUnsupported), (404, .unknownClient)] as [(Int?, SignInError)] {
            let client = OAuthClient(id: "c", server: server { $0.unknownClientStatus = status })
            #expect(throws: expected) { try client.requestCode(over: ScriptedTransport(.page(status: 404))) }
        }
    }

    @Test("separates scopes by spaces, and not by commas (RFC 6749, 3.3)")
    func scopes() throws {
        func scope(_ server: OAuthServer) throws -> String? {
            let response = HTTPResponse.json(#"{"access_token":"x","token_type":"bearer","scope":"a,b c"}"#)
            let client = OAuthClient(id: "c", server: server)
            return try client.exchange(.refreshToken(Secret("r")), over: ScriptedTransport(response)).scope
        }
        #expect(try scope(server()) == "a,b c")
        #expect(try scope(server { $0.scopeSeparator = UInt8(ascii: ",") }) == "a b c")
    }
}
