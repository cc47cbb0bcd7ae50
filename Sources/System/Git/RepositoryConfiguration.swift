internal import CredentialCore
internal import Glibc

/// The configuration of the current repository.
///
/// A repository from elsewhere, such as one from an archive, may consist of links and of files that name other folders.
/// git follows them; a setting that a person asks for must not end up in another repository or file.
enum RepositoryConfiguration {
    private static let patience: Int64 = 5_000

    static func path() throws(ConfigurationFileError) -> String {
        guard let common = ask("--git-common-dir"), let folder = ask("--absolute-git-dir") else { throw .noRepository }
        let path = common + "/config"
        guard isOwn(folder, common), FileStatus(withoutFollowing: path).map({ $0.kind != .link }) ?? true else {
            throw .elsewhere(path)
        }
        return path
    }

    /// Whether the repository that git found belongs to the current folder: it is in it, or points back to it.
    private static func isOwn(_ folder: String, _ common: String) -> Bool {
        // The person has named the repository.
        if Environment["GIT_DIR"] != nil { return true }
        guard let real = try? Path.real(folder), let realCommon = try? Path.real(common),
            real == realCommon || real.hasPrefix(realCommon + "/worktrees/")
        else { return false }
        // The current folder is a bare repository or inside of `.git`.
        guard let top = ask("--show-toplevel").flatMap({ try? Path.real($0) }) else {
            return (try? Path.real(".")).map { $0 == real || $0.hasPrefix(real + "/") } ?? false
        }
        if real == top + "/.git" { return true }
        // A linked worktree (gitrepository-layout(5), "worktrees/<id>/gitdir").
        if let line = try? FileReader.contents(of: real + "/gitdir", atMost: Int(PATH_MAX)).prefix(while: isNotEnd),
            let link = String(validating: line, as: UTF8.self), link.hasSuffix("/.git"),
            (try? Path.real(String(link.dropLast("/.git".count)))) == top
        {
            return true
        }
        // A submodule: its folder leads to the same repository.
        return ChildProcess.output(of: ["git", "config", "--local", "core.worktree"], within: patience) != nil
            && ask("--absolute-git-dir", in: top) == folder
    }

    private static func isNotEnd(_ byte: UInt8) -> Bool { byte != UInt8(ascii: "\n") }

    private static func ask(_ option: String, in folder: String = ".") -> String? {
        let command = ["git", "-C", folder, "rev-parse", "--path-format=absolute", option]
        let line = ChildProcess.output(of: command, within: patience)?.prefix(while: isNotEnd)
        return line.flatMap { String(validating: $0, as: UTF8.self) }
    }
}
