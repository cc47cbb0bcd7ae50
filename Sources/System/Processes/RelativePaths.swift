internal import Glibc

/// Folders that a variable of the environment names relative to the current one, which is the repository in which git
/// happens to run: whoever wrote that must not choose a program, a library or a file that is taken for the person's own.
///
/// Our own lookups pass them over (`ProgramSearch`). Libraries have lookups of their own: GLib, to open a page, starts
/// programs like execvp(3), and where no PATH is set, it looks into the current folder as well.
package enum RelativePaths {
    /// What execvp(3) takes without a PATH, but for the current folder.
    static let defaultPath = "/bin:/usr/bin"

    /// Lists of folders, and single ones: those of the XDG Base Directory Specification, which has relative ones ignored
    /// ("All paths must be absolute"), and those from which GLib, the C library and OpenSSL load code.
    static let variables = [
        "XDG_DATA_HOME", "XDG_DATA_DIRS", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_CACHE_HOME", "XDG_STATE_HOME",
        "XDG_RUNTIME_DIR", "GIO_MODULE_DIR", "GIO_EXTRA_MODULES", "GCONV_PATH", "LOCPATH", "OPENSSL_CONF",
        "OPENSSL_ENGINES", "OPENSSL_MODULES",
    ]

    /// Takes them out of this process's environment, and so out of that of every child; a PATH is there afterwards.
    ///
    /// Must be called while the process has one thread, before any library reads the environment.
    package static func forget() {
        if let path = keep("PATH", else: defaultPath) { setenv("PATH", path, 1) }
        for variable in variables where getenv(variable) != nil {
            guard let value = keep(variable, else: "") else { continue }
            if value.isEmpty { unsetenv(variable) } else { setenv(variable, value, 1) }
        }
    }

    /// The absolute folders of a list.
    ///
    /// - Parameters:
    ///   - list: folders with colons between them, or one folder.
    ///   - replacement: what stands for none.
    /// - Returns: nil if the list is to stay as it is.
    static func absolute(in list: String?, else replacement: String) -> String? {
        guard let list else { return replacement }
        let folders = list.split(separator: ":", omittingEmptySubsequences: false)
        let kept = folders.filter { $0.hasPrefix("/") }
        guard kept.count < folders.count else { return nil }
        return kept.isEmpty ? replacement : kept.joined(separator: ":")
    }

    /// One folder whose name is not UTF-8 is no reason to lose the others.
    private static func keep(_ variable: String, else replacement: String) -> String? {
        absolute(in: getenv(variable).map { String(cString: $0) }, else: replacement)
    }
}
