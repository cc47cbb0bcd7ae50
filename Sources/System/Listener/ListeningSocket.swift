internal import CProcess
internal import CredentialCore
internal import Glibc

/// A listening socket in a directory of ours: unix(7).
package final class ListeningSocket {
    package enum Failure: Error, Equatable {
        case pathTooLong(String)
        /// systemd passed no socket that listens there.
        case notHandedOver
        case system(path: String, Errno)
    }

    package private(set) var path: String
    private let descriptor: FileDescriptor
    /// The file that was created for the socket.
    private let file: FileStatus?
    /// Whether systemd created the socket, and will remove it.
    package let isInherited: Bool

    /// Further clients wait in the kernel.
    private static let backlog: Int32 = 128

    /// Creates a socket that only its owner can reach.
    ///
    /// The caller holds the lock of its name, so an existing file is a leftover.
    package init(at path: String) throws(Failure) {
        descriptor = try rethrowing(
            as: { $0.number == ENAMETOOLONG ? .pathTooLong(path) : .system(path: path, $0) as Failure },
            try Self.listening(at: path))
        self.path = path
        file = FileStatus(withoutFollowing: path)
        isInherited = false
    }

    private static func listening(at path: String) throws(Errno) -> FileDescriptor {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard let descriptor = FileDescriptor(socket(AF_UNIX, kind, 0)) else { throw .last }
        let number = descriptor.number
        // Before bind(2), so that the file is never open to others.
        try Errno.check(fchmod(number, 0o600))
        unlink(path)
        try UnixSocket.Address.path(Array(path.utf8)).withBytes { bytes throws(Errno) in
            try Errno.check(
                bind(number, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(bytes.count)))
        }
        try Errno.check(listen(number, backlog))
        return descriptor
    }

    /// Moves the socket to where clients find it; removes it on failure.
    ///
    /// Clients that can write in that folder can put anything there: their own listening socket (as git's cache does),
    /// a link, a folder that is not empty. All of it is replaced.
    package func move(to path: String) throws(Failure) {
        guard path.utf8.count <= UnixSocket.longestName else { throw .pathTooLong(path) }
        do throws(Errno) {
            try Path.replace(path, with: self.path)
            self.path = path
        } catch {
            remove()
            throw .system(path: path, error)
        }
    }

    /// Takes over the socket that systemd passed: sd_listen_fds(3).
    ///
    /// - Throws: `.notHandedOver` if there is none, or it listens elsewhere.
    package init(inheritedAt path: String) throws(Failure) {
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

    /// `SD_LISTEN_FDS_START`.
    private static let firstInherited: Int32 = 3

    package var number: Int32 { descriptor.number }

    /// Removes the file if it is still this socket's; open connections stay open.
    package func remove() {
        guard !isInherited, let file, let now = FileStatus(withoutFollowing: path), now.isSameFile(as: file) else {
            return
        }
        unlink(path)
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
    /// `nil` if no connection waits.
    package static func accepted(from listener: Int32) -> FileDescriptor? { FileDescriptor(gitspace_accept(listener)) }
}
