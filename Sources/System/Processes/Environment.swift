internal import CProcess
internal import Glibc

/// The environment of the process, and the hardening that comes before everything else.
package enum Environment {
    /// The value of a variable; nil if it is not set or not UTF-8.
    package static subscript(_ name: String) -> String? {
        getenv(name).flatMap { String(validatingCString: $0) }
    }

    /// The entries as they are, without some variables; valid until the environment is changed.
    static func entries(without names: [String]) -> [UnsafeMutablePointer<CChar>?] {
        var entries: [UnsafeMutablePointer<CChar>?] = []
        while let entry = environ[entries.count] { entries.append(entry) }
        return entries.filter { entry in
            !names.contains { name in entry.map { strncmp($0, name + "=", name.utf8.count + 1) == 0 } ?? false }
        }
    }

    /// Turns off core dumps and debuggers, makes the /proc entry readable only for root, and removes variables that
    /// would divert a library: to another keyring or another service on the bus (libsecret), to a log of session keys or another TLS library
    /// (libcurl), or `git config` to a file that no other git command uses (`GIT_CONFIG`).
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

    /// The client ID that a distributor built in for a host of that name; client IDs belong to one host.
    package static func builtInClientID(of host: String) -> String? {
        let id =
            switch host {
            case "github.com": String(cString: gitspace_github_client_id())
            case "gitlab.com": String(cString: gitspace_gitlab_client_id())
            default: ""
            }
        return id.isEmpty ? nil : id
    }
}
