package import CredentialCore

/// git's configuration, asked of git itself: one call, the first time that somebody wants to know.
package final class GitConfiguration {
    private var known: Result<[ConfigurationEntry], ConfigurationError>?

    /// A configuration that has not been read yet.
    package init() {}

    /// The entries that a person has set, in git's order.
    ///
    /// - Throws: why nobody knows them, the same each time.
    package func entries() throws(ConfigurationError) -> [ConfigurationEntry] {
        let result = known ?? Result { () throws(ConfigurationError) in try Self.read() }
        known = result
        return try result.get()
    }

    /// Asks git.
    package static func read() throws(ConfigurationError) -> [ConfigurationEntry] {
        try ConfigurationEntry.parse(GitConfigurationList.read("--show-scope"))
    }
}
