package import CredentialCore

/// A client (RFC 6749, section 2).
package struct OAuthClient {
    package var id: String
    /// The authentication; none unless configured, since clients of the device flow are public.
    package var authentication: ClientAuthentication
    /// The scopes, separated by spaces.
    package var scopes: String
    package var server: OAuthServer

    /// Makes a client; without scopes, the server's are requested.
    package init(
        id: String, authentication: ClientAuthentication = .none, scopes: String? = nil, server: OAuthServer
    ) {
        self.id = id
        self.authentication = authentication
        self.scopes = scopes ?? server.scopes
        self.server = server
    }
}

/// The authentication of a client (RFC 6749, section 2.3).
package enum ClientAuthentication {
    /// A public client, which has no secret.
    case none
    /// A secret, sent in one of the ways that the server accepts.
    case secret(Secret)
    /// An assertion, `private_key_jwt`.
    case assertion(AssertionKey)

    package struct AssertionKey {
        /// The signer, which never reveals the private key.
        package let signer: any AssertionSigner
        /// The key ID (`kid`) at the server.
        package let id: String?
        /// The audience of every request, or `nil` for the very endpoint.
        package let audience: String?
        /// The time in seconds since 1970.
        package let now: () -> Int64

        package init(
            _ signer: any AssertionSigner, id: String?, audience: String? = nil, now: @escaping () -> Int64
        ) {
            self.signer = signer
            self.id = id
            self.audience = audience
            self.now = now
        }
    }

    package var isPresent: Bool { if case .none = self { false } else { true } }
}

/// The place of a client's secret in a request, by its name in a server's metadata (RFC 8414, 2); servers must accept
/// HTTP Basic, and the body is discouraged (RFC 6749, 2.3.1).
package enum SecretMethod: String, CaseIterable {
    case basic = "client_secret_basic"
    case body = "client_secret_post"
}

extension OAuthClient {
    /// Makes a request for one use, since an assertion must not be seen twice; the deadline is in milliseconds of
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
            // Both are form-encoded first (RFC 6749, 2.3.1).
            let name = FormBuilder.encoded(Secret(Array(id.utf8)))
            authorization = .basic(
                username: name.reveal { String(decoding: $0, as: UTF8.self) }, password: FormBuilder.encoded(secret))
        case .assertion(let key):
            guard let assertion = assertion(for: endpoint, by: key) else { throw .misconfigured(.signature) }
            form.add("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer".utf8)
            form.add("client_assertion", assertion)
        }
        return HTTPRequest(
            .post, endpoint, body: form.finish(), authorization: authorization, isInterruptible: isInterruptible,
            deadline: deadline)
    }

    /// An assertion (RFC 7523, 2.2 and 3).
    ///
    /// The audience is the issuer, as Keycloak, Zitadel and the draft that amends RFC 7523 require, lest one server use
    /// the assertion at another. Some servers, such as glewlwyd, accept only the endpoint. A second attempt with
    /// another audience is impossible, since the first may have spent a refresh token.
    private func assertion(for endpoint: HTTPSAddress, by key: ClientAuthentication.AssertionKey) -> Secret? {
        var generator = SystemRandomNumberGenerator()
        let claims = AssertionClaims.clientAuthentication(
            clientID: id, audience: key.audience ?? endpoint.text, now: key.now(), using: &generator)
        return SignedAssertion(claims, keyID: key.id, by: key.signer)?.text
    }
}
