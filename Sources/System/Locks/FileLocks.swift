package import CredentialCore
internal import Glibc

/// Locks with flock(2): the kernel releases them when a process ends, however it ends.
package struct FileLocks: Locks {
    private let directory: () -> LockDirectory?

    /// Milliseconds between two attempts.
    private static let pause: Int64 = 50

    /// Creates locks in a directory that is looked for when the first lock is needed.
    package init(in directory: @escaping () -> LockDirectory? = LockDirectory.init) { self.directory = directory }

    package func acquire(
        _ name: LockName, within milliseconds: Int64, whileWaiting: () -> Bool
    ) throws(LockError) -> any HeldLock {
        guard let directory = directory(), let file = Self.open(directory.path + "/" + name.text + ".lock") else {
            throw .impossible
        }
        let mark = Self.mark(name, in: directory)
        let start = SystemClock().uptimeMilliseconds
        let before = mark.time
        while flock(file.number, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else { throw .impossible }
            guard SystemClock().uptimeMilliseconds - start < milliseconds else { throw .timedOut }
            guard whileWaiting() else { throw .stopped }
            SystemClock.pause(milliseconds: Self.pause)
        }
        return FileLock(file, mark, predecessorGaveUp: mark.time != before)
    }

    package func secondsSinceGivingUp(_ name: LockName) -> Int64? {
        guard let directory = directory(), let time = Self.mark(name, in: directory).time else { return nil }
        // If the clock was set back, the mark must not last longer than it would have.
        let seconds = SystemClock().now - time / 1_000_000_000
        return seconds < 0 ? nil : seconds
    }

    private static func mark(_ name: LockName, in directory: LockDirectory) -> FailureMark {
        FailureMark(path: directory.path + "/" + name.text + ".gave-up")
    }

    /// Opens a lock file.
    ///
    /// It is never written, truncated or removed: removing it would let two processes hold the lock.
    ///
    /// - Returns: nil for anything but a regular file of our own. `O_NONBLOCK` prevents waiting on a planted FIFO.
    private static func open(_ path: String) -> FileDescriptor? {
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK
        guard let file = FileDescriptor(opening: path, flags, mode: 0o600) else { return nil }
        guard let status = FileStatus(of: file), status.kind == .regular, status.isOwn, status.links == 1 else {
            return nil
        }
        return file
    }
}

/// A lock that is held until it is released or the process ends.
private final class FileLock: HeldLock {
    private var file: FileDescriptor?
    private let mark: FailureMark
    let predecessorGaveUp: Bool

    init(_ file: consuming FileDescriptor, _ mark: FailureMark, predecessorGaveUp: Bool) {
        self.file = consume file
        self.mark = mark
        self.predecessorGaveUp = predecessorGaveUp
    }

    func giveUp() { mark.renew() }

    func release() { file = nil }
}
