internal import CredentialCore
internal import Glibc

/// A file of git's configuration that is replaced as git itself does it (git's lockfile.h): the new text goes to
/// `FILE.lock`, which only one process can create, and takes the file's place by rename(2).
struct ConfigurationFile {
    /// The path as it is configured.
    let path: String
    /// Behind the symbolic links, which stay.
    private let target: String
    private let lock: String

    /// git waits for nobody here; we wait this long for a git that is just writing.
    private static let patience: Int64 = 2_000
    /// No configuration comes near it.
    private static let most = 16 << 20
    /// git's own limit.
    private static let mostLinks = 5

    /// A file that need not exist.
    init(_ path: String) throws(ConfigurationFileError) {
        self.path = path
        target = try Self.target(of: path)
        lock = target + ".lock"
    }

    private static func target(of path: String) throws(ConfigurationFileError) -> String {
        var target = path
        for _ in 0...mostLinks {
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
            let count = readlink(target, &buffer, buffer.count)
            guard count > 0 else { return target }
            let bytes = buffer[..<count].map { UInt8(bitPattern: $0) }
            guard let next = String(validating: bytes, as: UTF8.self) else { break }
            let folder = target.lastIndex(of: "/").map { target[...$0] } ?? ""
            target = next.hasPrefix("/") ? next : folder + next
        }
        throw .failed(path, reason: String(cString: strerror(ELOOP)))
    }

    /// What it holds; nil if there is none.
    func contents() throws(ConfigurationFileError) -> [UInt8]? {
        do throws(FileReader.Failure) {
            return try FileReader.contents(of: target, atMost: Self.most)
        } catch {
            switch error {
            case .absent: return nil
            // `GIT_CONFIG_GLOBAL=/dev/null` is common; a rename would put a file in its place.
            case .notRegular: throw failure(EINVAL)
            case .tooLarge: throw failure(EFBIG)
            case .system(let number): throw failure(number)
            }
        }
    }

    /// Changes it, while nobody else can.
    ///
    /// - Parameters:
    ///   - isReadable: whether git can read a file; asked before the new text takes effect.
    ///   - change: says what shall become of it.
    /// - Throws: why it stays as it was.
    func edit(
        isReadable: (String) -> Bool, _ change: ([UInt8]?) throws(ConfigurationFileError) -> ConfigurationEdit
    ) throws(ConfigurationFileError) {
        let file = try takeLock()
        // Once it has become the file, the name is free, and may be another program's lock already.
        var isStillLock = true
        defer { if isStillLock { unlink(lock) } }
        switch try change(contents()) {
        case .nothing: return
        case .delete: guard unlink(target) == 0 || errno == ENOENT else { throw failure() }
        case .write(let bytes):
            try keepMode(file)
            guard bytes.withUnsafeBytes({ file.write($0) }), fsync(file.number) == 0 else { throw failure() }
            guard isReadable(lock) else { throw .unreadable }
            guard rename(lock, target) == 0 else { throw failure() }
            isStillLock = false
        }
    }

    private func takeLock() throws(ConfigurationFileError) -> FileDescriptor {
        let clock = SystemClock()
        let end = clock.uptimeMilliseconds + Self.patience
        while true {
            if let file = FileDescriptor(opening: lock, O_WRONLY | O_CREAT | O_EXCL, mode: 0o666) { return file }
            guard errno == EEXIST else { throw failure() }
            guard clock.uptimeMilliseconds < end else { throw .locked(lock) }
            SystemClock.pause(milliseconds: 20)
        }
    }

    private func keepMode(_ file: borrowing FileDescriptor) throws(ConfigurationFileError) {
        guard let old = FileStatus(target) else { return }
        guard fchmod(file.number, old.permissions) == 0 else { throw failure() }
        // root may set up another's file, which must stay theirs; anybody else's is their own already.
        _ = fchown(file.number, old.owner, old.group)
    }

    /// What has gone wrong, if nothing else is said by the last call.
    private func failure(_ number: Int32 = errno) -> ConfigurationFileError {
        [EACCES, EPERM, EROFS].contains(number)
            ? .notPermitted(path) : .failed(path, reason: String(cString: strerror(number)))
    }
}
