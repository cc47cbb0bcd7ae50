internal import CProcess
internal import Glibc

package enum Environment {
    /// The value, or `nil` if the variable is not set or not UTF-8.
    package static subscript(_ name: String) -> String? {
        getenv(name).flatMap { String(validatingCString: $0) }
    }

    /// The raw entries, valid until the environment is changed.
    static func entries(without names: [String]) -> [UnsafeMutablePointer<CChar>?] {
        var entries: [UnsafeMutablePointer<CChar>?] = []
        while let entry = environ[entries.count] { entries.append(entry) }
        return entries.filter { entry in
            !names.contains { name in entry.map { strncmp($0, name + "=", name.utf8.count + 1) == 0 } ?? false }
        }
    }

    /// Turns off core dumps and debuggers, makes the /proc entry readable only for root, and removes variables that
    /// would divert a library: to another keyring, by functions that we do not use, or another service on the bus
    /// (libsecret), to a log of session keys or another TLS library (libcurl), or `git config` to a file that no other
    /// git command uses (`GIT_CONFIG`).
    ///
    /// It also makes sure that the end of a child is reported: an ignored SIGCHLD is inherited. `execve` makes a
    /// process dumpable again, so every executable calls this first.
    package static func harden() {
        _ = gitspace_forbid_dumps()
        signal(SIGCHLD, SIG_DFL)
        for variable in [
            "SECRET_BACKEND", "SECRET_SERVICE_BUS_NAME", "SSLKEYLOGFILE", "CURL_SSL_BACKEND", "GIT_CONFIG",
        ] { unsetenv(variable) }
    }

    /// The client ID that the distributor built in; each belongs to one host.
    package static func builtInClientID(of host: String) -> String? {
        let id =
            switch host {
            case "github.com": String(cString: gitspace_github_client_id())
            case "gitlab.com": String(cString: gitspace_gitlab_client_id())
            case "codeberg.org": String(cString: gitspace_codeberg_client_id())
            default: ""
            }
        return id.isEmpty ? nil : id
    }
}

/// Removes relative paths from the environment; they point into the repository in which git runs, and its author must
/// not choose a program, a library, or a file that passes for the person's own.
///
/// Our own searches skip them (`ProgramSearch`). Libraries have searches of their own: to open a page, GLib starts
/// programs like execvp(3), and without a PATH, it also looks in the current directory.
package enum RelativePaths {
    /// The directories that execvp(3) uses without a PATH, except for the current one.
    static let defaultPath = "/bin:/usr/bin"

    /// Variables with one or more directories: those of the XDG Base Directory Specification, which says to ignore
    /// relative ones ("All paths must be absolute"), and those from which GLib, the C library and OpenSSL load code.
    static let variables = [
        "XDG_DATA_HOME", "XDG_DATA_DIRS", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_CACHE_HOME", "XDG_STATE_HOME",
        "XDG_RUNTIME_DIR", "GIO_MODULE_DIR", "GIO_EXTRA_MODULES", "GCONV_PATH", "LOCPATH", "OPENSSL_CONF",
        "OPENSSL_ENGINES", "OPENSSL_MODULES",
    ]

    /// Removes relative paths for us and every child, and always sets a PATH; must be called while the process has one
    /// thread, before any library reads the environment.
    package static func forget() {
        if let path = keep("PATH", else: defaultPath) { setenv("PATH", path, 1) }
        for variable in variables where getenv(variable) != nil {
            guard let value = keep(variable, else: "") else { continue }
            if value.isEmpty { unsetenv(variable) } else { setenv(variable, value, 1) }
        }
    }

    /// The absolute ones of one or more directories separated by colons, or `nil` if the list is already right.
    static func absolute(in list: String?, else replacement: String) -> String? {
        guard let list else { return replacement }
        let folders = list.split(separator: ":", omittingEmptySubsequences: false)
        let kept = folders.filter { Path.isAbsolute($0) }
        guard kept.count < folders.count else { return nil }
        return kept.isEmpty ? replacement : kept.joined(separator: ":")
    }

    /// Keeps the other directories if one is not UTF-8.
    private static func keep(_ variable: String, else replacement: String) -> String? {
        absolute(in: getenv(variable).map { String(cString: $0) }, else: replacement)
    }
}

package enum ProgramSearch {
    /// Finds a program on the PATH, or at its absolute path.
    ///
    /// Unlike execvp(3), this skips empty elements of the PATH and all other relative directories: they mean the
    /// repository in which git happens to run, and its author must not choose a program.
    ///
    /// - Returns: an absolute path, links unresolved; `nil` if there is no executable file.
    package static func find(_ name: String) -> String? {
        if name.utf8.contains(UInt8(ascii: "/")) { return Path.isAbsolute(name) && isProgram(name) ? name : nil }
        // A directory that is not UTF-8 does not hide the others.
        let path = getenv("PATH").map { String(cString: $0) } ?? RelativePaths.defaultPath
        let folders = path.split(separator: ":").filter { Path.isAbsolute($0) }
        return folders.lazy.map { $0.utf8.last == UInt8(ascii: "/") ? "\($0)\(name)" : "\($0)/\(name)" }.first(
            where: isProgram)
    }

    static func isProgram(_ path: String) -> Bool {
        FileStatus(path)?.kind == .regular && access(path, X_OK) == 0
    }
}
