package import CredentialCore

/// RFC 6749, section 2.
package struct OAuthClient {
    package var id: String
    /// None unless a person has configured it: clients of the device flow are public.
    package var authentication: ClientAuthentication
    /// Separated by spaces.
    package var scopes: String
    package var endpoints: OAuthEndpoints
    /// The only one that the token shall reach; a GitHub App can ask for that in the device flow.
    package var repositoryID: Int64?
    package var dialect: OAuthDialect

    package init(
        id: String, authentication: ClientAuthentication = .none, scopes: String, endpoints: OAuthEndpoints,
        dialect: OAuthDialect = .standard
    ) {
        self.id = id
        self.authentication = authentication
        self.scopes = scopes
        self.endpoints = endpoints
        self.dialect = dialect
    }
}

package struct OAuthEndpoints {
    /// RFC 8628, 3.1; nil where the server has no device flow.
    package var deviceAuthorization: HTTPSAddress?
    /// RFC 6749, 3.1; nil where the server has no code flow for a client that has no secret.
    package var authorization: HTTPSAddress?
    /// RFC 6749, 3.2.
    package var token: HTTPSAddress
    /// RFC 7009, 2; nil where the server has none.
    package var revocation: HTTPSAddress?
    /// Nil where the endpoints are known without it.
    package var metadata: ServerMetadata?
    /// Hosts of the server's owner on which its sign-in page may be as well.
    package var verificationHosts: [String] = []
    /// RFC 8252, 7.3 and 8.3.
    package var redirectHost = RedirectHost.loopbackAddress

    package init(
        deviceAuthorization: HTTPSAddress? = nil, authorization: HTTPSAddress? = nil, token: HTTPSAddress,
        revocation: HTTPSAddress? = nil, metadata: ServerMetadata? = nil
    ) {
        self.deviceAuthorization = deviceAuthorization
        self.authorization = authorization
        self.token = token
        self.revocation = revocation
        self.metadata = metadata
    }

    /// Only on the very host and port that was asked, on its issuer's, or on a host that is known to be its owner's,
    /// because a page elsewhere could belong to anybody.
    func mayVerify(at page: HTTPSAddress) -> Bool {
        deviceAuthorization?.isSameOrigin(as: page) == true
            || metadata.map { page.isSameOrigin(as: $0.issuer.address) } ?? false
            || page.port == nil && verificationHosts.contains(page.host)
    }
}

/// RFC 6749, section 2.3.
package enum ClientAuthentication {
    /// A public client has nothing that others could not have as well.
    case none
    /// `client_secret_post`.
    case secretInBody(Secret)
    /// `client_secret_basic`.
    case secretInHeader(Secret)
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

extension OAuthClient {
    /// Good for one use: an assertion must not be seen twice.
    ///
    /// The client's ID is in the form as well: a server may ask for it whatever the proof is, and glewlwyd binds the
    /// tokens to nobody without it. The deadline is in milliseconds of uptime.
    ///
    /// - Throws: `.misconfigured(.signature)`.
    func request(
        to endpoint: HTTPSAddress, _ form: FormBuilder, isInterruptible: Bool = true, deadline: Int64? = nil
    ) throws(TransportError) -> HTTPRequest {
        var form = form
        var authorization = HTTPRequest.Authorization.none
        switch authentication {
        case .none: break
        case .secretInBody(let secret): form.add("client_secret", secret)
        case .secretInHeader(let secret):
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

/// What responses mean beyond RFC 6749 and RFC 8628.
package struct OAuthDialect: Sendable {
    /// Those that are in no RFC.
    package var errorCodes: [String: OAuthErrorCode]
    /// If the response contains no known `error`; RFC 6749, 5.2, has none.
    package var unknownClientStatus: Int?
    /// In addition to RFC 6749's space.
    package var scopeSeparator: UInt8?
    /// Clients are confidential unless a person has changed that, and `invalid_client` says no more.
    package var hasConfidentialClients: Bool
    /// `unauthorized_client` means that a refresh token is not good, or that a code came without the secret of a
    /// confidential client.
    package var blamesClient: Bool

    package init(
        errorCodes: [String: OAuthErrorCode], unknownClientStatus: Int? = nil, scopeSeparator: UInt8? = nil,
        hasConfidentialClients: Bool = false, blamesClient: Bool = false
    ) {
        self.errorCodes = errorCodes
        self.unknownClientStatus = unknownClientStatus
        self.scopeSeparator = scopeSeparator
        self.hasConfidentialClients = hasConfidentialClients
        self.blamesClient = blamesClient
    }

    /// Of a server that follows the RFCs.
    package static let standard = OAuthDialect(errorCodes: [:])

    func code(_ text: [UInt8]) -> OAuthErrorCode {
        OAuthErrorCode(text) ?? errorCodes[String(decoding: text, as: UTF8.self)]
            ?? .other(DisplayText(untrusted: text))
    }
}
