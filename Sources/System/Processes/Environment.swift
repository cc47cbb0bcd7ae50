internal import CProcess
internal import Glibc

/// The process's environment, and what is done to the process before anything else.
package enum Environment {
    /// The value of a variable; nil if it is not set or not UTF-8.
    package static subscript(_ name: String) -> String? {
        getenv(name).flatMap { String(validatingCString: $0) }
    }

    /// The entries as they came, but for some variables; they are lent for as long as nobody changes the environment.
    static func entries(without names: [String]) -> [UnsafeMutablePointer<CChar>?] {
        var entries: [UnsafeMutablePointer<CChar>?] = []
        while let entry = environ[entries.count] { entries.append(entry) }
        return entries.filter { entry in
            !names.contains { name in entry.map { strncmp($0, name + "=", name.utf8.count + 1) == 0 } ?? false }
        }
    }

    /// No core dump, no debugger, a /proc entry that only root reads; and no variable that would divert a library: to
    /// another keyring (libsecret), to a log of session keys or another TLS library (libcurl), `git config` to a file that
    /// no other command of git's knows (`GIT_CONFIG`).
    ///
    /// And the end of a child is told to us even if whoever started us did not want to hear of theirs: an ignored
    /// SIGCHLD is inherited. `execve` makes a process dumpable again, so every executable calls this first.
    package static func harden() {
        _ = gitspace_forbid_dumps()
        signal(SIGCHLD, SIG_DFL)
        for variable in ["SECRET_BACKEND", "SSLKEYLOGFILE", "CURL_SSL_BACKEND", "GIT_CONFIG"] { unsetenv(variable) }
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
