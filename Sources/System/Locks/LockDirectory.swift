internal import Glibc

/// The directory of lock files: the same for every process of a user, whatever its environment.
package struct LockDirectory {
    /// Absolute.
    let path: String

    /// Finds or makes the directory: in the user's runtime directory, else under the system's temporary directory.
    ///
    /// The environment is asked second: two processes with different environments must find the same locks. A directory
    /// that is a symlink, belongs to somebody else or can be written by others is refused. Nil if none is safe.
    package init?() {
        guard let path = Self.candidates.first(where: Self.isSafe) else { return nil }
        self.path = path
    }

    /// Where the directory is, or would be made; nil if there is no safe place.
    ///
    /// This looks, and changes nothing.
    package static var usable: String? {
        candidates.first { path in
            if let status = FileStatus(withoutFollowing: path) { return status.kind == .directory && status.isOwn }
            let parent = String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.endIndex))
            return errno == ENOENT && access(parent, W_OK | X_OK) == 0
        }
    }

    private static var candidates: [String] {
        let user = geteuid()
        var parents = ["/run/user/\(user)"]
        if let runtime = Environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") { parents.append(runtime) }
        return parents.map { $0 + "/git-credential-gitspace" } + ["/tmp/git-credential-gitspace-\(user)"]
    }

    private static func isSafe(_ path: String) -> Bool {
        _ = mkdir(path, 0o700)
        guard let status = FileStatus(withoutFollowing: path), status.kind == .directory, status.isOwn else {
            return false
        }
        // A umask cannot have widened it; somebody else's carelessness can.
        return status.permissions & 0o077 == 0 || chmod(path, 0o700) == 0
    }
}
