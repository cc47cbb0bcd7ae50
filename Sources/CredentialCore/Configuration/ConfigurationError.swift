/// Why git's configuration cannot be read: then nobody knows what the person has set, and nothing may rest on it.
///
/// "Nothing is configured" is no error.
package enum ConfigurationError: Error, Equatable {
    /// There is no git to ask, or it could not be started.
    case noGit
    /// git gave up, and says why on its standard error.
    case failed
    /// git was still busy after so many seconds.
    case timedOut(seconds: Int)
    /// git printed more than so many MiB.
    case tooLarge(mebibytes: Int)
    /// The person's own file, which this process may not open; git skips it silently.
    case notPermitted(String)
    /// The value or the URL of this key is not UTF-8.
    case notText(key: String)
}
