package import CredentialCore

/// git's configuration, asked of git itself: one call, the first time that somebody wants to know.
package final class GitConfiguration {
    private var known: [ConfigurationEntry]?

    /// A configuration that has not been read yet.
    package init() {}

    /// The entries that a person has set, in git's order; none if git cannot be asked.
    package var entries: [ConfigurationEntry] {
        if let known { return known }
        let entries = Self.read() ?? []
        known = entries
        return entries
    }

    /// Asks git; nil if it does not answer within five seconds, or fails.
    package static func read() -> [ConfigurationEntry]? {
        ChildProcess.output(of: ["git", "config", "--list", "--show-scope", "-z"], within: 5_000)
            .map(ConfigurationEntry.parse)
    }
}
