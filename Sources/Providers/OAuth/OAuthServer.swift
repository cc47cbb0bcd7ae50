package import CredentialCore

/// An authorization server (RFC 6749, 1.1): its endpoints, its metadata, and the meaning of its answers.
package struct OAuthServer {
    /// The device endpoint (RFC 8628, 3.1), or `nil` if there is no device flow.
    package var deviceAuthorization: HTTPSAddress?
    /// The page's endpoint (RFC 6749, 3.1), or `nil` if there is no code flow, or none without a secret.
    package var authorization: HTTPSAddress?
    /// The token endpoint (RFC 6749, 3.2).
    package var token: HTTPSAddress
    /// The revocation endpoint (RFC 7009, 2), or `nil` if there is none.
    package var revocation: HTTPSAddress?
    /// The userinfo endpoint (OpenID Connect Core 1.0, 5.3), or `nil` if there is none, or it is on a foreign host.
    package var userinfo: HTTPSAddress?
    /// The address of the keys, or `nil` if unknown.
    ///
    /// The keys may be on any host: the issuer chooses them, and the request contains nothing of ours.
    package var keys: HTTPSAddress?
    /// The default scopes, separated by spaces.
    package var scopes = ""

    // MARK: Metadata (RFC 8414, 2)

    /// The issuer, or `nil` if the endpoints are known without its metadata.
    package var issuer: Issuer?
    package var knownScopes: [String]?
    /// The ways to send a secret, in the order of attempts; both for a server without metadata.
    package var secretMethods = SecretMethod.allCases
    /// The challenge methods (RFC 7636, 4.3), or `nil` if unknown.
    package var challengeMethods: [String]?
    /// The prompts of OpenID Connect (Initiating User Registration 1.0, 4), or `nil` if unknown.
    package var prompts: [String]?
    /// Whether each authorization response has an `iss` (RFC 9207, 3).
    package var namesIssuer = false

    // MARK: Peculiarities

    /// Further hosts of the server's owner that may have its sign-in page.
    package var verificationHosts: [String] = []
    /// The host of redirect addresses (RFC 8252, 7.3 and 8.3).
    package var redirectHost = RedirectHost.loopbackAddress
    /// Error codes that are in no RFC.
    package var errorCodes: [String: OAuthErrorCode] = [:]
    /// The status for an unknown client, if the device endpoint's response has no known `error`.
    package var unknownClientStatus: Int?
    /// A separator of scopes besides RFC 6749's space.
    package var scopeSeparator: UInt8?
    /// Whether new clients are confidential by default, so that `invalid_client` probably means a missing secret.
    package var hasConfidentialClients = false
    /// Whether `unauthorized_client` means an invalid refresh token, or a code without a confidential client's secret.
    package var blamesClient = false

    package init(
        deviceAuthorization: HTTPSAddress? = nil, authorization: HTTPSAddress? = nil, token: HTTPSAddress,
        revocation: HTTPSAddress? = nil
    ) {
        self.deviceAuthorization = deviceAuthorization
        self.authorization = authorization
        self.token = token
        self.revocation = revocation
    }

    package func with(_ configured: SignInSettings?) -> OAuthServer {
        var server = self
        server.deviceAuthorization = configured?.deviceAuthorizationEndpoint ?? deviceAuthorization
        server.authorization = configured?.authorizationEndpoint ?? authorization
        server.token = configured?.tokenEndpoint ?? token
        return server
    }

    /// Whether the server checks the proof of RFC 7636; assumed of a server without metadata.
    package var checksChallenge: Bool { issuer == nil || challengeMethods != nil }

    /// Whether a page is on the origin of the device endpoint or issuer, or on a known host of the server's owner;
    /// another page could be anybody's.
    func mayVerify(at page: HTTPSAddress) -> Bool {
        [deviceAuthorization, issuer?.address].contains { $0?.isSameOrigin(as: page) == true }
            || page.port == nil && verificationHosts.contains(page.host)
    }

    func code(_ text: [UInt8]) -> OAuthErrorCode {
        OAuthErrorCode(text) ?? errorCodes[String(decoding: text, as: UTF8.self)]
            ?? .other(DisplayText(untrusted: text))
    }
}
