package import CredentialCore

extension Place {
    /// The place of a request, under the one name by which it is filed.
    ///
    /// A host where the person has configured a sign-in may be spelt otherwise by git: `GHE.Example`, `ghe.example:443`,
    /// `HTTPS`. Left at that, `erase` and `store` would look elsewhere than where a sign-in files its token. The usual
    /// spelling is not worth the cost of git's configuration.
    package init(of request: Request, with dependencies: Dependencies) throws(Refusal) {
        let place = try Place(of: request)
        let canonical = place.host.canonicalForHTTPS
        let isUsual = place.protocol == Self.https && place.host == canonical
        guard !isUsual, ASCII.equalsIgnoringCase(place.protocol, "https") else {
            self = place
            return
        }
        let configuration = Configuration(dependencies.configuration(), for: canonical)
        let settings = SignInSettings(configuration, host: canonical, environment: dependencies.environment)
        let configured = settings.provider.flatMap { KnownHost(configured: canonical, provider: $0) }
        self = configured.map { Place($0, path: place.path) } ?? place
    }

    /// git's configuration for this place.
    package func configuration(with dependencies: Dependencies) -> Configuration {
        Configuration(dependencies.configuration(), for: host, path: path ?? [])
    }

    /// The host as somewhere to sign in, built in or configured; nil for a plain store.
    package func knownHost(_ settings: SignInSettings) -> KnownHost? {
        if let builtIn { return settings.provider == Provider.none ? nil : builtIn }
        guard self.protocol == Self.https, let provider = settings.provider else { return nil }
        return KnownHost(configured: host, provider: provider)
    }
}
