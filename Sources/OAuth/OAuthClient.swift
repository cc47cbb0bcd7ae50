package import CredentialCore

/// The application in whose name we ask, where it asks, and how it is answered: RFC 6749, section 2.
package struct OAuthClient {
    /// The public client ID.
    package var id: String
    /// The client secret, sent only where a person has configured one: the device flow's clients are public.
    package var secret: Secret?
    /// What to ask for, separated by spaces.
    package var scopes: String
    /// Where it asks.
    package var endpoints: OAuthEndpoints
    /// What the answers mean beyond the RFCs.
    package var dialect: OAuthDialect

    package init(
        id: String, secret: Secret? = nil, scopes: String, endpoints: OAuthEndpoints, dialect: OAuthDialect = .standard
    ) {
        self.id = id
        self.secret = secret
        self.scopes = scopes
        self.endpoints = endpoints
        self.dialect = dialect
    }
}

/// Where a server is asked.
package struct OAuthEndpoints {
    /// RFC 8628, 3.1.
    package var deviceAuthorization: HTTPSAddress
    /// RFC 6749, 3.2.
    package var token: HTTPSAddress
    /// RFC 7009, 2; nil where the server has none.
    package var revocation: HTTPSAddress?

    package init(deviceAuthorization: HTTPSAddress, token: HTTPSAddress, revocation: HTTPSAddress? = nil) {
        self.deviceAuthorization = deviceAuthorization
        self.token = token
        self.revocation = revocation
    }

    /// Whether the server may send a person there: to the very host and port that was asked, for a page elsewhere could
    /// be anybody's.
    func mayVerify(at page: HTTPSAddress) -> Bool { page.isSameOrigin(as: deviceAuthorization) }
}
