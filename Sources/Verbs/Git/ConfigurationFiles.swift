package import CredentialCore
internal import Helper

/// git's configuration as files with names, which can be read and changed.
package protocol ConfigurationFiles {
    /// Returns every line that git reads here, in its order.
    func entries() throws(ConfigurationFileError) -> [OriginatedEntry]

    /// Returns the lines of one file without its included files, or none if it does not exist.
    func entries(of scope: ConfigurationScope) throws(ConfigurationFileError) -> [ConfigurationEntry]

    /// Returns the file that `git config` would write to; a repository's only if no part of it leads elsewhere.
    func path(of scope: ConfigurationScope) throws(ConfigurationFileError) -> String

    /// Returns the file's bytes, or `nil` if it does not exist.
    func contents(of scope: ConfigurationScope) throws(ConfigurationFileError) -> [UInt8]?

    /// Changes the file as git does, under git's own lock, completely or not at all.
    ///
    /// Its mode stays, and a symbolic link stays a link. The new text takes effect only if git can read it.
    ///
    /// - Parameters:
    ///   - scope: the file.
    ///   - change: returns the change for the file's contents, which are `nil` if it does not exist.
    /// - Throws: the reason why the file is unchanged.
    func edit(
        _ scope: ConfigurationScope,
        _ change: ([UInt8]?) throws(ConfigurationFileError) -> ConfigurationEdit
    ) throws(ConfigurationFileError)

    /// The command by which git can call this program, or `nil` if it is not on the PATH and was not called by its
    /// path.
    var ownCommand: HelperCommand? { get }

    /// Whether git finds this program by its short name.
    var isOnPath: Bool { get }

    /// Returns the output of `git version`, or `nil` without git.
    func gitVersion() -> [UInt8]?

    func isProgram(_ path: String) -> Bool

    /// Sets a key, replacing all its values.
    func set(_ key: String, to value: String, in scope: ConfigurationScope) throws(ConfigurationFileError)

    /// Removes a key and all its values, if there are any.
    func unset(_ key: String, in scope: ConfigurationScope) throws(ConfigurationFileError)

    /// Returns the absolute path of a folder without symbolic links, as git compares it.
    ///
    /// The path of a removed folder is returned as it is if `isGone` allows that.
    func folder(_ path: String, orGone isGone: Bool) throws(ConfigurationFileError) -> String
}

/// git's version in the output of `git version`, such as `git version 2.39.5 (Apple Git-154)`.
struct GitRelease {
    let major: Int64
    let minor: Int64

    /// Parses the output, or returns `nil` if it is not git's.
    init?(_ output: [UInt8]) {
        let prefix = Array("git version ".utf8)
        guard output.starts(with: prefix) else { return nil }
        let parts = output.dropFirst(prefix.count).prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\n") }
            .split(separator: UInt8(ascii: "."))
        guard parts.count >= 2, let major = DecimalNumber.parse(parts[0]), let minor = DecimalNumber.parse(parts[1])
        else { return nil }
        self.major = major
        self.minor = minor
    }

    /// Returns whether it has every feature of a minor version of git 2.
    func knows(minor: Int64) -> Bool { (major, self.minor) >= (2, minor) }

    /// Whether it supports `http.<url>.proactiveAuth`.
    var knowsProactiveAuthentication: Bool { knows(minor: 46) }

    /// The version as people read it.
    var shown: DisplayText { "\(major).\(minor)" }
}
