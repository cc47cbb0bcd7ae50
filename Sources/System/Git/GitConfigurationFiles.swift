package import CredentialCore
internal import Glibc

/// At the paths that git itself uses.
package struct GitConfigurationFiles {
    private static let patience: Int64 = 5_000

    package init() {}

    package func entries() throws(ConfigurationFileError) -> [OriginatedEntry] {
        do throws(ConfigurationError) {
            return OriginatedEntry.parse(try GitConfigurationList.read("--show-scope", "--show-origin"))
        } catch {
            throw .unread(error)
        }
    }

    package func path(of scope: ConfigurationScope) throws(ConfigurationFileError) -> String {
        switch scope {
        case .global: try globalPath()
        case .system: systemPath
        }
    }

    /// git before 2.42 cannot be asked for the path of a file that does not exist.
    private func globalPath() throws(ConfigurationFileError) -> String {
        if let path = Environment["GIT_CONFIG_GLOBAL"] { return path }
        guard let usual = GlobalConfiguration.usualPath else { throw .noHome }
        guard let other = GlobalConfiguration.xdgPath, access(usual, R_OK) != 0, access(other, R_OK) == 0 else {
            return usual
        }
        return other
    }

    /// The path was decided when git was built; git passes it to any program that is set as its editor.
    private var systemPath: String {
        if let path = Environment["GIT_CONFIG_SYSTEM"] { return path }
        let asked = ChildProcess.output(
            of: ["git", "config", "--system", "--edit"], adding: ["GIT_EDITOR": "echo"], within: Self.patience)
        let line = asked?.split(separator: UInt8(ascii: "\n")).last.flatMap { String(validating: $0, as: UTF8.self) }
        return line.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/etc/gitconfig"
    }

    package func contents(of scope: ConfigurationScope) throws(ConfigurationFileError) -> [UInt8]? {
        try ConfigurationFile(path(of: scope)).contents()
    }

    package func edit(
        _ scope: ConfigurationScope,
        _ change: ([UInt8]?) throws(ConfigurationFileError) -> ConfigurationEdit
    ) throws(ConfigurationFileError) {
        let isReadable = { (file: String) in
            ChildProcess.output(of: ["git", "config", "--file", file, "--list", "-z"], within: Self.patience) != nil
        }
        try ConfigurationFile(path(of: scope)).edit(isReadable: isReadable, change)
    }

    package func ownCommand(byName isShort: Bool) -> HelperCommand? { OwnCommand.find(byName: isShort) }

    package func gitVersion() -> [UInt8]? { GitVersion.read() }

    package func isProgram(_ path: String) -> Bool { ProgramSearch.isProgram(path) }

    package func set(_ key: String, to value: String) throws(ConfigurationFileError) {
        try change("--replace-all", key, value)
    }

    package func unset(_ key: String) throws(ConfigurationFileError) {
        // For a missing key, git only returns an exit status, which is that of any failure here.
        guard ChildProcess.output(of: ["git", "config", "--global", "--get-all", key], within: Self.patience) != nil
        else { return }
        try change("--unset-all", key)
    }

    private func change(_ arguments: String...) throws(ConfigurationFileError) {
        let command = ["git", "config", "--global"] + arguments
        guard ChildProcess.output(of: command, within: Self.patience) == nil else { return }
        // git's message was dropped. A change that changes nothing fails for the same reason, such as a full disk; where
        // there is no file, one is written and removed.
        let lineEnd = [UInt8(ascii: "\n")]
        try edit(.global) { .write($0 ?? lineEnd) }
        try edit(.global) { $0 == lineEnd ? .delete : .nothing }
        throw .failed(try path(of: .global), reason: "git config")
    }
}

package enum GitVersion {
    /// Of `git version`; nil if there is no git on the PATH, or if it does not answer within five seconds.
    package static func read() -> [UInt8]? { ChildProcess.output(of: ["git", "version"], within: 5_000) }
}

/// Of the current repository.
package enum CurrentRemote {
    private static let patience: Int64 = 5_000

    /// As git would use it: the one of the branch's upstream, else `origin`, with `insteadOf` applied.
    ///
    /// No server is contacted. Nil if there is no repository, or no remote.
    package static var address: String? {
        let line = ChildProcess.output(of: ["git", "ls-remote", "--get-url"], within: patience)
        return line.flatMap { String(validating: $0.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self) }
    }
}
