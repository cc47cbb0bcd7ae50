/// Why git's configuration could not be read or changed.
package enum ConfigurationFileError: Error, Equatable {
    /// What is configured cannot be read.
    case unread(ConfigurationError)
    /// git cannot read what we were about to write.
    case unreadable
    /// `HOME` is not set.
    case noHome
    /// Somebody else is writing, or died while they did; the lock's path.
    case locked(String)
    /// The file or its folder cannot be written by this person.
    case notPermitted(String)
    /// Anything else that the system says about the file.
    case failed(String, reason: String)
    /// The file was written, but git reads another one, or finds something in it that undoes the change.
    case notTakenUp(String)
    /// There is no name by which git could call this program.
    case noCommand
}
