internal import CProcess
internal import Glibc

/// The process's environment, and what is done to the process before anything else.
package enum Environment {
    /// The value of a variable; nil if it is not set or not UTF-8.
    package static subscript(_ name: String) -> String? {
        getenv(name).flatMap { String(validatingCString: $0) }
    }

    /// No core dump, no debugger, a /proc entry that only root reads; and no variable that would divert a library: to
    /// another keyring (libsecret), to a log of session keys or another TLS library (libcurl).
    ///
    /// `execve` makes a process dumpable again, so every executable calls this first.
    package static func harden() {
        _ = gitspace_forbid_dumps()
        for variable in ["SECRET_BACKEND", "SSLKEYLOGFILE", "CURL_SSL_BACKEND"] { unsetenv(variable) }
    }

    /// The client ID of github.com that a distributor built in, or nil.
    package static var builtInGitHubClientID: String? {
        let id = String(cString: gitspace_github_client_id())
        return id.isEmpty ? nil : id
    }
}
