package import CredentialCore
internal import Glibc

/// Locks with flock(2): the kernel releases them when a process ends, however it ends.
package struct FileLocks: Locks {
    let directory: () -> LockDirectory?
    private let lock: LockCall.Function
    /// Set once a call has not returned: another one would not either.
    private let hasHung = Flag()

    /// Milliseconds.
    private static let pause: Int64 = 50

    /// It is looked for when the first lock is needed.
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
                let error = hasHung.isSet ? ETIMEDOUT : LockCall.error(of: lock, file.number, in: directory.path)
                if error == 0 { break }
                if error == ETIMEDOUT { hasHung.isSet = true }
                guard error == EWOULDBLOCK || error == EINTR else {
                    throw .failed(folder: directory.path, reason: Errno(number: error).text)
                }
                guard deadline.lasts() else { throw .timedOut }
                guard whileWaiting() else { throw .stopped }
                SystemClock.pause(milliseconds: Self.pause)
            }
            // Meanwhile the file may have been removed, as `/run/user/ID` is at the last log-out; then others lock another.
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
        // If the clock was set back, a no must not last longer than it would have.
        let seconds = SystemClock().now - time / 1_000_000_000
        return seconds < 0 ? nil : seconds
    }

    /// It is never written, truncated or removed: removing it would let two processes hold the lock.
    ///
    /// - Throws: `.impossible` for anything but a regular file of our own. `O_NONBLOCK` prevents waiting on a planted FIFO.
    private static func open(_ path: String) throws(LockError) -> FileDescriptor {
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK
        // It has no link any more if it was removed just now.
        guard let file = FileDescriptor(opening: path, flags, mode: 0o600), let status = FileStatus(of: file),
            status.kind == .regular, status.isOwn, status.links <= 1
        else { throw .impossible }
        return file
    }
}

private final class Flag {
    var isSet = false
}

/// A call of flock(2), which should not wait, but does on NFS while the lock service does not answer.
private final class LockCall {
    typealias Function = @Sendable (Int32) -> Int32

    private let function: Function
    private let number: Int32
    private let result: Handle?

    private init(_ function: @escaping Function, _ number: Int32, _ result: Handle?) {
        self.function = function
        self.number = number
        self.result = result
    }

    /// In milliseconds.
    private static let patience: Int64 = 5_000

    /// The error number; `ETIMEDOUT` if the call does not return: its thread stays until the process ends.
    static func error(of function: @escaping Function, _ number: Int32, in folder: String) -> Int32 {
        // A file system in memory.
        guard !folder.hasPrefix("/run/user/"), let pipe = Pipe() else { return function(number) }
        let reader = pipe.reader
        let call = Unmanaged.passRetained(LockCall(function, number, Handle(pipe.writer)))
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
        guard !FileDescriptor.ready(reading: [reader.number], within: patience).isEmpty else { return ETIMEDOUT }
        var error: Int32 = EIO
        _ = withUnsafeMutableBytes(of: &error) { FileDescriptor.read(reader.number, into: $0) }
        return error
    }

    private func run() {
        let error = function(number)
        withUnsafeBytes(of: error) { bytes in
            if let result { _ = FileDescriptor.write(bytes, to: result.number) }
        }
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

/// The same for every process of a user.
///
/// It is in `/run/user/ID`, which only that user can enter and which is empty after a restart of the machine. If that
/// does not exist (in a container, under cron, for root behind sudo), it is in `~/.local/state`, below the HOME that also
/// chooses git's configuration and the keyring's files. `XDG_STATE_HOME` does not count: two shells of one person may
/// differ in it, and would not see each other's locks. `/tmp` belongs to nobody, and `XDG_RUNTIME_DIR` may belong to
/// somebody else.
package struct LockDirectory {
    /// Absolute.
    package let path: String

    /// Nil if there is no safe place.
    ///
    /// The choice must not depend on what can be written at the moment: two processes that choose differently would not
    /// see each other's locks. So the first parent that exists is used, and if the directory cannot be created in it,
    /// there is none.
    package init?() {
        guard let parent = Self.parent else { return nil }
        self.init(in: parent)
    }

    /// The parent is created as well; nil if it is not safe.
    package init?(in parent: String) {
        guard Self.isOwn(parent) || Self.make(parent) else { return nil }
        let path = parent + Self.name
        _ = mkdir(path, 0o700)
        guard let status = FileStatus(withoutFollowing: path), status.kind == .directory, status.isOwn else {
            return nil
        }
        // A umask cannot have widened the permissions, but somebody may have.
        guard status.permissions & 0o077 == 0 || chmod(path, 0o700) == 0 else { return nil }
        self.path = path
    }

    /// Whether or not the directory exists; nil if there is no safe place.
    ///
    /// This only looks, and changes nothing.
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

    /// Whoever it belongs to.
    static var expected: String? { parent.map { $0 + name } }

    private static let name = "/git-credential-gitspace"

    private static var parent: String? {
        // No umask has a say in it (pam_systemd(8)), so no group does: the front door looks here, too.
        let runtime = RuntimeDirectory.usual
        if let status = ownFolder(runtime), status.permissions & 0o022 == 0 { return runtime }
        guard let home = Environment["HOME"], Path.isAbsolute(home) else { return nil }
        return home + "/.local/state"
    }

    /// Nobody else can write to it.
    private static func isOwn(_ path: String) -> Bool {
        ownFolder(path).map { !Others().canWrite(to: $0, at: path) } ?? false
    }

    private static func ownFolder(_ path: String) -> FileStatus? {
        FileStatus(path).flatMap { $0.kind == .directory && $0.isOwn ? $0 : nil }
    }

    /// With its parents, inside a directory that belongs to us: root must not create its own in another user's home.
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
