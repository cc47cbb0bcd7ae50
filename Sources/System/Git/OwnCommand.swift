internal import CredentialCore
internal import Glibc

/// The command by which git can run this program from now on.
///
/// A path keeps its links: their target may be a directory with a version in its name, which an upgrade removes.
enum OwnCommand {
    private static let name = "git-credential-gitspace"

    /// The short name if the program is on the PATH, else the path by which it was called, if git can run that.
    static func find() -> HelperCommand? {
        if let command = onPath.flatMap(HelperCommand.init(path:)) { return command }
        guard let called = CommandLine.arguments.first.flatMap(absolute), called.hasSuffix("/\(name)"), isOurs(called)
        else { return nil }
        return HelperCommand(path: called)
    }

    static var isOnPath: Bool { onPath != nil }

    private static var onPath: String? { ProgramSearch.find(name).flatMap { isOurs($0) ? $0 : nil } }

    private static func absolute(_ path: String) -> String? {
        guard path.contains("/") else { return nil }
        guard !Path.isAbsolute(path) else { return path }
        guard let folder = getcwd(nil, 0) else { return nil }
        defer { free(folder) }
        return String(cString: folder) + "/" + (path.hasPrefix("./") ? String(path.dropFirst(2)) : path)
    }

    /// Whether the front door at a path belongs to the running program.
    private static func isOurs(_ path: String) -> Bool {
        guard let folder = (try? Path.real(path)).map(Path.folder) else { return false }
        return ["\(folder)/\(name)-full", "\(folder)/../libexec/\(name)-full"].contains { isSame($0, "/proc/self/exe") }
    }

    private static func isSame(_ left: String, _ right: String) -> Bool {
        guard let left = FileStatus(left), let right = FileStatus(right) else { return false }
        return left.isSameFile(as: right)
    }
}
