internal import CredentialCore
internal import Glibc

/// The parent of the places' directories: `gitspace` in the session's runtime directory, or in the user's cache.
///
/// Never in /tmp, where anyone could create a directory of that name first. An existing directory is used only if it is
/// ours and closed to all others, as in git's own cache (`init_socket_directory` in
/// builtin/credential-cache--daemon.c). A new one is created with these permissions, not restricted afterwards. Nobody
/// but us and root may be able to put another in its place: no folder or link on the way to it is another user's, and
/// no folder is writable by others, unless it is sticky as /tmp.
package struct ShareDirectory {
    /// Absolute.
    package let path: String

    /// It need not exist.
    package init() throws(ShareError) {
        guard let parent = Self.runtime ?? Self.cache else { throw .nowhere }
        guard parent.unicodeScalars.allSatisfy(Self.isPlain) else { throw .unquotable(path: parent) }
        path = parent + "/gitspace"
        try Self.check(path)
    }

    /// It need not exist.
    package func directory(of name: String) -> String { "\(path)/\(name)" }
    package func socket(of name: String) -> String { "\(path)/\(name)/socket" }
    /// Beside the place's directory, since the place must not see it.
    package func record(of name: String) -> String { "\(path)/.\(name).share" }
    /// For ssh's own socket; as short as possible, since ssh adds to the name while it starts.
    package func control(of name: String) -> String { "\(path)/.\(name).ssh" }
    /// For a socket that no place sees: one to which ssh leads, or one that is about to be put into a place's directory.
    package func hiddenSocket(of name: String) -> String { "\(path)/.\(name).socket" }

    /// Those with a record, also of what is no longer shared.
    package var names: [String] {
        FolderList.names(in: path, atMost: .max).compactMap { name in
            name.hasPrefix(".") && name.hasSuffix(".share") ? String(name.dropFirst().dropLast(6)) : nil
        }
    }

    /// With its parents.
    package func make() throws(ShareError) {
        let parent = String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
        // A new account may have no cache directory yet.
        _ = mkdir(parent, 0o700)
        try Self.make(path)
        guard let status = FileStatus(withoutFollowing: path), status.permissions & 0o077 == 0 else {
            throw .unsafe(path: path)
        }
        // Once more: what was not there has been made by somebody, who need not be us.
        try Self.check(path)
    }

    /// In the directory, which is there.
    package func makePlace(_ name: String) throws(ShareError) {
        let place = directory(of: name)
        try Self.make(place)
        // Nobody else gets here; but a place with the mount writable is us, and may have changed the permissions.
        guard chmod(place, 0o700) == 0 else { throw .system(path: place, errno) }
    }

    private static func make(_ path: String) throws(ShareError) {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .system(path: path, errno) }
        guard let status = FileStatus(withoutFollowing: path) else { throw .system(path: path, errno) }
        guard status.kind == .directory, status.isOwn else { throw .unsafe(path: path) }
    }

    /// Whether a character can stand in the commands that a person pastes, in the helper that git passes to a shell, in
    /// a mount of podman (`:`) or docker (`,`), and in ssh's paths, which it expands (`%`, `${`).
    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        DisplayText.isVisible(scalar) && !"$`'\"\\:,%".unicodeScalars.contains(scalar)
    }

    private static func check(_ path: String) throws(ShareError) {
        do throws(Others.Failure) {
            _ = try Others().resolved(path)
        } catch {
            switch error {
            case .exchangeable(let folder): throw .exchangeable(path: folder)
            case .system(let path, let number): throw .system(path: path, number)
            }
        }
    }

    private static var runtime: String? {
        guard let path = Environment["XDG_RUNTIME_DIR"], path.hasPrefix("/"), let status = FileStatus(path),
            status.kind == .directory, status.isOwn, status.permissions & 0o077 == 0
        else { return nil }
        return path
    }

    private static var cache: String? {
        if let path = Environment["XDG_CACHE_HOME"], path.hasPrefix("/") { return path }
        return Environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 + "/.cache" : nil }
    }
}

/// The record of a place while it is shared, and the lock that keeps its name unique.
///
/// Locked with fcntl(2) instead of flock(2), since the kernel then tells which process holds the lock: a process ID
/// read from a file could be that of a process that has ended. Such a lock is lost when the process closes any
/// descriptor of the file, so this is its only one.
package final class RecordFile {
    private let file: FileDescriptor

    package enum Holder: Equatable {
        case none
        /// It can be sent signals.
        case process(Int32)
        /// A process without an ID here: it is in another PID namespace or on another machine, or the lock belongs to an
        /// open file instead of a process.
        ///
        /// The kernel then reports 0 or a negative number, which kill(2) would take for a group of processes, or for all
        /// of them.
        case elsewhere
    }

    /// Without waiting.
    package init(locking path: String) throws(ShareError) {
        guard let file = FileDescriptor(opening: path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode: 0o600) else {
            throw .system(path: path, errno)
        }
        guard let status = FileStatus(of: file), status.kind == .regular, status.isOwn else {
            throw .system(path: path, EPERM)
        }
        var lock = Self.lock
        guard fcntl(file.number, F_SETLK, &lock) == 0 else {
            throw [EAGAIN, EACCES].contains(errno) ? .alreadyShared : .system(path: path, errno)
        }
        self.file = file
    }

    package func write(_ bytes: [UInt8]) {
        // A reader that reads in between sees only a part.
        _ = bytes.withUnsafeBytes { pwrite(file.number, $0.baseAddress, $0.count, 0) }
        ftruncate(file.number, bytes.count)
    }

    /// The last record, possibly of a process that has ended since; empty if there is none.
    package var text: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.most)
        let count = bytes.withUnsafeMutableBytes { pread(file.number, $0.baseAddress, $0.count, 0) }
        return Array(bytes.prefix(max(count, 0)))
    }

    private static let most = 65_536

    /// Also of a file that another process may hold; not of one that this process holds, which would lose its lock.
    package static func text(of path: String) -> [UInt8] { (try? FileReader.contents(of: path, atMost: most)) ?? [] }

    /// Not for a file that this process holds, which would lose its lock.
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

package enum ShareError: Error, Equatable {
    /// No `XDG_RUNTIME_DIR` and no home directory.
    case nowhere
    case alreadyShared
    /// It is not ours, others may enter it, or it is of another kind.
    case unsafe(path: String)
    /// A shell, a container engine or ssh would act on a character of it.
    case unquotable(path: String)
    /// Another user could exchange this folder or link.
    case exchangeable(path: String)
    /// It has more bytes than a socket's address has room for.
    case pathTooLong(String)
    /// systemd passed no socket that listens there.
    case notHandedOver
    /// `errno`.
    case system(path: String, Int32)
}
