internal import Glibc
internal import System

/// What is written down about a place while it is shared, and the lock that keeps it the only one of its name.
///
/// A lock of fcntl(2) and not of flock(2), since the kernel tells whose it is: no number of a process is ever read from
/// a file, where it could be of one that has ended. Such a lock is lost when the process closes any descriptor of the
/// file, so it has only this one.
package final class RecordFile {
    private let file: FileDescriptor

    /// Why there is none.
    package enum Failure: Error, Equatable {
        /// A process shares this place.
        case held(by: Int32)
        /// Something else is there, or a call failed.
        case system(Int32)
    }

    /// Takes the lock; waits for nobody.
    package init(locking path: String) throws(Failure) {
        guard let file = FileDescriptor(opening: path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode: 0o600) else {
            throw .system(errno)
        }
        guard let status = FileStatus(of: file), status.kind == .regular, status.isOwn else { throw .system(EPERM) }
        var lock = Self.lock
        guard fcntl(file.number, F_SETLK, &lock) == 0 else {
            let number = errno
            guard [EAGAIN, EACCES].contains(number), let holder = Self.holder(file.number) else {
                throw .system(number)
            }
            throw .held(by: holder)
        }
        self.file = file
    }

    /// Writes what is to be known.
    package func write(_ bytes: [UInt8]) {
        // A reader may see half of it, and then shows half of it.
        _ = bytes.withUnsafeBytes { pwrite(file.number, $0.baseAddress, $0.count, 0) }
        ftruncate(file.number, bytes.count)
    }

    /// What was written last, perhaps by a process that has ended since; empty if nothing was.
    package var text: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.most)
        let count = bytes.withUnsafeMutableBytes { pread(file.number, $0.baseAddress, $0.count, 0) }
        return Array(bytes.prefix(max(count, 0)))
    }

    private static let most = 65_536

    /// The same for a file that another process may hold; this one must not, for it would lose its lock.
    package static func text(of path: String) -> [UInt8] { (try? FileReader.contents(of: path, atMost: most)) ?? [] }

    /// The process that holds the lock; nil if none does.
    package static func holder(of path: String) -> Int32? {
        guard let file = FileDescriptor(opening: path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) else { return nil }
        return holder(file.number)
    }

    private static func holder(_ descriptor: Int32) -> Int32? {
        var lock = Self.lock
        guard fcntl(descriptor, F_GETLK, &lock) == 0, lock.l_type != Int16(F_UNLCK) else { return nil }
        return lock.l_pid
    }

    private static var lock: flock {
        flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: 0, l_len: 0, l_pid: 0)
    }
}
