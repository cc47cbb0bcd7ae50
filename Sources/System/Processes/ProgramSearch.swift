internal import Glibc

/// Finds programs on the PATH, for whoever runs one or wants to know whether it is there.
package enum ProgramSearch {
    /// The program of that name on the PATH, or the very file if the name is an absolute path.
    ///
    /// Unlike execvp(3), it passes over an empty element of the PATH and every other relative folder: they mean the
    /// repository in which git happens to run, and whoever wrote that must not choose a program.
    ///
    /// - Returns: an absolute path, symlinks and all; nil if there is no file that could be run.
    package static func find(_ name: String) -> String? {
        if name.utf8.contains(UInt8(ascii: "/")) { return name.hasPrefix("/") && isProgram(name) ? name : nil }
        // One folder that is not UTF-8 hides none of the others.
        let path = getenv("PATH").map { String(cString: $0) } ?? RelativePaths.defaultPath
        let folders = path.split(separator: ":").filter { $0.hasPrefix("/") }
        return folders.lazy.map { $0.utf8.last == UInt8(ascii: "/") ? "\($0)\(name)" : "\($0)/\(name)" }.first(
            where: isProgram)
    }

    /// Whether a path leads to a file that could be run.
    static func isProgram(_ path: String) -> Bool {
        FileStatus(path)?.kind == .regular && access(path, X_OK) == 0
    }
}
