package import CredentialCore

/// The kinds of hosts that there are: a line each.
package enum ProviderRegistry {
    /// The provider that git's configuration calls by that word.
    package static func provider(_ id: ProviderID) -> any Provider {
        switch id {
        case .github: GitHub()
        case .gitlab: GitLab()
        case .oidc: OpenIDProvider()
        }
    }
}

extension SignInHost {
    /// All that is particular to this kind of host.
    package var provider: any Provider { ProviderRegistry.provider(providerID) }
}
