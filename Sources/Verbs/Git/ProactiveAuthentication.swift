internal import CredentialCore
internal import Helper

/// git's `http.<url>.proactiveAuth`: git sends the token with its first request, which saves a refused one.
///
/// git then never falls back to a request without a token, so it is only for hosts where an account is signed in.
struct ProactiveAuthentication {
    let files: any ConfigurationFiles
    let dependencies: Dependencies

    static func isOn(for host: HostName, _ entries: [OriginatedEntry]) -> Bool {
        let configuration = Configuration(entries.filter(\.isTrusted).map(\.entry), for: host)
        return configuration.value("http", "proactiveAuth").map { $0 != "none" } ?? false
    }

    func signedIn(among hosts: [HostName]) throws(UserFacingError) -> [HostName] {
        var found: [HostName] = []
        for host in hosts where try isSignedIn(to: host) { found.append(host) }
        return found
    }

    /// Whether a valid or refreshable token is stored.
    func isSignedIn(to host: HostName) throws(UserFacingError) -> Bool {
        let signIn = try rethrowing(
            as: UserFacingError.configurationUnreadable,
            try ContextResolver(with: dependencies).signInContext(of: host))
        guard
            let context = signIn?.credentialContext
                ?? (try? CredentialContext(protocol: CredentialContext.https, host: host))
        else { return false }
        let now = dependencies.clock.now
        return try rethrowing(as: UserFacingError.keyring, try Lookup(with: dependencies).all(context.query(user: nil)))
            .contains { $0.credential.condition(at: now).isUsable }
    }

    /// Turns the setting on in the person's own file for hosts where it is off.
    ///
    /// - Returns: the lines that were added.
    func turnOn(for hosts: [HostName], isDryRun: Bool) throws(ConfigurationFileError) -> [String] {
        let entries = try files.entries()
        let sections = hosts.filter { !Self.isOn(for: $0, entries) }.map { HelperSection.proactiveLines(for: $0.url) }
        if !sections.isEmpty, !isDryRun {
            try files.edit(.global) { text in .write(HelperSection.add(sections, to: text)) }
        }
        return sections.flatMap(\.self)
    }

    /// Removes our lines for a host; returns whether there were any.
    func takeBack(for host: HostName) throws(ConfigurationFileError) -> Bool {
        let urls = host.withGists.map(\.url)
        return try !files.removeSections(from: .global) { $0 == .proactive && urls.contains($1) }.lines.isEmpty
    }
}
