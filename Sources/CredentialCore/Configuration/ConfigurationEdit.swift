package enum ConfigurationEdit: Equatable {
    case nothing
    case write([UInt8])
    case delete
}

package enum ConfigurationFileError: Error, Equatable {
    case unread(ConfigurationError)
    /// git cannot parse the text that we were about to write.
    case unreadable
    case noHome
    /// git finds no repository in the current folder, or does not trust its owner.
    case noRepository
    /// A part of the current repository leads to a file elsewhere.
    case elsewhere(String)
    case folderMissing(String)
    case noFolder(String, reason: String)
    /// Another program is writing, or crashed while writing; the path of the lock.
    case locked(String)
    case notPermitted(String)
    /// The folder is not writable, and git's lock file must be created in it.
    case folderNotPermitted(String)
    case failed(String, reason: String)
    /// The file was written, but git reads another one, or a later line overrides the change.
    case notTakenUp(String)
    /// git has no name by which it could run this program.
    case noCommand
}
