internal import Glibc

/// Finds programs as execvp(3) does.
package enum ProgramSearch {
    /// The program of that name on the PATH, or the very file if the name is a path.
    ///
    /// - Returns: an absolute path, symlinks and all; nil if there is no file that could be run. Relative folders on the
    ///   PATH are passed over: they depend on where git happens to run.
    package static func find(_ name: String) -> String? {
        if name.utf8.contains(UInt8(ascii: "/")) { return isProgram(name) ? name : nil }
        let folders = (Environment["PATH"] ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
        return folders.lazy.map { "\($0)/\(name)" }.first(where: isProgram)
    }

    private static func isProgram(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }
}
