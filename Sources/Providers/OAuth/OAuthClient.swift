package import CredentialCore

/// A client (RFC 6749, section 2).
package struct OAuthClient {
    package var id: String
    package var authentication: ClientAuthentication
    /// The scopes separated by spaces.
    package var scopes: String
    package var server: OAuthServer

    package init(id: String, authentication: ClientAuthentication = .none, scopes: String? = nil, server: OAuthServer) {
        self.id = id
        self.authentication = authentication
        self.scopes = scopes ?? server.scopes
        self.server = server
    }
}

/// The authentication of a client (RFC 6749, section 2.3).
package enum ClientAuthentication {
    case none
    case secret(Secret)
    /// An assertion, `private_key_jwt`, with the key ID (`kid`) at the server.
    ///
    /// The audience is that of every request, or `nil` for the requested endpoint; the time is in seconds since 1970.
    case assertion(any AssertionSigner, keyID: String?, audience: String? = nil, now: () -> Int64)

    package var isPresent: Bool { if case .none = self { false } else { true } }
}

/// The place of a client's secret in a request, named as in metadata (RFC 8414, 2).
///
/// Servers must accept HTTP Basic; the body is discouraged (RFC 6749, 2.3.1).
package enum SecretMethod: String, CaseIterable {
    case basic = "client_secret_basic"
    case body = "client_secret_post"
}

extension OAuthClient {
    /// Makes a request for one use, since a server must not see an assertion twice; the deadline is in milliseconds of
    /// uptime.
    ///
    /// - Throws: `.misconfigured(.signature)`.
    func request(
        to endpoint: HTTPSAddress, _ fields: Secret, _ method: SecretMethod, isInterruptible: Bool, deadline: Int64?
    ) throws(TransportError) -> HTTPRequest {
        var form = FormBuilder(continuing: fields)
        var authorization = HTTPRequest.Authorization.none
        switch authentication {
        case .none: break
        case .secret(let secret) where method == .body: form.add("client_secret", secret)
        case .secret(let secret):
            // ID and secret are form-encoded first (RFC 6749, 2.3.1).
            let name = FormBuilder.encoded(Secret(Array(id.utf8)))
            authorization = .basic(
                username: name.reveal { String(decoding: $0, as: UTF8.self) }, password: FormBuilder.encoded(secret))
        // The audience is the issuer, as Keycloak, Zitadel and the draft that amends RFC 7523 require, so that no server
        // can use the assertion at another. Some servers, such as glewlwyd, accept only the endpoint. A second attempt
        // with another audience is impossible, since the first may have used up a refresh token.
        case .assertion(let signer, let keyID, let audience, let now):
            var generator = SystemRandomNumberGenerator()
            let claims = AssertionClaims.clientAuthentication(
                clientID: id, audience: audience ?? endpoint.text, now: now(), using: &generator)
            guard let assertion = SignedAssertion(claims, keyID: keyID, by: signer) else {
                throw .misconfigured(.signature)
            }
            form.add("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer".utf8)
            form.add("client_assertion", assertion.text)
        }
        return HTTPRequest(
            .post, endpoint, body: form.finish(), authorization: authorization, isInterruptible: isInterruptible,
            deadline: deadline)
    }
}
