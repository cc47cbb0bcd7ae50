package import CredentialCore
internal import Helper

/// git's configuration as files that can be read, with their names, and changed.
package protocol ConfigurationFiles {
    /// Every line that git reads here, in its order.
    func entries() throws(ConfigurationFileError) -> [OriginatedEntry]

    /// The lines of one file, without what it includes; none if there is no file.
    func entries(of scope: ConfigurationScope) throws(ConfigurationFileError) -> [ConfigurationEntry]

    /// The file that `git config` would write to; that of a repository only where nothing in it leads elsewhere.
    func path(of scope: ConfigurationScope) throws(ConfigurationFileError) -> String

    /// What the file holds; nil if there is none.
    func contents(of scope: ConfigurationScope) throws(ConfigurationFileError) -> [UInt8]?

    /// Changes the file as git does, under git's own lock: all or nothing, while nobody else can write.
    ///
    /// Its mode stays, and a symbolic link stays one. The new text takes effect only if git can read it.
    ///
    /// - Parameters:
    ///   - scope: which file.
    ///   - change: gets the file's contents (nil if there is none) and returns what to do with it.
    /// - Throws: why it is unchanged.
    func edit(
        _ scope: ConfigurationScope,
        _ change: ([UInt8]?) throws(ConfigurationFileError) -> ConfigurationEdit
    ) throws(ConfigurationFileError)

    /// How git can call this program; nil if it is not on the PATH and was not called by its path either.
    var ownCommand: HelperCommand? { get }

    /// Whether git finds this program by its short name.
    var isOnPath: Bool { get }

    /// What `git version` prints; nil if there is no git.
    func gitVersion() -> [UInt8]?

    /// Whether there is a program at a path.
    func isProgram(_ path: String) -> Bool

    /// Sets a key, replacing all its values.
    func set(_ key: String, to value: String, in scope: ConfigurationScope) throws(ConfigurationFileError)

    /// Removes a key and all its values, if there are any.
    func unset(_ key: String, in scope: ConfigurationScope) throws(ConfigurationFileError)

    /// The absolute path of a folder, without symbolic links, as git compares it; one that is gone is taken as it is,
    /// where that is allowed.
    func folder(_ path: String, orGone isGone: Bool) throws(ConfigurationFileError) -> String
}

/// git's version, from what `git version` prints: `git version 2.39.5 (Apple Git-154)`.
struct GitRelease {
    let major: Int64
    let minor: Int64

    /// Nil for what no git prints.
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

    /// Whether it supports all that a minor version of git 2 does.
    func knows(minor: Int64) -> Bool { (major, self.minor) >= (2, minor) }

    /// Whether it supports `http.<url>.proactiveAuth`.
    var knowsProactiveAuthentication: Bool { knows(minor: 46) }

    /// As shown to people.
    var shown: DisplayText { "\(major).\(minor)" }
}
