internal import CredentialCore
internal import Glibc

/// git's whole configuration, as git itself lists it here.
///
/// `--list` and not `--get-regexp`, although we want a part of it only: for a file that cannot be opened, `--get-regexp`
/// warns and succeeds, and then what the person has set looks unset.
enum GitConfigurationList {
    private static let seconds = 5
    /// A repository's file may be of any size; of this one git makes a list in a second.
    private static let mebibytes = 64

    /// Asks git.
    ///
    /// - Parameter options: what the list is to have beside names and values.
    /// - Returns: what git prints.
    /// - Throws: why there is no list, or none to rely on.
    static func read(_ options: String...) throws(ConfigurationError) -> [UInt8] {
        if let file = forbiddenFile { throw .notPermitted(file) }
        let list: Result<[UInt8], ChildProcess.Failure> = Result { () throws(ChildProcess.Failure) in
            try ChildProcess.run(
                ["git", "config", "--list", "-z"] + options, within: Int64(seconds) * 1_000, atMost: mebibytes << 20)
        }
        switch list {
        case .success(let list): return list
        case .failure(.notStarted): throw .noGit
        case .failure(.failed): throw .failed
        case .failure(.timedOut): throw .timedOut(seconds: seconds)
        case .failure(.tooMuch): throw .tooLarge(mebibytes: mebibytes)
        }
    }

    /// The person's file that git would pass over without a word, since it may not be opened: `ACCESS_EACCES_OK` in
    /// git's config.c.
    private static var forbiddenFile: String? {
        globalFiles.first { access($0, R_OK) != 0 && errno == EACCES }
    }

    private static var globalFiles: [String] {
        if let path = Environment["GIT_CONFIG_GLOBAL"] { return [path] }
        return [GlobalConfiguration.xdgPath, GlobalConfiguration.usualPath].compactMap(\.self)
    }
}
