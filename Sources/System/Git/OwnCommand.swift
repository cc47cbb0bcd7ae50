internal import CredentialCore
internal import Glibc

/// By what git can call this program from now on.
///
/// A path is taken as it was typed, links and all: behind them is a folder with a version in its name, which an upgrade
/// takes away.
enum OwnCommand {
    private static let name = "git-credential-gitspace"

    /// The path where the PATH has this program, else the one by which it was called.
    ///
    /// - Parameter isShort: whether the short name is wanted, which leads here only by the PATH.
    /// - Returns: nil if git could not call it so.
    static func find(byName isShort: Bool) -> HelperCommand? {
        let onPath = ProgramSearch.find(name).flatMap { isOurs($0) ? $0 : nil }
        if isShort { return onPath.map { _ in .short } }
        if let command = onPath.flatMap(HelperCommand.init(path:)) { return command }
        guard let called = CommandLine.arguments.first.flatMap(absolute), called.hasSuffix("/\(name)"), isOurs(called)
        else { return nil }
        return HelperCommand(path: called)
    }

    private static func absolute(_ path: String) -> String? {
        guard path.contains("/") else { return nil }
        guard !path.hasPrefix("/") else { return path }
        guard let folder = getcwd(nil, 0) else { return nil }
        defer { free(folder) }
        return String(cString: folder) + "/" + (path.hasPrefix("./") ? String(path.dropFirst(2)) : path)
    }

    /// Whether the front door at a path leads to the program that runs now.
    private static func isOurs(_ path: String) -> Bool {
        guard let real = realpath(path, nil) else { return false }
        defer { free(real) }
        let folder = String(cString: real).split(separator: "/").dropLast().map { "/\($0)" }.joined()
        return ["\(folder)/\(name)-full", "\(folder)/../libexec/\(name)-full"].contains { isSame($0, "/proc/self/exe") }
    }

    private static func isSame(_ left: String, _ right: String) -> Bool {
        guard let left = FileStatus(left), let right = FileStatus(right) else { return false }
        return left.isSameFile(as: right)
    }
}
