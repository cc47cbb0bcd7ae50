/// git's configuration as files, to be read with their names and to be changed.
package protocol ConfigurationFiles {
    /// Every line that git reads here, in its order.
    func entries() throws(ConfigurationFileError) -> [OriginatedEntry]

    /// The file that `git config` would write to.
    func path(of scope: ConfigurationScope) throws(ConfigurationFileError) -> String

    /// What the file holds; nil if there is none.
    func contents(of scope: ConfigurationScope) throws(ConfigurationFileError) -> [UInt8]?

    /// Changes the file as git does, under git's own lock: all or nothing, and nobody else writes meanwhile.
    ///
    /// Its mode stays, and a symbolic link stays one. The new text takes effect only if git can read it.
    ///
    /// - Parameters:
    ///   - scope: which file.
    ///   - change: gets what the file holds (nil if there is none) and says what shall become of it.
    /// - Throws: why it stays as it was.
    func edit(
        _ scope: ConfigurationScope,
        _ change: ([UInt8]?) throws(ConfigurationFileError) -> ConfigurationEdit
    ) throws(ConfigurationFileError)

    /// How git can call this program; nil if it is not on the PATH and was not called by its path either.
    func ownCommand() -> HelperCommand?

    /// Whether there is a program at a path.
    func isProgram(_ path: String) -> Bool

    /// Sets a key in the person's own file, in place of any value that it has: `git config --global`.
    func set(_ key: String, to value: String) throws(ConfigurationFileError)
}

/// Which of git's files.
package enum ConfigurationScope: String {
    /// The person's own: `--global`.
    case global
    /// The whole machine's: `--system`.
    case system
}

/// What becomes of a file.
package enum ConfigurationEdit: Equatable {
    /// It stays as it is.
    case nothing
    /// It holds this.
    case write([UInt8])
    /// It goes.
    case delete
}

/// Why git's configuration could not be read or changed.
package enum ConfigurationFileError: Error, Equatable {
    /// git is not there, or cannot read what is configured.
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
