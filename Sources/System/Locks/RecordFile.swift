internal import Glibc

/// A record of what a process does, with a lock that makes this process its only writer.
///
/// The lock is one of fcntl(2), whose holder the kernel reports; a process ID in a file could be out of date. The lock
/// is lost when the process closes any descriptor of the file, so this is its only one.
package final class RecordFile {
    private let file: FileDescriptor

    package enum Failure: Error, Equatable {
        case held
        case system(path: String, Errno)
    }

    package enum Holder: Equatable {
        case none
        /// A process that can be sent signals.
        case process(Int32)
        /// A holder without a process ID here: in another PID namespace, on another machine, or an open file.
        ///
        /// The kernel then reports 0 or a negative number, which means several processes to kill(2).
        case elsewhere
    }

    /// Does not wait for the lock.
    package init(locking path: String) throws(Failure) {
        guard let file = FileDescriptor(opening: path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode: 0o600) else {
            throw .system(path: path, .last)
        }
        guard let status = FileStatus(of: file), status.kind == .regular, status.isOwn else {
            throw .system(path: path, Errno(number: EPERM))
        }
        var lock = Self.lock
        guard fcntl(file.number, F_SETLK, &lock) == 0 else {
            throw [EAGAIN, EACCES].contains(errno) ? .held : .system(path: path, .last)
        }
        self.file = file
    }

    package func write(_ bytes: [UInt8]) {
        // A concurrent reader may see only a part.
        _ = bytes.withUnsafeBytes { pwrite(file.number, $0.baseAddress, $0.count, 0) }
        ftruncate(file.number, bytes.count)
    }

    /// The last record, perhaps of a process that has ended; empty if there is none.
    package var text: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.most)
        let count = bytes.withUnsafeMutableBytes { pread(file.number, $0.baseAddress, $0.count, 0) }
        return Array(bytes.prefix(max(count, 0)))
    }

    private static let most = 1 << 20

    /// A record of another process; if this process holds the lock, the lock is lost.
    package static func text(of path: String) -> [UInt8] { (try? FileReader.contents(of: path, atMost: most)) ?? [] }

    /// The holder of a file's lock; if this process holds it, the lock is lost.
    package static func holder(of path: String) -> Holder {
        guard let file = FileDescriptor(opening: path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) else { return .none }
        var lock = Self.lock
        guard fcntl(file.number, F_GETLK, &lock) == 0, lock.l_type != Int16(F_UNLCK) else { return .none }
        return lock.l_pid > 0 ? .process(lock.l_pid) : .elsewhere
    }

    private static var lock: flock {
        flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: 0, l_len: 0, l_pid: 0)
    }
}
