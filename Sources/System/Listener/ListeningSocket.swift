internal import CProcess
internal import Glibc

/// In a directory of ours: unix(7).
package final class ListeningSocket {
    package let path: String
    private let descriptor: FileDescriptor
    /// The one that was created for the socket.
    private let file: FileStatus?
    /// systemd created it, and removes it.
    package let isInherited: Bool

    /// More than can be answered at once: of 32 clients, those beyond the limit wait in the kernel.
    private static let backlog: Int32 = 128

    /// Accessible to its owner only.
    ///
    /// Replaces the socket of a listener that has ended, if it is a socket, ours, and refuses connections. The caller
    /// holds the lock of the place: otherwise two processes would remove each other's sockets.
    package init(at path: String) throws(ShareError) {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard let descriptor = FileDescriptor(socket(AF_UNIX, kind, 0)) else { throw .system(path: path, errno) }
        // Before it is bound: the file gets the permissions of the socket, and is never open to others.
        guard fchmod(descriptor.number, 0o600) == 0 else { throw .system(path: path, errno) }
        if let failure = try Self.bind(descriptor.number, to: path) {
            guard failure == EADDRINUSE else { throw .system(path: path, failure) }
            try Self.removeDead(path)
            if let failure = try Self.bind(descriptor.number, to: path) { throw .system(path: path, failure) }
        }
        guard listen(descriptor.number, Self.backlog) == 0 else { throw .system(path: path, errno) }
        self.path = path
        self.descriptor = descriptor
        file = FileStatus(withoutFollowing: path)
        isInherited = false
    }

    /// From systemd: sd_listen_fds(3).
    ///
    /// - Throws: `.notHandedOver` if there is none, or one that listens elsewhere.
    package init(inheritedAt path: String) throws(ShareError) {
        guard Environment["LISTEN_PID"] == "\(getpid())", Environment["LISTEN_FDS"] == "1",
            let descriptor = FileDescriptor(Self.firstInherited)
        else { throw .notHandedOver }
        for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) }
        var isListening: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor.number, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &length) == 0, isListening == 1,
            Self.path(of: descriptor.number) == path, fcntl(descriptor.number, F_SETFD, FD_CLOEXEC) == 0,
            fcntl(descriptor.number, F_SETFL, O_NONBLOCK) == 0
        else { throw .notHandedOver }
        self.path = path
        self.descriptor = descriptor
        file = nil
        isInherited = true
    }

    /// Of all listening sockets on this machine: proc(5), /proc/net/unix.
    ///
    /// Connecting to them would make systemd start processes.
    package static var paths: [String] {
        guard let table = FileReader.beginning(of: "/proc/net/unix", atMost: 4 << 20) else { return [] }
        return table.split(separator: UInt8(ascii: "\n")).compactMap { line in
            // Num RefCount Protocol Flags Type St Inode Path; __SO_ACCEPTCON is 0x10000.
            let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 7)
            guard fields.count == 8, fields[3].elementsEqual("00010000".utf8) else { return nil }
            return String(validating: fields[7].drop { $0 == UInt8(ascii: " ") }, as: UTF8.self)
        }
    }

    /// `SD_LISTEN_FDS_START`.
    private static let firstInherited: Int32 = 3

    /// For poll(2).
    var number: Int32 { descriptor.number }

    /// Nil if none is waiting.
    func accept() -> FileDescriptor? { .accepted(from: descriptor.number) }

    /// Only if the file is still this socket's; open connections stay open.
    package func remove() {
        guard !isInherited, let file, let now = FileStatus(withoutFollowing: path), now.isSameFile(as: file) else {
            return
        }
        unlink(path)
    }

    private static func bind(_ descriptor: Int32, to path: String) throws(ShareError) -> Int32? {
        let result = UnixSocket.Address.path(Array(path.utf8)).withBytes { bytes in
            Glibc.bind(
                descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(bytes.count))
        }
        guard result == 0 else {
            let number = errno
            guard number != ENAMETOOLONG else { throw .pathTooLong(path) }
            return number
        }
        return nil
    }

    private static func removeDead(_ path: String) throws(ShareError) {
        guard isOwnSocket(path) else { throw .unsafe(path: path) }
        guard !isAlive(path) else { throw .alreadyShared }
        guard unlink(path) == 0 || errno == ENOENT else { throw .system(path: path, errno) }
    }

    private static func isOwnSocket(_ path: String) -> Bool {
        guard let status = FileStatus(withoutFollowing: path) else { return false }
        return status.kind == .socket && status.isOwn
    }

    /// Whether connections are accepted, or wait; only a refusal shows that nothing listens.
    private static func isAlive(_ path: String) -> Bool {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard let probe = FileDescriptor(socket(AF_UNIX, kind, 0)) else { return true }
        let result = UnixSocket.Address.path(Array(path.utf8)).withBytes { bytes in
            connect(probe.number, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(bytes.count))
        }
        return result == 0 || errno != ECONNREFUSED
    }

    /// getsockname(2).
    private static func path(of descriptor: Int32) -> String? {
        var address = sockaddr_un()
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafeMutableBytes(of: &address) { bytes in
            bytes.assumingMemoryBound(to: sockaddr.self).baseAddress.map { getsockname(descriptor, $0, &length) }
        }
        guard result == 0, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
        return withUnsafeBytes(of: &address.sun_path) { String(validating: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}

extension FileDescriptor {
    /// The next connection that waits at a listening socket; nil if none does.
    package static func accepted(from listener: Int32) -> FileDescriptor? { FileDescriptor(gitspace_accept(listener)) }
}
