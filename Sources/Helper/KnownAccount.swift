package import CredentialCore
package import OAuth

/// An account on a host where we sign in, as far as git has named it, and what is configured for it.
package struct KnownAccount {
    /// The host.
    package let host: KnownHost
    /// The account that git asked for; nil for any.
    package let asked: [UInt8]?
    /// What the person configured.
    package let settings: SignInSettings

    /// An account of a host.
    package init(host: KnownHost, asked: [UInt8]?, settings: SignInSettings) {
        self.host = host
        self.asked = asked
        self.settings = settings
    }

    /// Which items serve a request for this account.
    ///
    /// A token is for the whole host, whatever the path.
    package func query(path: [UInt8]?) -> ItemQuery {
        ItemQuery(
            protocol: Place.https, host: host.name, user: asked, path: path, paths: .wholeHostServesPath)
    }

    /// Where a token of that account is filed.
    package func attributes(user: [UInt8]) -> ItemAttributes {
        ItemAttributes(protocol: Place.https, host: host.name, user: user)
    }

    /// The client that signs in, by configuration or built in; nil if there is none.
    package func client(with dependencies: Dependencies) -> OAuthClient? {
        (settings.clientID ?? dependencies.builtInClientID(host)).map(client(id:))
    }

    /// The client with that ID.
    ///
    /// A secret belongs to the configured client alone.
    package func client(id: String) -> OAuthClient {
        var client = OAuthClient(
            id: id, secret: id == settings.clientID ? settings.clientSecret : nil, scopes: settings.scopes, of: host)
        // The endpoints of a built-in host are known; a setting that moves them would be a trap.
        if !host.isBuiltIn {
            if let endpoint = settings.deviceAuthorizationEndpoint { client.deviceAuthorizationEndpoint = endpoint }
            if let endpoint = settings.tokenEndpoint { client.tokenEndpoint = endpoint }
        }
        return client
    }
}
