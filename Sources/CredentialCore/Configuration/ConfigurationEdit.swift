/// What an edit does with a file.
package enum ConfigurationEdit: Equatable {
    /// Leaves it as it is.
    case nothing
    /// Writes these contents.
    case write([UInt8])
    /// Deletes it.
    case delete
}

/// Why git's configuration could not be read or changed.
package enum ConfigurationFileError: Error, Equatable {
    /// What is configured cannot be read.
    case unread(ConfigurationError)
    /// git cannot read the text that was about to be written.
    case unreadable
    /// `HOME` is not set.
    case noHome
    /// Another program is writing, or crashed while it did; the path of the lock.
    case locked(String)
    /// This person may not write the file or its directory.
    case notPermitted(String)
    /// Any other error that the system reports for the file.
    case failed(String, reason: String)
    /// The file was written, but git reads another file, or something in it overrides the change.
    case notTakenUp(String)
    /// git has no name by which it could run this program.
    case noCommand
}
