internal import CredentialCore
internal import Helper

/// git's `http.<url>.proactiveAuth`: git sends the token with its first request, which saves a refused one.
///
/// git then never falls back to a request without a token, so it is only for hosts where an account is signed in.
enum ProactiveAuthentication {
    static func isOn(for host: HostName, _ entries: [OriginatedEntry]) -> Bool {
        let configuration = Configuration(entries.filter(\.isTrusted).map(\.entry), for: host)
        return configuration.value("http", "proactiveAuth").map { $0 != "none" } ?? false
    }
}

extension Dependencies {
    /// Whether a valid or refreshable token is stored.
    func isSignedIn(to host: HostName) throws(UserFacingError) -> Bool {
        let signIn = try rethrowing(
            as: UserFacingError.configurationUnreadable, try ContextResolver(with: self).signInContext(of: host))
        guard
            let context = signIn?.credentialContext
                ?? (try? CredentialContext(protocol: CredentialContext.https, host: host))
        else { return false }
        return try rethrowing(as: UserFacingError.keyring, try Lookup(with: self).all(context.query(user: nil)))
            .contains { $0.credential.condition(at: clock.now).isUsable }
    }
}
