internal import CProcess
package import CredentialCore
internal import Glibc

package enum Environment {
    /// `nil` if the variable is not set or not UTF-8.
    package static subscript(_ name: String) -> String? { getenv(name).flatMap { String(validatingCString: $0) } }

    /// Turns off core dumps and debuggers, and removes variables that would divert a library or git.
    ///
    /// The variables choose another keyring or service on the bus (libsecret), a log of session keys or another TLS
    /// library (libcurl), or another configuration (`GIT_CONFIG`). An ignored SIGCHLD, which is inherited, would hide
    /// the end of a child. `execve` makes a process dumpable again, so every executable calls this first.
    package static func harden() {
        _ = gitspace_forbid_dumps()
        signal(SIGCHLD, SIG_DFL)
        for variable in [
            "SECRET_BACKEND", "SECRET_SERVICE_BUS_NAME", "SSLKEYLOGFILE", "CURL_SSL_BACKEND", "GIT_CONFIG",
        ] { unsetenv(variable) }
    }

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

/// Removes relative paths from the environment: they point into the repository in which git runs, and its author must
/// not choose a program, a library, or a file that passes for the person's own.
///
/// Our own searches skip them (`ProgramSearch`), but libraries have searches of their own: GLib starts programs like
/// execvp(3), and without a PATH, it also looks in the current directory.
package enum RelativePaths {
    /// The directories that execvp(3) uses without a PATH, except for the current one.
    static let defaultPath = "/bin:/usr/bin"

    /// Variables of the XDG Base Directory Specification, in which all paths must be absolute, and variables from which
    /// GLib, the C library and OpenSSL load code.
    static let variables = [
        "XDG_DATA_HOME", "XDG_DATA_DIRS", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_CACHE_HOME", "XDG_STATE_HOME",
        "XDG_RUNTIME_DIR", "GIO_MODULE_DIR", "GIO_EXTRA_MODULES", "GCONV_PATH", "LOCPATH", "OPENSSL_CONF",
        "OPENSSL_ENGINES", "OPENSSL_MODULES",
    ]

    /// Removes relative paths for us and every child, and always sets a PATH.
    ///
    /// Must be called while the process has one thread, before any library reads the environment.
    package static func forget() {
        if let path = keep("PATH", else: defaultPath) { setenv("PATH", path, 1) }
        for variable in variables where getenv(variable) != nil {
            guard let value = keep(variable, else: "") else { continue }
            if value.isEmpty { unsetenv(variable) } else { setenv(variable, value, 1) }
        }
    }

    /// `nil` if the list has only absolute directories.
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
    /// Unlike execvp(3), skips all relative directories (`RelativePaths`).
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

    static func isProgram(_ path: String) -> Bool { FileStatus(path)?.kind == .regular && access(path, X_OK) == 0 }
}

/// The way from the front door to the full program, which keeps our arguments, our descriptors and our process ID.
package enum ExecHandover {
    /// Searches directories in the given order, relative to the directory of this program's file.
    package static func find(_ name: String, in folders: [String]) -> String? {
        guard let home else { return nil }
        return folders.lazy.map { "\(home)/\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }

    /// The directory of this program's file, links resolved, or `nil` if its name is not UTF-8.
    package static var home: String? { (try? Path.target(ofLink: "/proc/self/exe")).map(Path.folder) }

    /// Lets the next program read what was read from standard input; the bytes never get into a file or an argument.
    package static func replay(_ input: Secret) -> Bool {
        guard let file = FileDescriptor(gitspace_memory_file("request")), input.reveal({ file.write($0) }),
            lseek(file.number, 0, SEEK_SET) == 0
        else { return false }
        return dup2(file.number, STDIN_FILENO) == STDIN_FILENO
    }

    /// Returns only on failure.
    package static func run(_ path: String) {
        // The raw arguments: a `String` would repair invalid UTF-8.
        execv(path, CommandLine.unsafeArgv)
    }
}
