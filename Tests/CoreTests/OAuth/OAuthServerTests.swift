import TestSupport
import Testing

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
