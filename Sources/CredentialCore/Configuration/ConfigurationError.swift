/// Why git's configuration cannot be read.
///
/// No decision may then rely on what is or is not configured.
///
/// An empty configuration is not an error.
package enum ConfigurationError: Error, Equatable {
    /// git is not there, or could not be started.
    case noGit
    /// git failed, and wrote the reason to its standard error.
    case failed
    /// git did not finish within so many seconds.
    case timedOut(seconds: Int)
    /// git printed more than so many MiB.
    case tooLarge(mebibytes: Int)
    /// A file of the person's own that this process may not open; git skips it silently.
    case notPermitted(String)
    /// The value or the URL of this key is not UTF-8.
    case notText(key: String)
}
