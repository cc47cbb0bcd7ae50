internal import CProcess
internal import CredentialCore
internal import Glibc

/// A client's socket whose waits end at the caller's deadline (unix(7)).
package struct UnixSocket: ~Copyable {
    package enum Failure: Error, Equatable {
        case deadline
        case closed
    }

    private let socket: FileDescriptor
    private var deadline: Deadline

    private init(over socket: consuming FileDescriptor, by deadline: Deadline) {
        self.socket = socket
        self.deadline = deadline
    }

    /// Connects without waiting; a failable initialiser of a noncopyable type would crash Swift 6.0.
    package static func connected(to address: Address, by deadline: Deadline) throws(Errno) -> UnixSocket {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        guard let socket = FileDescriptor(Glibc.socket(AF_UNIX, kind, 0)) else { throw .last }
        let number = socket.number
        try address.withBytes { bytes throws(Errno) in
            try Errno.check(
                connect(number, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(bytes.count)))
        }
        return UnixSocket(over: socket, by: deadline)
    }

    /// Whether no process listens at the socket; one that is too busy to accept (EAGAIN of connect(2)) does.
    package static func isGone(_ reason: Errno) -> Bool { [ENOENT, ECONNREFUSED].contains(reason.number) }
    package var stranger: UInt32? { Self.stranger(at: socket.number) }

    /// The user that began to listen (unix(7), SO_PEERCRED), or `nil` if it is us or root; the file's owner may differ.
    package static func stranger(at descriptor: Int32) -> UInt32? {
        let user = PeerUser.peer(of: descriptor)?.user ?? PeerUser.nobody
        return PeerUser.isTrusted(user) ? nil : user
    }

    package mutating func send(_ bytes: [UInt8]) throws(Failure) {
        var rest = bytes[...]
        let number = socket.number
        while !rest.isEmpty {
            let count = try result(writing: true) {
                rest.withUnsafeBytes {
                    Glibc.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
                }
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Waits until bytes arrive; false at the end.
    package mutating func receive(into bytes: inout [UInt8]) throws(Failure) -> Bool {
        let number = socket.number
        return try result(writing: false) {
            withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 1) { buffer in
                let count = recv(number, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
                guard count > 0, let start = buffer.baseAddress else { return count }
                bytes += buffer[..<count]
                // The bytes may be part of a secret.
                explicit_bzero(start, count)
                return count
            }
        } > 0
    }

    private mutating func result(writing: Bool, of call: () -> Int) throws(Failure) -> Int {
        let number = socket.number
        guard deadline.lasts() else { throw .deadline }
        if !writing { deadline.wait(for: number) }
        do {
            if let result = try deadline.result(on: number, writing: writing, of: call) { return result }
        } catch {
            throw .closed
        }
        throw .deadline
    }

    package enum Address: Equatable {
        case path([UInt8])
        /// A name in Linux's abstract namespace.
        case abstract([UInt8])
    }

    /// `sockaddr_un` has room for 108 bytes, one of which ends the path, or begins the abstract name.
    package static let longestName = 107
}

extension UnixSocket.Address {
    /// Lends the address as bind(2) and connect(2) take it: a `sockaddr_un` up to the end of the name.
    ///
    /// - Throws: the error of `call`; `ENAMETOOLONG` for a name that is too long.
    package func withBytes(_ call: (UnsafeRawBufferPointer) throws(Errno) -> Void) throws(Errno) {
        // An abstract name begins with a NUL, and only its length ends it.
        let name: [UInt8]
        switch self {
        case .path(let path): name = path + [0]
        case .abstract(let abstract): name = [0] + abstract
        }
        guard name.count <= UnixSocket.longestName + 1 else { throw Errno(number: ENAMETOOLONG) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let length = (MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2) + name.count
        try withUnsafeBytes(of: &address) { bytes throws(Errno) in
            try call(UnsafeRawBufferPointer(rebasing: bytes[..<length]))
        }
    }
}
