internal import Glibc

/// Relative directories in environment variables.
///
/// They mean the repository in which git happens to run, and its author must not choose a program, a library, or a file
/// that is taken for the person's own. Our own searches skip them (`ProgramSearch`). Libraries have searches of their
/// own: to open a page, GLib starts programs like execvp(3), and without a PATH, it also looks in the current
/// directory.
package enum RelativePaths {
    /// The directories that execvp(3) uses without a PATH, except for the current one.
    static let defaultPath = "/bin:/usr/bin"

    /// Variables with lists of directories or single ones: those of the XDG Base Directory Specification, which
    /// requires relative ones to be ignored ("All paths must be absolute"), and those from which GLib, the C library
    /// and OpenSSL load code.
    static let variables = [
        "XDG_DATA_HOME", "XDG_DATA_DIRS", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_CACHE_HOME", "XDG_STATE_HOME",
        "XDG_RUNTIME_DIR", "GIO_MODULE_DIR", "GIO_EXTRA_MODULES", "GCONV_PATH", "LOCPATH", "OPENSSL_CONF",
        "OPENSSL_ENGINES", "OPENSSL_MODULES",
    ]

    /// Removes them from the environment of this process, and therefore of every child; a PATH is set afterwards.
    ///
    /// Must be called while the process has one thread, before any library reads the environment.
    package static func forget() {
        if let path = keep("PATH", else: defaultPath) { setenv("PATH", path, 1) }
        for variable in variables where getenv(variable) != nil {
            guard let value = keep(variable, else: "") else { continue }
            if value.isEmpty { unsetenv(variable) } else { setenv(variable, value, 1) }
        }
    }

    /// The absolute directories of a list.
    ///
    /// - Parameters:
    ///   - list: directories with colons between them, or one directory.
    ///   - replacement: the value if none is left.
    /// - Returns: nil if the list does not have to be changed.
    static func absolute(in list: String?, else replacement: String) -> String? {
        guard let list else { return replacement }
        let folders = list.split(separator: ":", omittingEmptySubsequences: false)
        let kept = folders.filter { $0.hasPrefix("/") }
        guard kept.count < folders.count else { return nil }
        return kept.isEmpty ? replacement : kept.joined(separator: ":")
    }

    /// A directory whose name is not UTF-8 is no reason to lose the others.
    private static func keep(_ variable: String, else replacement: String) -> String? {
        absolute(in: getenv(variable).map { String(cString: $0) }, else: replacement)
    }
}
