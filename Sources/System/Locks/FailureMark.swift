internal import Glibc

/// An empty file whose time says when a sign-in was last given up: those who waited for it then give up as well.
///
/// To those who come later it says something only where they ask how long ago that was.
struct FailureMark {
    /// Absolute; beside the lock file.
    let path: String

    /// When a sign-in was last given up, in nanoseconds since 1970; nil for never.
    var time: Int64? {
        guard let status = FileStatus(withoutFollowing: path), status.kind == .regular else { return nil }
        return status.modified
    }

    /// Sets the time to now.
    ///
    /// A failure costs the others a prompt of their own, and nothing else.
    func renew() {
        let flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK
        guard let file = FileDescriptor(opening: path, flags, mode: 0o600) else { return }
        futimens(file.number, nil)
    }
}
