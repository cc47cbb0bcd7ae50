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
