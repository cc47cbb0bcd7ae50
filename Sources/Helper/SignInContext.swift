package import CredentialCore

/// ② Where we sign in, with which account and how: everything that git's configuration says about a credential context.
///
/// Only `ContextResolver` creates it.
package struct SignInContext {
    /// The host.
    package let host: SignInHost
    /// The account that git or a person requested; nil for any.
    package let username: [UInt8]?
    /// git's configuration for the host and path.
    package let configuration: Configuration
    /// The person's settings for signing in.
    package let settings: SignInSettings
    /// The proxy and certificate settings.
    package let transport: TransportConfiguration
    /// The client ID that was built in for the host, if any.
    package let builtInClientID: String?

    /// The same context for another account.
    package func with(username: [UInt8]?) -> SignInContext {
        SignInContext(
            host: host, username: username, configuration: configuration, settings: settings, transport: transport,
            builtInClientID: builtInClientID)
    }

    /// The query for this account's items.
    ///
    /// A token is for the whole host, whatever the path.
    package func query(path: [UInt8]?) -> ItemQuery {
        ItemQuery(
            protocol: CredentialContext.https, host: host.name, user: username, path: path,
            paths: .wholeHostServesPath)
    }

    /// The attributes under which the token of an account is filed.
    package func attributes(user: [UInt8]) -> ItemAttributes {
        ItemAttributes(protocol: CredentialContext.https, host: host.name, user: user)
    }

    /// The ID of the client that signs in, by configuration or built in; nil if there is none.
    package var clientID: String? { settings.clientID ?? builtInClientID }
}
