internal import Glibc

/// Finds programs on the PATH.
package enum ProgramSearch {
    /// The program with a name on the PATH, or the file itself if the name is an absolute path.
    ///
    /// Unlike execvp(3), this skips empty elements of the PATH and all other relative directories: they mean the
    /// repository in which git happens to run, and its author must not choose a program.
    ///
    /// - Returns: an absolute path, with its symlinks; nil if there is no executable file.
    package static func find(_ name: String) -> String? {
        if name.utf8.contains(UInt8(ascii: "/")) { return name.hasPrefix("/") && isProgram(name) ? name : nil }
        // A directory that is not UTF-8 does not hide the others.
        let path = getenv("PATH").map { String(cString: $0) } ?? RelativePaths.defaultPath
        let folders = path.split(separator: ":").filter { $0.hasPrefix("/") }
        return folders.lazy.map { $0.utf8.last == UInt8(ascii: "/") ? "\($0)\(name)" : "\($0)/\(name)" }.first(
            where: isProgram)
    }

    /// Whether a path is an executable file.
    static func isProgram(_ path: String) -> Bool {
        FileStatus(path)?.kind == .regular && access(path, X_OK) == 0
    }
}
