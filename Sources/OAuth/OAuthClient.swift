package import CredentialCore

/// The application in whose name we ask, and where it asks: RFC 6749, section 2.
package struct OAuthClient {
    /// The public client ID.
    package var id: String
    /// The client secret, sent only where a person has configured one: the device flow's clients are public.
    package var secret: Secret?
    /// What to ask for, separated by spaces.
    package var scopes: String
    /// RFC 8628, 3.1.
    package var deviceAuthorizationEndpoint: HTTPSAddress
    /// RFC 6749, 3.2.
    package var tokenEndpoint: HTTPSAddress
    /// Tells who is signed in.
    package var userEndpoint: HTTPSAddress

    /// The client of a GitHub, whose endpoints follow from the host.
    ///
    /// - Parameters:
    ///   - id: the client ID.
    ///   - secret: the client secret, if one is configured.
    ///   - scopes: what to ask for; nil for the provider's default.
    ///   - host: where.
    package init(id: String, secret: Secret? = nil, scopes: String? = nil, of host: SignInHost) {
        self.id = id
        self.secret = secret
        self.scopes = scopes ?? host.provider.defaultScopes
        deviceAuthorizationEndpoint = host.oauthBase.appending("/login/device/code")
        tokenEndpoint = host.oauthBase.appending("/login/oauth/access_token")
        userEndpoint = host.apiBase.appending("/user")
    }
}
