package import CredentialCore

/// The client that sends requests, its endpoints, and the server's dialect: RFC 6749, section 2.
package struct OAuthClient {
    /// The public client ID.
    package var id: String
    /// How it proves who it is; not at all unless a person has configured it: clients of the device flow are public.
    package var authentication: ClientAuthentication
    /// The scopes to request, separated by spaces.
    package var scopes: String
    /// The server's endpoints.
    package var endpoints: OAuthEndpoints
    /// What responses mean beyond the RFCs.
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

/// The endpoints of a server.
package struct OAuthEndpoints {
    /// RFC 8628, 3.1.
    package var deviceAuthorization: HTTPSAddress
    /// RFC 6749, 3.2.
    package var token: HTTPSAddress
    /// RFC 7009, 2; nil where the server has none.
    package var revocation: HTTPSAddress?
    /// What the server has published of itself; nil where its endpoints are known without that.
    package var metadata: ServerMetadata?
    /// Hosts of the server's owner on which its sign-in page may be as well.
    package var verificationHosts: [String] = []

    package init(
        deviceAuthorization: HTTPSAddress, token: HTTPSAddress, revocation: HTTPSAddress? = nil,
        metadata: ServerMetadata? = nil
    ) {
        self.deviceAuthorization = deviceAuthorization
        self.token = token
        self.revocation = revocation
        self.metadata = metadata
    }

    /// Whether the server may send a person to a URL: only on the very host and port that was asked, on its issuer's, or
    /// on a host that is known to be its owner's, because a page elsewhere could belong to anybody.
    func mayVerify(at page: HTTPSAddress) -> Bool {
        page.isSameOrigin(as: deviceAuthorization)
            || metadata.map { page.isSameOrigin(as: $0.issuer.address) } ?? false
            || page.port == nil && verificationHosts.contains(page.host)
    }
}

/// How a client proves who it is: RFC 6749, section 2.3.
package enum ClientAuthentication {
    /// Not at all: a public client has nothing that others could not have as well.
    case none
    /// A secret in the body (`client_secret_post`).
    case secretInBody(Secret)
    /// A secret in HTTP Basic credentials (`client_secret_basic`).
    case secretInHeader(Secret)
    /// An assertion that it signs (`private_key_jwt`).
    case assertion(AssertionKey)

    /// The key of a client.
    package struct AssertionKey {
        /// Holds the private half, and never gives it away.
        package let signer: any AssertionSigner
        /// By what name the server knows it (`kid`), if by any.
        package let id: String?
        /// Seconds since 1970.
        package let now: () -> Int64

        package init(_ signer: any AssertionSigner, id: String?, now: @escaping () -> Int64) {
            self.signer = signer
            self.id = id
            self.now = now
        }
    }

    /// Whether anything is proved.
    package var isPresent: Bool { if case .none = self { false } else { true } }
}

extension OAuthClient {
    /// A request to an endpoint of the server, with the proof of who sends it.
    ///
    /// The client's ID is in the form as well: a server may ask for it whatever the proof is, and glewlwyd binds the
    /// tokens to nobody without it.
    ///
    /// - Parameters:
    ///   - endpoint: one of the server's.
    ///   - form: what is asked.
    ///   - isInterruptible: whether Ctrl-C may end it.
    ///   - deadline: when its answer is of no use any more, in milliseconds of uptime.
    /// - Returns: the request, which is good for one use: an assertion must not be seen twice.
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

    /// The assertion for one request: RFC 7523, 2.2 and 3.
    ///
    /// Its audience is the very endpoint that is asked. RFC 7523, 3, leaves open what names the server, and says that its
    /// token endpoint may; glewlwyd takes nothing but the endpoint called, and a second try with another audience is out
    /// of the question, since the first may have spent a refresh token. (The draft that amends RFC 7523 wants the issuer,
    /// lest one server use the assertion at another; here the endpoints are on the issuer's host, or the person's choice.)
    private func assertion(for endpoint: HTTPSAddress, by key: ClientAuthentication.AssertionKey) -> Secret? {
        var generator = SystemRandomNumberGenerator()
        let claims = AssertionClaims.clientAuthentication(
            clientID: id, audience: endpoint.text, now: key.now(), using: &generator)
        return SignedAssertion(claims, keyID: key.id, by: key.signer)?.text
    }
}

/// What a server's responses mean beyond RFC 6749 and RFC 8628.
package struct OAuthDialect: Sendable {
    /// Values of `error` that are in no RFC, and their meanings.
    package var errorCodes: [String: OAuthErrorCode]
    /// The status that means an unknown client if the response contains no known `error`; RFC 6749, 5.2, has none.
    package var unknownClientStatus: Int?
    /// Characters that separate granted scopes, in addition to RFC 6749's space.
    package var scopeSeparator: UInt8?

    /// The dialect of a server that differs from the RFCs.
    package init(errorCodes: [String: OAuthErrorCode], unknownClientStatus: Int? = nil, scopeSeparator: UInt8? = nil) {
        self.errorCodes = errorCodes
        self.unknownClientStatus = unknownClientStatus
        self.scopeSeparator = scopeSeparator
    }

    /// The dialect of a server that follows the RFCs.
    package static let standard = OAuthDialect(errorCodes: [:])

    /// The meaning of an `error`.
    func code(_ text: [UInt8]) -> OAuthErrorCode {
        OAuthErrorCode(text) ?? errorCodes[String(decoding: text, as: UTF8.self)] ?? .other(DisplayText(text))
    }
}
