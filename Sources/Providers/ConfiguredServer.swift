package import CredentialCore
package import OAuth

/// What a person has configured of the server that issues a host's tokens; nothing for a built-in host.
package struct ConfiguredServer {
    /// Its issuer, as it was written; nil for the host itself.
    package let issuer: String?
    /// The endpoints that are named.
    package let endpoints: Discovery.ConfiguredEndpoints

    /// Takes what concerns the server; client and scopes are the sign-in's.
    package init(_ settings: SignInSettings) {
        issuer = settings.issuer
        endpoints = Discovery.ConfiguredEndpoints(
            deviceAuthorization: settings.deviceAuthorizationEndpoint, token: settings.tokenEndpoint)
    }

    private init() {
        issuer = nil
        endpoints = Discovery.ConfiguredEndpoints()
    }

    /// For hosts whose endpoints nobody may change.
    package static let nothing = ConfiguredServer()
}
