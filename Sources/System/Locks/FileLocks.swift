package import CredentialCore
internal import Glibc

/// Locks with flock(2): the kernel releases them when a process ends, however it ends.
package final class FileLocks: Locks {
    let directory: () -> LockDirectory?
    private let lock: LockCall.Function
    /// Set once a call has hung, since another one would hang too.
    private var hasHung = false

    /// Milliseconds between two attempts.
    private static let pause: Int64 = 50

    /// `directory` is called when the first lock is needed.
    package init(
        in directory: @escaping () -> LockDirectory? = LockDirectory.init,
        by lock: @escaping @Sendable (Int32) -> Int32 = { flock($0, LOCK_EX | LOCK_NB) == 0 ? 0 : errno }
    ) {
        self.directory = directory
        self.lock = lock
    }

    package func acquire(
        _ name: LockName, within milliseconds: Int64, whileWaiting: () -> Bool
    ) throws(LockError) -> any HeldLock {
        var deadline = Deadline(in: milliseconds)
        while true {
            guard let directory = directory() else { throw .impossible }
            let path = directory.path + "/" + name.text + ".lock"
            let file = try Self.open(path)
            let refusal = RefusalFile(of: name, in: directory)
            let before = refusal.time
            while true {
                let error = hasHung ? ETIMEDOUT : LockCall.error(of: lock, file.number, in: directory.path)
                if error == 0 { break }
                if error == ETIMEDOUT { hasHung = true }
                guard error == EWOULDBLOCK || error == EINTR else {
                    throw .failed(folder: directory.path, reason: Errno(number: error).text)
                }
                guard deadline.lasts() else { throw .timedOut }
                guard whileWaiting() else { throw .stopped }
                SystemClock.pause(milliseconds: Self.pause)
            }
            // Others lock another file if this one was removed, as `/run/user/ID` is at the last log-out.
            if let status = FileStatus(of: file), let found = FileStatus(withoutFollowing: path),
                found.isSameFile(as: status)
            {
                return FileLock(file, refusal, predecessorGaveUp: refusal.time != before)
            }
            guard deadline.lasts() else { throw .timedOut }
        }
    }

    package func secondsSinceGivingUp(_ name: LockName) -> Int64? {
        guard let directory = directory(), let time = RefusalFile(of: name, in: directory).time else { return nil }
        // If the clock was set back, a refusal must not last longer than before.
        let seconds = SystemClock().now - time / 1_000_000_000
        return seconds < 0 ? nil : seconds
    }

    /// Opens the lock file, which is never removed: otherwise, two processes could hold the lock.
    ///
    /// - Throws: `.impossible` unless it is a regular file of our own. `O_NONBLOCK` prevents waiting on a planted FIFO.
    private static func open(_ path: String) throws(LockError) -> FileDescriptor {
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK
        // A file that was removed just now has no link.
        guard let file = FileDescriptor(opening: path, flags, mode: 0o600), let status = FileStatus(of: file),
            status.kind == .regular, status.isOwn, status.links <= 1
        else { throw .impossible }
        return file
    }
}

/// A call of flock(2), which should not wait, but does so on NFS while the lock service does not answer.
private final class LockCall {
    typealias Function = @Sendable (Int32) -> Int32

    private let run: () -> Void

    private init(_ run: @escaping () -> Void) { self.run = run }

    /// Milliseconds.
    private static let patience: Int64 = 5_000

    /// Returns the error number, or `ETIMEDOUT` if the call hangs; its thread stays until the process ends.
    static func error(of function: @escaping Function, _ number: Int32, in folder: String) -> Int32 {
        // This file system is in memory, so the call cannot hang.
        guard !folder.hasPrefix("/run/user/"), let pipe = Pipe() else { return function(number) }
        let reader = pipe.reader
        let result = Handle(pipe.writer)
        let call = Unmanaged.passRetained(
            LockCall {
                let error = function(number)
                withUnsafeBytes(of: error) { if let result { _ = FileDescriptor.write($0, to: result.number) } }
            })
        var thread = pthread_t()
        let start = pthread_create(
            &thread, nil,
            { call in
                if let call { Unmanaged<LockCall>.fromOpaque(call).takeRetainedValue().run() }
                return nil
            }, call.toOpaque())
        guard start == 0 else {
            call.release()
            return start
        }
        pthread_detach(thread)
        guard FileDescriptor.isReady(reader.number, within: patience) else { return ETIMEDOUT }
        var error: Int32 = EIO
        _ = withUnsafeMutableBytes(of: &error) { FileDescriptor.read(reader.number, into: $0) }
        return error
    }
}

private final class FileLock: HeldLock {
    private var file: FileDescriptor?
    private let refusal: RefusalFile
    let predecessorGaveUp: Bool

    init(_ file: consuming FileDescriptor, _ refusal: RefusalFile, predecessorGaveUp: Bool) {
        self.file = consume file
        self.refusal = refusal
        self.predecessorGaveUp = predecessorGaveUp
    }

    func giveUp() { refusal.touch() }
    func release() { file = nil }
}

/// The directory of locks, the same for every process of a user.
///
/// `/run/user/ID` is preferred: only that user can enter it, and it is empty after a restart. If it is missing (in a
/// container, under cron, for root behind sudo), the directory is in `~/.local/state`, below the HOME that also chooses
/// git's configuration. `XDG_STATE_HOME` is ignored, since two shells of one person may differ in it. `/tmp` and
/// `XDG_RUNTIME_DIR` may belong to somebody else.
package struct LockDirectory {
    package let path: String

    /// Finds or creates the directory, or returns `nil` if there is no safe place.
    ///
    /// Two processes must choose the same place, so the first parent that exists is used, writable or not.
    package init?() {
        guard let parent = Self.parent else { return nil }
        self.init(in: parent)
    }

    /// Creates the parent too; returns `nil` if the directory is not safe.
    package init?(in parent: String) {
        guard Self.isOwn(parent) || Self.make(parent) else { return nil }
        let path = parent + Self.name
        _ = mkdir(path, 0o700)
        guard let status = FileStatus(withoutFollowing: path), status.kind == .directory, status.isOwn else {
            return nil
        }
        // The umask does not widen permissions; restore them.
        guard status.permissions & 0o077 == 0 || chmod(path, 0o700) == 0 else { return nil }
        self.path = path
    }

    /// The directory, existing or not, or `nil` if there is no safe place; changes nothing.
    package static var usable: String? {
        guard let parent else { return nil }
        let path = parent + name
        let above = existing(parent)
        guard isOwn(above) else { return nil }
        if let status = FileStatus(withoutFollowing: path) {
            return status.kind == .directory && status.isOwn ? path : nil
        }
        return access(above, W_OK | X_OK) == 0 ? path : nil
    }

    /// The path that the directory would have, whoever owns it.
    static var expected: String? { parent.map { $0 + name } }

    private static let name = "/git-credential-gitspace"

    private static var parent: String? {
        // pam_systemd(8) ignores the umask, so no private group can write here; the front door looks here, too.
        let runtime = RuntimeDirectory.usual
        if let status = ownFolder(runtime), status.permissions & 0o022 == 0 { return runtime }
        guard let home = Environment["HOME"], Path.isAbsolute(home) else { return nil }
        return home + "/.local/state"
    }

    private static func isOwn(_ path: String) -> Bool {
        ownFolder(path).map { !Others().canWrite(to: $0, at: path) } ?? false
    }

    private static func ownFolder(_ path: String) -> FileStatus? {
        FileStatus(path).flatMap { $0.kind == .directory && $0.isOwn ? $0 : nil }
    }

    /// Creates a folder and its parents inside a directory of ours: root must create nothing in another user's home.
    private static func make(_ path: String) -> Bool {
        let above = existing(path)
        guard isOwn(above) else { return false }
        var made = above
        for name in Path.names(in: path).dropFirst(Path.names(in: above).count) {
            made = Path.path(String(name), in: made)
            guard mkdir(made, 0o700) == 0 || errno == EEXIST else { return false }
        }
        return isOwn(path)
    }

    private static func existing(_ path: String) -> String {
        var path = path
        while path != "/", FileStatus(path) == nil { path = Path.folder(of: path) }
        return path
    }
}
