internal import CredentialCore
internal import Glibc

/// A file of git's configuration that is replaced as git itself does it (git's lockfile.h): the new text is written to
/// `FILE.lock`, which only one process can create, and then replaces the file by rename(2).
struct ConfigurationFile {
    /// As it is configured.
    let path: String
    /// Behind symbolic links, which are kept.
    private let target: String
    private let lock: String

    /// git itself does not wait here; we wait this long for a git that is just writing.
    private static let patience: Int64 = 2_000
    /// No real configuration is nearly as large.
    private static let most = 16 << 20
    /// git's own limit.
    private static let mostLinks = 5

    /// It does not have to exist.
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

    /// Nil if there is no file.
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

    /// Nobody else can change the file at the same time; `isReadable` is asked before the new text takes effect.
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
            try write(bytes, to: file, isReadable)
            guard rename(lock, target) == 0 else { throw failure() }
            isStillLock = false
        }
    }

    private func write(
        _ bytes: [UInt8], to file: borrowing FileDescriptor, _ isReadable: (String) -> Bool
    ) throws(ConfigurationFileError) {
        guard bytes.withUnsafeBytes({ file.write($0) }) else { throw failure() }
        guard isReadable(lock) else { throw .unreadable }
        try keepMode(file)
        guard fsync(file.number) == 0 else { throw failure() }
    }

    /// Readable for nobody else: who has opened it could read all that is written later.
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

    /// The lock stands beside the file.
    private func lockFailure(_ reason: Errno) throws(ConfigurationFileError) -> ConfigurationFileError {
        _ = try contents()
        let folder = Path.folder(of: target)
        if Self.isForbidden(reason) { return .folderNotPermitted(folder) }
        return reason.number == ENOENT ? .folderMissing(folder) : failure(reason)
    }

    /// Those of the file that is replaced; a new one is for whom the umask admits, as git makes it.
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

/// umask(2), which all threads share; only the one that asks makes files.
enum FileModeMask {
    static var current: UInt32 {
        let mask = umask(0o077)
        umask(mask)
        return mask
    }

    /// Whatever a child makes meanwhile is its owner's alone.
    static func closed<Result>(_ body: () -> Result) -> Result {
        let mask = umask(0o077)
        defer { umask(mask) }
        return body()
    }
}
