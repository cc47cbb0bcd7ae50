package import CredentialCore

/// The client that sends requests, its endpoints, and the server's dialect: RFC 6749, section 2.
package struct OAuthClient {
    /// The public client ID.
    package var id: String
    /// The client secret, used only if a person has configured one: clients of the device flow are public.
    package var secret: Secret?
    /// The scopes to request, separated by spaces.
    package var scopes: String
    /// The server's endpoints.
    package var endpoints: OAuthEndpoints
    /// What responses mean beyond the RFCs.
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

/// The endpoints of a server.
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

    /// Whether the server may send a person to a URL: only on the very host and port that was asked, because a page
    /// elsewhere could belong to anybody.
    func mayVerify(at page: HTTPSAddress) -> Bool { page.isSameOrigin(as: deviceAuthorization) }
}
