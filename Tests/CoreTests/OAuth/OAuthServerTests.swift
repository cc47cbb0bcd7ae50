import CredentialCore
import Providers
import TestSupport
import Testing

@Suite("A server that keeps to the RFCs")
struct OAuthServerTests {
    private static let host = HTTPSAddress(host: "git.example")

    private func server(_ change: (inout OAuthServer) -> Void = { _ in }) -> OAuthServer {
        var server = OAuthServer(
            deviceAuthorization: Self.host.appending("/device"), token: Self.host.appending("/token"))
        change(&server)
        return server
    }

    private func failure(_ response: HTTPResponse, _ change: (inout OAuthServer) -> Void = { _ in }) -> SignInError? {
        let client = OAuthClient(id: "c", server: server(change))
        do throws(SignInError) {
            _ = try DeviceFlow(client: client, transport: ScriptedTransport(response)).requestCode()
            return nil
        } catch {
            return error
        }
    }

    @Test("nobody else's codes are known there", arguments: ["bad_refresh_token", "device_flow_disabled"])
    func codes(text: String) {
        let response = HTTPResponse.json(#"{"error":"\#(text)"}"#, status: 400)
        #expect(failure(response) == .refused(DisplayText(untrusted: text.utf8)))
        #expect(failure(response) { $0.errorCodes = [text: .deviceFlowDisabled] } == .deviceFlowDisabled)
    }

    @Test("a provider's own codes do not change what the RFCs' say")
    func standardCodes() {
        let failure = failure(.json(#"{"error":"unauthorized_client"}"#, status: 400)) {
            $0.errorCodes = ["unauthorized_client": .invalidClient]
        }
        #expect(failure == .deviceFlowUnsupported)
    }

    @Test("a missing page means that there is no device flow, unless the server means an unknown client by it")
    func status() {
        #expect(failure(.page(status: 404)) == .deviceFlowUnsupported)
        #expect(failure(.page(status: 404)) { $0.unknownClientStatus = 404 } == .unknownClient)
    }

    @Test("scopes are parted by spaces, and a comma is a part of one (RFC 6749, 3.3)")
    func scopes() {
        func scope(_ server: OAuthServer) -> String? {
            let response = HTTPResponse.json(#"{"access_token":"x","token_type":"bearer","scope":"a,b c"}"#)
            guard case .success(let token) = TokenAnswer(response, server) else { return nil }
            return token.scope
        }
        #expect(scope(server()) == "a,b c")
        #expect(scope(server { $0.scopeSeparator = UInt8(ascii: ",") }) == "a b c")
    }
}
