internal import CredentialCore
internal import Glibc

/// A file of git's configuration, replaced as git does it (git's lockfile.h): the new text is written to `FILE.lock`,
/// which only one process can create, and renamed over the file.
struct ConfigurationFile {
    let path: String
    /// The path behind symbolic links, which stay.
    private let target: String
    private let lock: String

    /// Milliseconds to wait for another writer; git itself does not wait.
    private static let patience: Int64 = 2_000
    /// No real configuration is nearly as large.
    private static let most = 16 << 20
    /// git's own limit.
    private static let mostLinks = 5

    init(_ path: String) throws(ConfigurationFileError) {
        self.path = path
        target = try Self.target(of: path)
        lock = target + ".lock"
    }

    private static func target(of path: String) throws(ConfigurationFileError) -> String {
        var target = path
        for _ in 0...mostLinks {
            do throws(Errno) {
                target = try Path.path(Path.target(ofLink: target), in: Path.folder(of: target))
            } catch {
                guard error.number == EILSEQ else { return target }
                throw .failed(path, reason: error.text)
            }
        }
        throw .failed(path, reason: Errno(number: ELOOP).text)
    }

    /// `nil` if there is no file.
    func contents() throws(ConfigurationFileError) -> [UInt8]? {
        do throws(FileReader.Failure) {
            return try FileReader.contents(of: target, atMost: Self.most)
        } catch {
            switch error {
            case .absent: return nil
            // `GIT_CONFIG_GLOBAL=/dev/null` is common; a rename would put a file in its place.
            case .notRegular: throw failure(Errno(number: EINVAL))
            case .tooLarge: throw failure(Errno(number: EFBIG))
            case .system(let reason): throw failure(reason)
            }
        }
    }

    /// Changes the file under its lock; calls `isReadable` with the new text's file before that takes effect.
    func edit(
        isReadable: (String) -> Bool, _ change: ([UInt8]?) throws(ConfigurationFileError) -> ConfigurationEdit
    ) throws(ConfigurationFileError) {
        let file = try takeLock()
        // After the rename, the name of the lock is free, and may already be another program's lock.
        var isStillLock = true
        defer { if isStillLock { unlink(lock) } }
        switch try change(contents()) {
        case .nothing: return
        case .delete: guard unlink(target) == 0 || errno == ENOENT else { throw failure() }
        case .write(let bytes):
            guard bytes.withUnsafeBytes({ file.write($0) }) else { throw failure() }
            guard isReadable(lock) else { throw .unreadable }
            try keepMode(file)
            guard fsync(file.number) == 0 else { throw failure() }
            guard rename(lock, target) == 0 else { throw failure() }
            isStillLock = false
        }
    }

    /// Creates the lock, readable for its owner alone, since an open descriptor could read everything written later.
    private func takeLock() throws(ConfigurationFileError) -> FileDescriptor {
        var deadline = Deadline(in: Self.patience)
        while true {
            do throws(Errno) {
                return try FileDescriptor.open(lock, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
            } catch {
                guard error.number == EEXIST else { throw try lockFailure(error) }
            }
            guard deadline.lasts() else { throw .locked(lock) }
            SystemClock.pause(milliseconds: 20)
        }
    }

    /// The reason why the lock could not be created beside the file.
    private func lockFailure(_ reason: Errno) throws(ConfigurationFileError) -> ConfigurationFileError {
        _ = try contents()
        let folder = Path.folder(of: target)
        if Self.isForbidden(reason) { return .folderNotPermitted(folder) }
        return reason.number == ENOENT ? .folderMissing(folder) : failure(reason)
    }

    /// Copies owner and mode of the replaced file; a new file gets the umask's mode, as with git.
    private func keepMode(_ file: borrowing FileDescriptor) throws(ConfigurationFileError) {
        let old = FileStatus(target)
        // root may set up another user's file, which must keep its owner; other users can only write their own.
        if let old { _ = fchown(file.number, old.owner, old.group) }
        var mode = old?.permissions ?? 0o666 & ~FileModeMask.current
        // Another group may not do what the old one might.
        if let old, FileStatus(of: file)?.group != old.group { mode &= ~0o070 }
        guard fchmod(file.number, mode) == 0 else { throw failure() }
    }

    private func failure(_ reason: Errno = .last) -> ConfigurationFileError {
        Self.isForbidden(reason) ? .notPermitted(path) : .failed(path, reason: reason.text)
    }

    private static func isForbidden(_ reason: Errno) -> Bool { [EACCES, EPERM, EROFS].contains(reason.number) }
}

/// umask(2), which all threads share; only the calling thread creates files.
enum FileModeMask {
    static var current: UInt32 {
        let mask = umask(0o077)
        umask(mask)
        return mask
    }

    static func closed<Result>(_ body: () -> Result) -> Result {
        let mask = umask(0o077)
        defer { umask(mask) }
        return body()
    }
}
