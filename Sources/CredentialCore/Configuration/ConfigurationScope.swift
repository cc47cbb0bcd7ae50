/// Which of git's files.
package enum ConfigurationScope: String {
    /// The person's own: `--global`.
    case global
    /// The whole machine's: `--system`.
    case system
}
