package import CredentialCore

/// RFC 6749, section 2.
package struct OAuthClient {
    package var id: String
    /// None unless a person has configured it: clients of the device flow are public.
    package var authentication: ClientAuthentication
    /// Separated by spaces.
    package var scopes: String
    package var server: OAuthServer

    /// Without scopes, it asks for the server's.
    package init(
        id: String, authentication: ClientAuthentication = .none, scopes: String? = nil, server: OAuthServer
    ) {
        self.id = id
        self.authentication = authentication
        self.scopes = scopes ?? server.scopes
        self.server = server
    }
}

/// RFC 6749, section 2.3.
package enum ClientAuthentication {
    /// A public client has nothing that others could not have as well.
    case none
    /// In one of the ways that the server takes it.
    case secret(Secret)
    /// `private_key_jwt`.
    case assertion(AssertionKey)

    package struct AssertionKey {
        /// It holds the private half, and never gives it away.
        package let signer: any AssertionSigner
        /// By it the server knows the key (`kid`).
        package let id: String?
        /// For every request; nil for the very endpoint that is asked.
        package let audience: String?
        /// Seconds since 1970.
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

/// Where a client's secret stands in a request, by its name in a server's metadata (RFC 8414, 2).
///
/// Servers have to take HTTP Basic, and are advised against the body (RFC 6749, 2.3.1).
package enum SecretMethod: String, CaseIterable {
    case basic = "client_secret_basic"
    case body = "client_secret_post"
}

extension OAuthClient {
    /// Good for one use: an assertion must not be seen twice.
    ///
    /// The deadline is in milliseconds of uptime.
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
            // Both are written as in a form first (RFC 6749, 2.3.1).
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

    /// RFC 7523, 2.2 and 3.
    ///
    /// Its audience is the issuer, as Keycloak and Zitadel want it, and the draft that amends RFC 7523 wants it from all,
    /// lest one server use the assertion at another. Some servers take nothing but the endpoint that is asked; glewlwyd is
    /// one. A second try with another audience is out of the question, since the first may have spent a refresh token.
    private func assertion(for endpoint: HTTPSAddress, by key: ClientAuthentication.AssertionKey) -> Secret? {
        var generator = SystemRandomNumberGenerator()
        let claims = AssertionClaims.clientAuthentication(
            clientID: id, audience: key.audience ?? endpoint.text, now: key.now(), using: &generator)
        return SignedAssertion(claims, keyID: key.id, by: key.signer)?.text
    }
}
