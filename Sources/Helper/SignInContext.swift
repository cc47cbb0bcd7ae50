package import CredentialCore
package import Providers

/// ② Everything that git's configuration says about a credential context.
///
/// Only `ContextResolver` creates it.
package struct SignInContext {
    package let host: SignInHost
    /// Requested by git or a person; nil for any.
    package let username: [UInt8]?
    /// Requested by git or a person.
    package var path: [UInt8]?
    /// For the host and path.
    package let configuration: Configuration
    package let settings: SignInSettings
    /// Of the proxy and the certificates.
    package let transport: TransportConfiguration
    package let builtInClientID: String?

    package func with(username: [UInt8]?) -> SignInContext {
        SignInContext(
            host: host, username: username, path: path, configuration: configuration, settings: settings,
            transport: transport,
            builtInClientID: builtInClientID)
    }

    /// git has to send the token in it; nil for Basic.
    package var authtype: [UInt8]? {
        settings.isBearer && host.provider.takesBearer ? Array("Bearer".utf8) : nil
    }

    /// Of the whole host.
    package var credentialContext: CredentialContext { CredentialContext(host, path: nil) }

    /// A token is for the whole host, whatever the path.
    package func query(path: [UInt8]?) -> ItemQuery {
        ItemQuery(
            protocol: CredentialContext.https, host: host.name, user: username, path: path,
            paths: .wholeHostServesPath)
    }

    package func attributes(user: [UInt8]) -> ItemAttributes {
        ItemAttributes(protocol: CredentialContext.https, host: host.name, user: user)
    }

    /// By configuration or built in.
    package var clientID: String? { settings.clientID ?? builtInClientID }
}
