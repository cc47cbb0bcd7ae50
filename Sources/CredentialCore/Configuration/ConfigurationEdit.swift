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
    /// git finds no repository in the current folder, or does not trust its owner.
    case noRepository
    /// Something of the current repository leads to a file elsewhere.
    case elsewhere(String)
    case folderMissing(String)
    case noFolder(String, reason: String)
    /// Another program is writing, or crashed while it did; the path of the lock.
    case locked(String)
    case notPermitted(String)
    /// git writes a lock file into it, and so do we.
    case folderNotPermitted(String)
    case failed(String, reason: String)
    /// The file was written, but git reads another file, or something in it overrides the change.
    case notTakenUp(String)
    /// git has no name by which it could run this program.
    case noCommand
}
