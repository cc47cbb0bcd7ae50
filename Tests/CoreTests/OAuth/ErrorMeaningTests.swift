import TestSupport
import Testing

@testable import Providers

@Suite("Meaning of a server's error in each request")
struct ErrorMeaningTests {
    private static let host = HTTPSAddress(host: "id.example")

    /// Sends all five requests of a sign-in, each with the same response.
    ///
    /// - Returns: the errors in the browser, for a device code, for the browser's code, for a poll, and for a refresh
    /// token.
    private func meanings(
        of response: HTTPResponse, secret: String? = nil, _ change: (inout OAuthServer) -> Void = { _ in }
    ) throws -> [SignInError?] {
        var server = OAuthServer(
            deviceAuthorization: Self.host.appending("/device"), authorization: Self.host.appending("/authorize"),
            token: Self.host.appending("/token"))
        server.secretMethods = [.basic]
        change(&server)
        let client = OAuthClient(
            id: "c", authentication: secret.map { .secret(Secret($0)) } ?? .none, scopes: "repo", server: server)
        let request = AuthorizationRequest(by: client, at: Self.host, redirectURI: "http://127.0.0.1:1/", account: nil)
        let word = response.json?["error"]?.string ?? []
        let page = try #require(FormFields(Array("error=".utf8) + word))
        func failure(_ ask: (any Transport) throws -> Void) throws -> SignInError? {
            do {
                try ask(ScriptedTransport(response))
                return nil
            } catch let error as OAuthFailure { return error.signInError } catch let error as SignInError {
                return error
            }
        }
        return try [
            failure { _ in _ = try request.code(in: page) }, failure { _ = try client.requestCode(over: $0) },
            failure { _ = try client.exchange(.code(Secret("c"), of: request), over: $0) },
            failure { _ = try client.exchange(.deviceCode(Secret("d"), deadline: 1), over: $0) },
            failure { _ = try client.exchange(.refreshToken(Secret("r")), over: $0) },
        ]
    }

    private static func error(_ word: String, status: Int = 400) -> HTTPResponse {
        .json(#"{"error":"\#(word)"}"#, status: status)
    }

    @Test(
        "reads the RFCs' error codes for a client without a secret, and refuses all others by their names",
        arguments: [
            ("access_denied", [.declined, nil, .declined, .declined, nil]),
            ("expired_token", [nil, nil, .invalidGrant, .expired, .invalidGrant]),
            ("invalid_grant", [nil, nil, .invalidGrant, .invalidGrant, .invalidGrant]),
            (
                "invalid_client",
                [nil, .clientUnknownOrUnproven, .clientSecretWanted, .clientSecretWanted, .clientConfidential]
            ),
            (
                "unauthorized_client",
                [.codeFlowUnsupported, .deviceFlowUnsupported, .codeFlowUnsupported, .deviceFlowUnsupported, nil]
            ), ("invalid_scope", Array(repeating: .invalidScope("repo"), count: 5)),
            ("slow_down", [nil, .busy(seconds: 5), .malformedAnswer, .malformedAnswer, .malformedAnswer]),
            ("authorization_pending", [nil] + Array(repeating: .malformedAnswer, count: 4)),
            ("no\\u001bway", Array(repeating: .refused(#"no\x1bway"#), count: 5)),
            // Other servers' codes are unknown.
            ("bad_refresh_token", [nil, nil, nil, nil, nil]), ("SLOW_DOWN", [nil, nil, nil, nil, nil]),
        ] as [(String, [SignInError?])])
    func standard(word: String, expected: [SignInError?]) throws {
        let expected = expected.map { $0 ?? .refused(DisplayText(untrusted: word.utf8)) }
        #expect(try meanings(of: Self.error(word)) == expected)
        // GitHub sends its errors with this status.
        #expect(try meanings(of: Self.error(word, status: 200)) == expected)
    }

    @Test(
        "reads the error codes for a client with a secret",
        arguments: [("invalid_client", .clientOrProofUnknown), ("incorrect_client_credentials", .clientSecretRejected)]
            as [(String, SignInError)])
    func proven(word: String, atDevice: SignInError) throws {
        let meanings = try meanings(of: Self.error(word), secret: "s") {
            $0.errorCodes = ["incorrect_client_credentials": .incorrectClientCredentials]
            $0.hasConfidentialClients = true
        }
        #expect(meanings.dropFirst() == [atDevice] + Array(repeating: .clientSecretRejected, count: 3))
    }

    @Test(
        "reads GitHub's own error codes",
        arguments: [
            ("device_flow_disabled", [.deviceFlowDisabled, .malformedAnswer, .deviceFlowDisabled, nil]),
            ("incorrect_client_credentials", [.unknownClient, .clientSecretWanted, .unknownClient, .invalidGrant]),
            ("incorrect_device_code", [nil, .invalidGrant, .invalidGrant, nil]),
            ("bad_verification_code", [nil, .invalidGrant, .invalidGrant, nil]),
            ("bad_refresh_token", [nil, .invalidGrant, .invalidGrant, .invalidGrant]),
            ("token_expired", [nil, .invalidGrant, .expired, .invalidGrant]),
            ("unverified_user_email", Array(repeating: .unverifiedUserEmail, count: 4)),
        ] as [(String, [SignInError?])])
    func gitHub(word: String, expected: [SignInError?]) throws {
        let host = try #require(SignInHost(builtIn: HostName(name: "github.com")))
        let codes = GitHub(host).server(nil, over: ScriptedTransport()).errorCodes
        let meanings = try meanings(of: Self.error(word)) { $0.errorCodes = codes }
        let named = expected.map { $0 ?? codes[word].map { .refused($0.name) } }
        #expect(meanings.dropFirst().elementsEqual(named))
    }

    @Test("reads errors of servers with confidential clients, and of those that blame the client for a bad token")
    func confidential() throws {
        let confidential = try meanings(of: Self.error("invalid_client", status: 401)) {
            $0.hasConfidentialClients = true
        }
        let each: [SignInError] = [.clientConfidential, .clientConfidential, .clientSecretWanted, .clientConfidential]
        #expect(confidential.dropFirst().elementsEqual(each))
        for (secret, atCode) in [(nil, .clientConfidential), ("s", .codeFlowUnsupported)] as [(String?, SignInError)] {
            let blamed = try meanings(of: Self.error("unauthorized_client"), secret: secret) { $0.blamesClient = true }
            #expect(blamed.suffix(3) == [atCode, .deviceFlowUnsupported, .invalidGrant])
        }
    }

    @Test("keeps the server's description of an unknown error, and drops it for a known one")
    func descriptions() throws {
        func answer(_ word: String) -> HTTPResponse {
            .json(#"{"error":"\#(word)","error_description":"Ask\u001b Bob."}"#, status: 400)
        }
        let meanings = try meanings(of: answer("invalid_request"))
        #expect(meanings.dropFirst().allSatisfy { $0 == .refused(#"invalid_request (Ask\x1b Bob.)"#) })
        #expect(try self.meanings(of: answer("invalid_scope")).allSatisfy { $0 == .invalidScope("repo") })
        // The request for a device code has nothing that could have expired.
        #expect(try self.meanings(of: answer("expired_token"))[1] == .refused(#"expired_token (Ask\x1b Bob.)"#))
    }

    @Test("reads missing consent or sign-in at an OpenID server as a refusal")
    func openIDDecline() throws {
        let host = try #require(SignInHost(configured: HostName(name: "git.example"), provider: .oidc))
        let document =
            #"{"issuer":"https://git.example","token_endpoint":"https://git.example/t","#
            + #""device_authorization_endpoint":"https://git.example/d"}"#
        let codes = try OpenIDProvider(host).server(nil, over: ScriptedTransport(.json(document))).errorCodes
        for word in ["consent_required", "login_required"] {
            #expect(try meanings(of: Self.error(word)) { $0.errorCodes = codes }[0] == .declined)
        }
    }

    @Test("prefers the RFCs' meaning to a provider's for the RFCs' codes")
    func standardCodes() throws {
        let meanings = try meanings(of: Self.error("unauthorized_client")) {
            $0.errorCodes = ["unauthorized_client": .invalidClient]
        }
        #expect(meanings[1] == .deviceFlowUnsupported)
    }

    @Test(
        "concludes nothing from a response that is not OAuth's",
        arguments: [
            (HTTPResponse.json("{}", status: 503), SignInError.unavailable(status: 503)),
            (.json(#"{"error":"oops"}"#, status: 500), .unavailable(status: 500, saying: "oops")),
            (.json(#"{"error":"oops"}"#, status: 429), .unavailable(status: 429, saying: "oops")),
            (
                .json(#"{"error":"server_error","error_description":"no disk\u001b"}"#, status: 500),
                .unavailable(status: 500, saying: #"server_error (no disk\x1b)"#)
            ), (.page(status: 502), .unavailable(status: 502)), (.page(status: 429), .unavailable(status: 429)),
            (.json("{}", status: 302), .malformedAnswer), (.page(status: 302), .malformedAnswer),
            (.json("[]"), .malformedAnswer), (HTTPResponse(status: 204), .malformedAnswer),
        ])
    func riddles(response: HTTPResponse, expected: SignInError) throws {
        #expect(try meanings(of: response).dropFirst().allSatisfy { $0 == expected })
    }

    @Test(
        "reports a transport error as such, and Ctrl-C as cancelled",
        arguments: [
            (TransportError.unreachable, SignInError.transport(.unreachable)), (.untrusted, .transport(.untrusted)),
            (.timedOut, .transport(.timedOut)), (.interrupted, .cancelled), (.tooLarge, .malformedAnswer),
            (.misconfigured(.libraryStart), .transport(.misconfigured(.libraryStart))),
        ])
    func faults(error: TransportError, expected: SignInError) {
        #expect(OAuthFailure(reason: .transport(error)).signInError == expected)
    }
}
