/// Which of git's configuration files.
package enum ConfigurationScope: String {
    /// The person's own: `--global`.
    case global
    /// The file for the whole machine: `--system`.
    case system
}
