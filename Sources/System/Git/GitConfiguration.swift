package import CredentialCore

/// git's configuration, read from git itself with one call, when it is first needed.
package final class GitConfiguration {
    private var known: Result<[ConfigurationEntry], ConfigurationError>?

    /// A configuration that has not been read yet.
    package init() {}

    /// The entries that the person and the system have set, in git's order.
    ///
    /// - Throws: why they cannot be read; the same error each time.
    package func entries() throws(ConfigurationError) -> [ConfigurationEntry] {
        let result = known ?? Result { () throws(ConfigurationError) in try Self.read() }
        known = result
        return try result.get()
    }

    /// Runs git.
    package static func read() throws(ConfigurationError) -> [ConfigurationEntry] {
        try ConfigurationEntry.parse(GitConfigurationList.read("--show-scope"))
    }
}
