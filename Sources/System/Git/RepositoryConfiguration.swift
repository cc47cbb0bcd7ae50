internal import CredentialCore
internal import Glibc

/// The configuration of the current repository.
///
/// A foreign repository, such as one from an archive, may have links and files that name other folders, which git
/// follows; a setting that a person asks for must not end up in another repository or file.
struct RepositoryConfiguration {
    private let file: String
    private let isOwn: Bool

    /// Returns `nil` if git finds no repository, or does not trust its owner.
    init?() {
        let lines = Self.ask("--git-common-dir", "--absolute-git-dir")
        guard lines.count == 2 else { return nil }
        file = lines[0] + "/config"
        isOwn = Self.isOwn(lines[1], lines[0])
    }

    var path: String {
        get throws(ConfigurationFileError) {
            guard isOwn, FileStatus(withoutFollowing: file).map({ $0.kind != .link }) ?? true else {
                throw .elsewhere(file)
            }
            return file
        }
    }

    /// Whether the repository that git found belongs to the current folder: it is in it, or points back to it.
    private static func isOwn(_ folder: String, _ common: String) -> Bool {
        // The person has named the repository.
        if Environment["GIT_DIR"] != nil { return true }
        guard let real = try? Path.real(folder), let realCommon = try? Path.real(common),
            real == realCommon || real.hasPrefix(realCommon + "/worktrees/")
        else { return false }
        // The current folder is a bare repository or inside of `.git`.
        guard let top = ask("--show-toplevel").first.flatMap({ try? Path.real($0) }) else {
            return (try? Path.real(".")).map { $0 == real || $0.hasPrefix(real + "/") } ?? false
        }
        if real == top + "/.git" { return true }
        // A linked worktree (gitrepository-layout(5), "worktrees/<id>/gitdir").
        if let text = try? FileReader.contents(of: real + "/gitdir", atMost: Int(PATH_MAX)),
            let link = String(validating: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self),
            link.hasSuffix("/.git"), (try? Path.real(String(link.dropLast("/.git".count)))) == top
        {
            return true
        }
        // The folder of a submodule leads to the same repository.
        return ChildProcess.output(of: ["git", "config", "--local", "core.worktree"]) != nil
            && ask("--absolute-git-dir", in: top) == [folder]
    }

    /// git's lines; none if it fails.
    private static func ask(_ options: String..., in folder: String = ".") -> [String] {
        let command = ["git", "-C", folder, "rev-parse", "--path-format=absolute"] + options
        let lines = ChildProcess.output(of: command)?.split(separator: UInt8(ascii: "\n")) ?? []
        return lines.compactMap { String(validating: $0, as: UTF8.self) }
    }
}
