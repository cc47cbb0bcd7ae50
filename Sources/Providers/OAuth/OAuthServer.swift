package import CredentialCore

/// The authorization server of RFC 6749, 1.1: where it is asked, what it publishes, and what its answers mean.
package struct OAuthServer {
    /// RFC 8628, 3.1; nil where the server has no device flow.
    package var deviceAuthorization: HTTPSAddress?
    /// RFC 6749, 3.1; nil where the server has no code flow for a client that has no secret.
    package var authorization: HTTPSAddress?
    /// RFC 6749, 3.2.
    package var token: HTTPSAddress
    /// RFC 7009, 2; nil where the server has none.
    package var revocation: HTTPSAddress?
    /// OpenID Connect Core 1.0, 5.3: it tells whose an access token is; nil if the server does not say, or if that is on
    /// a foreign host.
    package var userinfo: HTTPSAddress?
    /// On any host; nil if the server does not say.
    ///
    /// It is for the issuer to say which keys are its own, and nothing of ours goes there.
    package var keys: HTTPSAddress?
    /// What to ask for unless the person says otherwise, separated by spaces.
    package var scopes = ""

    // MARK: What it publishes (RFC 8414, 2)

    /// Nil where the endpoints are known without asking.
    package var issuer: Issuer?
    /// Nil if it does not say.
    package var knownScopes: [String]?
    /// How it takes a client's secret, in the order in which that is tried; either if it publishes nothing at all.
    package var secretMethods = SecretMethod.allCases
    /// Of RFC 7636, 4.3; nil if it does not say.
    package var challengeMethods: [String]?
    /// Of OpenID Connect (Initiating User Registration 1.0, 4); nil if it does not say.
    package var prompts: [String]?
    /// RFC 9207, 3: each authorization response has an `iss`.
    package var namesIssuer = false

    // MARK: In what it differs

    /// Hosts of the server's owner on which its sign-in page may be as well.
    package var verificationHosts: [String] = []
    /// RFC 8252, 7.3 and 8.3.
    package var redirectHost = RedirectHost.loopbackAddress
    /// Those that are in no RFC.
    package var errorCodes: [String: OAuthErrorCode] = [:]
    /// If the device endpoint's response contains no known `error`; RFC 6749, 5.2, has none.
    package var unknownClientStatus: Int?
    /// In addition to RFC 6749's space.
    package var scopeSeparator: UInt8?
    /// Clients are confidential unless a person has changed that, and `invalid_client` says no more.
    package var hasConfidentialClients = false
    /// `unauthorized_client` means that a refresh token is not good, or that a code came without the secret of a
    /// confidential client.
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

    /// With the endpoints that the person has configured in the place of its own.
    package func with(_ configured: SignInSettings?) -> OAuthServer {
        var server = self
        server.deviceAuthorization = configured?.deviceAuthorizationEndpoint ?? deviceAuthorization
        server.authorization = configured?.authorizationEndpoint ?? authorization
        server.token = configured?.tokenEndpoint ?? token
        return server
    }

    /// Whether it is certain that the server checks RFC 7636's proof.
    package var checksChallenge: Bool { issuer == nil || challengeMethods != nil }

    /// Only on the very host and port that was asked, on its issuer's, or on a host that is known to be its owner's,
    /// because a page elsewhere could belong to anybody.
    func mayVerify(at page: HTTPSAddress) -> Bool {
        [deviceAuthorization, issuer?.address].contains { $0?.isSameOrigin(as: page) == true }
            || page.port == nil && verificationHosts.contains(page.host)
    }

    func code(_ text: [UInt8]) -> OAuthErrorCode {
        OAuthErrorCode(text) ?? errorCodes[String(decoding: text, as: UTF8.self)]
            ?? .other(DisplayText(untrusted: text))
    }
}
