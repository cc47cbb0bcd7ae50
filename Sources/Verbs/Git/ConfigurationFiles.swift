package import CredentialCore
internal import Helper

/// git's configuration as files with names, which can be read and changed.
package protocol ConfigurationFiles {
    /// Every line that git reads here, in its order.
    func entries() throws(ConfigurationFileError) -> [OriginatedEntry]

    /// The lines of one file without its included files; none if the file does not exist.
    func entries(of scope: ConfigurationScope) throws(ConfigurationFileError) -> [ConfigurationEntry]

    /// The file that `git config` would write to; a repository's only if no part of it leads elsewhere.
    func path(of scope: ConfigurationScope) throws(ConfigurationFileError) -> String

    /// `nil` if the file does not exist.
    func contents(of scope: ConfigurationScope) throws(ConfigurationFileError) -> [UInt8]?

    /// Changes the file as git does, under git's own lock, completely or not at all.
    ///
    /// Its mode stays, and a symbolic link stays a link. The new text takes effect only if git can read it. `change`
    /// gets the file's contents, or `nil` if it does not exist.
    func edit(
        _ scope: ConfigurationScope, _ change: ([UInt8]?) throws(ConfigurationFileError) -> ConfigurationEdit
    ) throws(ConfigurationFileError)

    /// The command by which git can call this program; `nil` if it is not on the PATH and was not called by its path.
    var ownCommand: HelperCommand? { get }
    var isOnPath: Bool { get }

    /// The output of `git version`, or `nil` without git.
    func gitVersion() -> [UInt8]?
    func isProgram(_ path: String) -> Bool

    /// Replaces all values of the key.
    func set(_ key: String, to value: String, in scope: ConfigurationScope) throws(ConfigurationFileError)

    /// Removes all values of the key, if there are any.
    func unset(_ key: String, in scope: ConfigurationScope) throws(ConfigurationFileError)

    /// The absolute path of a folder without symbolic links, as git compares it.
    ///
    /// With `isGone`, the path of a removed folder is returned as it is.
    func folder(_ path: String, orGone isGone: Bool) throws(ConfigurationFileError) -> String
}

/// git's version in the output of `git version`, such as `git version 2.39.5 (Apple Git-154)`.
struct GitRelease {
    let major: Int64
    let minor: Int64

    init?(_ output: [UInt8]) {
        let words = String(decoding: output, as: UTF8.self).split { " \n".contains($0) }
        guard words.count > 2, words[0] == "git", words[1] == "version" else { return nil }
        let numbers = words[2].split(separator: ".").prefix(2).compactMap { DecimalNumber.parse($0.utf8) }
        guard numbers.count == 2 else { return nil }
        (major, minor) = (numbers[0], numbers[1])
    }

    /// Whether git has every feature of a minor version of git 2.
    func knows(minor: Int64) -> Bool { (major, self.minor) >= (2, minor) }
    var knowsProactiveAuthentication: Bool { knows(minor: 46) }
    var shown: DisplayText { "\(major).\(minor)" }
}
