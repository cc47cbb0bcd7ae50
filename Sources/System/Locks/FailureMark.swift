internal import Glibc

/// An empty file whose modification time says when a sign-in was last given up, so that processes that waited for it
/// give up as well.
///
/// It means something to later processes only if they ask how long ago that was.
struct FailureMark {
    /// The absolute path, next to the lock file.
    let path: String

    /// When a sign-in was last given up, in nanoseconds since 1970; nil for never.
    var time: Int64? {
        guard let status = FileStatus(withoutFollowing: path), status.kind == .regular else { return nil }
        return status.modified
    }

    /// Sets the time to now.
    ///
    /// If this fails, the other processes only show a prompt of their own.
    func renew() {
        let flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK
        guard let file = FileDescriptor(opening: path, flags, mode: 0o600) else { return }
        futimens(file.number, nil)
    }
}
