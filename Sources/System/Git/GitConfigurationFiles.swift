package import CredentialCore
internal import Glibc

/// git's configuration files, at the paths that git itself uses.
package struct GitConfigurationFiles {
    private let configuration: GitConfiguration

    package init(_ configuration: GitConfiguration = GitConfiguration(followsChanges: true)) {
        self.configuration = configuration
    }

    package func entries() throws(ConfigurationFileError) -> [OriginatedEntry] {
        try rethrowing(as: ConfigurationFileError.unread, try configuration.lines())
    }

    package func path(of scope: ConfigurationScope) throws(ConfigurationFileError) -> String {
        switch scope {
        case .global: return try globalPath()
        case .system: return systemPath
        case .local:
            guard let repository = configuration.repository else { throw .noRepository }
            return try repository.path
        case .file(let path): return path
        }
    }

    package func entries(of scope: ConfigurationScope) throws(ConfigurationFileError) -> [ConfigurationEntry] {
        let path = try path(of: scope)
        guard try ConfigurationFile(path).contents() != nil else { return [] }
        // git has read this file already if its lines name it.
        if scope == .global, let lines = try? configuration.lines().filter({ $0.origin == path }), !lines.isEmpty {
            return lines.map(\.entry)
        }
        guard let list = Self.list(path) else { throw .unreadable }
        return list.split(separator: 0).compactMap { ConfigurationEntry(line: $0) }
    }

    private static func list(_ file: String) -> [UInt8]? {
        ChildProcess.output(of: ["git", "config", "--file", file, "--list", "-z"])
    }

    package func folder(_ path: String, orGone isGone: Bool) throws(ConfigurationFileError) -> String {
        // Shells do not expand `--folder=~/work`.
        let isHomes = path == "~" || path.utf8.starts(with: "~/".utf8)
        let path = isHomes ? (Environment["HOME"] ?? "~") + path.dropFirst() : path
        do throws(Errno) {
            let real = try Path.real(path)
            guard FileStatus(real)?.kind == .directory else { throw Errno(number: ENOTDIR) }
            // git's configuration cannot express control characters.
            guard !real.utf8.contains(where: ASCII.isControl) else { throw Errno(number: EINVAL) }
            return real
        } catch {
            guard error.number == ENOENT else { throw .noFolder(path, reason: error.text) }
        }
        guard isGone, let parent = try? Path.real(".") else { throw .folderMissing(path) }
        let absolute = Path.path(path, in: parent)
        return absolute.count > 1 && absolute.hasSuffix("/") ? String(absolute.dropLast()) : absolute
    }

    /// git before 2.42 does not report the path of a missing file.
    private func globalPath() throws(ConfigurationFileError) -> String {
        if let path = Environment["GIT_CONFIG_GLOBAL"] { return path }
        guard let usual = GitConfigurationList.usualPath else { throw .noHome }
        let other = GitConfigurationList.xdgPath.flatMap { access($0, R_OK) == 0 ? $0 : nil }
        return access(usual, R_OK) == 0 ? usual : other ?? usual
    }

    /// The path was fixed when git was built; git passes it to any program that is set as its editor.
    ///
    /// The shell, which git usually needs at this path too, sets the variable and has `printf` itself, whatever is on the
    /// PATH.
    private var systemPath: String {
        if let path = Environment["GIT_CONFIG_SYSTEM"] { return path }
        let command = ["/bin/sh", "-c", #"GIT_EDITOR="printf '%s\n'" exec git config --system --edit"#]
        let lines = ChildProcess.output(of: command)?.split(separator: UInt8(ascii: "\n"))
        let line = lines?.last.flatMap { String(validating: $0, as: UTF8.self) }
        return line.flatMap { Path.isAbsolute($0) ? $0 : nil } ?? "/etc/gitconfig"
    }

    package func contents(of scope: ConfigurationScope) throws(ConfigurationFileError) -> [UInt8]? {
        try ConfigurationFile(path(of: scope)).contents()
    }

    package func edit(
        _ scope: ConfigurationScope, _ change: ([UInt8]?) throws(ConfigurationFileError) -> ConfigurationEdit
    ) throws(ConfigurationFileError) {
        defer { configuration.forget() }
        try ConfigurationFile(path(of: scope)).edit(isReadable: { Self.list($0) != nil }, change)
    }

    package func gitVersion() -> [UInt8]? { ChildProcess.output(of: ["git", "version"]) }
    package func isProgram(_ path: String) -> Bool { ProgramSearch.isProgram(path) }

    package func set(_ key: String, to value: String, in scope: ConfigurationScope) throws(ConfigurationFileError) {
        try change(scope, "--replace-all", key, value)
    }

    package func unset(_ key: String, in scope: ConfigurationScope) throws(ConfigurationFileError) {
        // git returns the same exit status for a missing key as for other failures.
        guard ChildProcess.output(of: ["git", "config"] + (try option(scope)) + ["--get-all", key]) != nil else {
            return
        }
        try change(scope, "--unset-all", key)
    }

    private func change(_ scope: ConfigurationScope, _ arguments: String...) throws(ConfigurationFileError) {
        defer { configuration.forget() }
        let command = ["git", "config"] + (try option(scope)) + arguments
        var words: [UInt8] = []
        let run = { (try? ChildProcess.run(command, errors: { words += $0 })) != nil }
        // git gives its lock file the old file's permissions only if they are at least those of the umask.
        let isThere = FileStatus(try path(of: scope)) != nil
        guard !(isThere ? FileModeMask.closed(run) : run()) else { return }
        // git does not report why a write failed: create the lock here to learn it; it never becomes the file.
        do throws(ConfigurationFileError) {
            try ConfigurationFile(path(of: scope)).edit(isReadable: { _ in false }) { .write($0 ?? [0x0a]) }
        } catch .unreadable {}
        // Bytes: a search in a String would make the front door larger by a megabyte.
        let line = words.split(separator: UInt8(ascii: "\n")).last ?? []
        let reason = line.split(separator: UInt8(ascii: ":")).last?.drop { $0 == UInt8(ascii: " ") } ?? []
        throw .failed(try path(of: scope), reason: String(decoding: reason, as: UTF8.self))
    }

    private func option(_ scope: ConfigurationScope) throws(ConfigurationFileError) -> [String] {
        scope == .global ? ["--global"] : ["--file", try path(of: scope)]
    }
}

/// The command by which git can run this program from now on.
///
/// A path keeps its links: their target may be a directory with a version in its name, which an upgrade removes.
extension GitConfigurationFiles {
    private static let program = "git-credential-gitspace"

    /// The short name if the program is on the PATH, else the path by which it was called, if git can run that.
    package var ownCommand: HelperCommand? {
        if let command = Self.onPath.flatMap(HelperCommand.init(path:)) { return command }
        guard let called = CommandLine.arguments.first.flatMap(Self.absolute), called.hasSuffix("/\(Self.program)"),
            Self.isOurs(called)
        else { return nil }
        return HelperCommand(path: called)
    }

    package var isOnPath: Bool { Self.onPath != nil }
    private static var onPath: String? { ProgramSearch.find(program).flatMap { isOurs($0) ? $0 : nil } }

    private static func absolute(_ path: String) -> String? {
        guard path.contains("/") else { return nil }
        if Path.isAbsolute(path) { return path }
        let name = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
        return (try? Path.real(".")).map { Path.path(name, in: $0) }
    }

    /// Whether the front door at a path belongs to the running program.
    private static func isOurs(_ path: String) -> Bool {
        guard let folder = (try? Path.real(path)).map(Path.folder), let running = FileStatus("/proc/self/exe") else {
            return false
        }
        return ["\(folder)/\(program)-full", "\(folder)/../libexec/\(program)-full"].contains {
            FileStatus($0)?.isSameFile(as: running) == true
        }
    }
}

package enum CurrentRemote {
    package static var all: [(name: String, address: String)] {
        let command = ["git", "config", "--null", "--get-regexp", #"^remote\..*\.url$"#]
        let lines = ChildProcess.output(of: command)?.split(separator: 0) ?? []
        return lines.compactMap { line in
            ConfigurationEntry(line: line).flatMap { line in
                line.subsection.flatMap { name in line.value.map { (name, $0) } }
            }
        }
    }

    /// `nil` if no branch is checked out.
    package static var branch: String? {
        ChildProcess.output(of: ["git", "symbolic-ref", "--quiet", "--short", "HEAD"]).flatMap(firstLine)
    }

    private static func firstLine(_ output: [UInt8]) -> String? {
        String(validating: output.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// The address that git would use: the remote of the branch's upstream, else `origin`, with `insteadOf` applied.
    ///
    /// `nil` without a repository or a remote. No server is contacted; git is asked if its lines leave a choice.
    package static func address(among lines: [OriginatedEntry]?) -> String? {
        if let lines {
            guard lines.contains(where: { $0.scope == "local" || $0.entry.section == "remote" }) else { return nil }
            let entries = lines.map(\.entry)
            let remotes = entries.filter { $0.section == "remote" && $0.subsection != nil }
            let isOrigin = remotes.allSatisfy { $0.subsection == "origin" }
            let isPlain = entries.allSatisfy { line in
                line.section != "url" && (line.section != "branch" || line.key != "remote" || line.value == "origin")
            }
            let urls = remotes.filter { $0.key == "url" }.map(\.effectiveValue)
            if isOrigin, isPlain, urls.count == 1, !urls[0].isEmpty { return urls[0] }
        }
        return ChildProcess.output(of: ["git", "ls-remote", "--get-url"]).flatMap(firstLine)
    }
}

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
