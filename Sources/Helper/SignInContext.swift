package import CredentialCore
package import Providers

/// ② Where we sign in, with which account and how: everything that git's configuration says about a credential context.
///
/// Only `ContextResolver` creates it.
package struct SignInContext {
    /// The host.
    package let host: SignInHost
    /// The account that git or a person requested; nil for any.
    package let username: [UInt8]?
    /// The path that git or a person requested, if any.
    package var path: [UInt8]?
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
            host: host, username: username, path: path, configuration: configuration, settings: settings,
            transport: transport,
            builtInClientID: builtInClientID)
    }

    /// The scheme in which git has to send the token; nil for Basic.
    package var authtype: [UInt8]? {
        settings.isBearer && host.provider.takesBearer ? Array("Bearer".utf8) : nil
    }

    /// The credential context of the whole host.
    package var credentialContext: CredentialContext { CredentialContext(host, path: nil) }

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
