package enum ConfigurationEdit: Equatable {
    case nothing
    case write([UInt8])
    case delete
}

package enum ConfigurationFileError: Error, Equatable {
    case unread(ConfigurationError)
    /// By git: the text that was about to be written.
    case unreadable
    case noHome
    /// Another program is writing, or crashed while it did; the path of the lock.
    case locked(String)
    case notPermitted(String)
    case failed(String, reason: String)
    /// The file was written, but git reads another file, or something in it overrides the change.
    case notTakenUp(String)
    /// git has no name by which it could run this program.
    case noCommand
}
