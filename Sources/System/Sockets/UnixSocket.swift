internal import CProcess
package import CredentialCore
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

/// A connection with a time limit on each pause of its peer; each call waits.
package final class PatientStream {
    private let file: FileDescriptor

    package init?(_ file: consuming FileDescriptor) {
        guard fcntl(file.number, F_SETFL, O_NONBLOCK) == 0 else { return nil }
        self.file = file
    }

    /// - Returns: the number of bytes, 0 at the end; `nil` on failure or if nothing arrives in time.
    package func read(into buffer: UnsafeMutableRawBufferPointer, within milliseconds: Int64) -> Int? {
        var deadline = Deadline(in: milliseconds)
        return try? deadline.result(on: file.number) { Glibc.read(file.number, buffer.baseAddress, buffer.count) }
    }

    /// - Returns: false on failure, or if the peer accepts nothing for that many milliseconds.
    package func write(_ pieces: [UnsafeRawBufferPointer], pausing milliseconds: Int64) -> Bool {
        var rest = pieces.map { iovec(iov_base: UnsafeMutableRawPointer(mutating: $0.baseAddress), iov_len: $0.count) }
        while rest.contains(where: { $0.iov_len > 0 }) {
            var deadline = Deadline(in: milliseconds)
            let count = try? deadline.result(on: file.number, writing: true) {
                rest.withUnsafeMutableBufferPointer { vectors in
                    var message = msghdr()
                    message.msg_iov = vectors.baseAddress
                    message.msg_iovlen = vectors.count
                    return sendmsg(file.number, &message, Int32(MSG_NOSIGNAL))
                }
            }
            guard let count else { return false }
            rest.drop(count)
        }
        return true
    }

    package func write(_ bytes: [UInt8], pausing milliseconds: Int64) -> Bool {
        bytes.withUnsafeBytes { write([$0], pausing: milliseconds) }
    }

    package var isClosed: Bool { !FileDescriptor.ready(ending: [file.number], within: 0).isEmpty }

    /// The peer can still read what was sent.
    package func endWriting() { shutdown(file.number, Int32(SHUT_WR)) }
}

extension [iovec] {
    fileprivate mutating func drop(_ count: Int) {
        var left = count
        for index in indices {
            let taken = Swift.min(left, self[index].iov_len)
            self[index].iov_base = self[index].iov_base?.advanced(by: taken)
            self[index].iov_len -= taken
            left -= taken
        }
    }
}

/// One end of a socket pair that preserves message boundaries (unix(7), SOCK_SEQPACKET); no other process can connect.
package final class MessageSocket {
    /// Bytes.
    package static let longest = 131_072

    package enum Arrival {
        case message(Secret)
        case nothing
        case ended
    }

    private let file: FileDescriptor

    package init?(_ file: consuming FileDescriptor) {
        guard fcntl(file.number, F_SETFL, O_NONBLOCK) == 0 else { return nil }
        self.file = file
    }

    package var number: Int32 { file.number }

    /// False if the other end is closed, or its queue is full.
    @discardableResult package func send(_ message: Secret) -> Bool {
        message.reveal { bytes in
            Glibc.send(number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)) == bytes.count
        }
    }

    /// Receives without waiting; an empty or oversized message counts as the end.
    package func receive() -> Arrival {
        let look = Int32(MSG_PEEK) | Int32(MSG_TRUNC) | Int32(MSG_DONTWAIT)
        let count = recv(number, nil, 0, look)
        if count < 0, [EAGAIN, EINTR].contains(errno) { return .nothing }
        guard (1...Self.longest).contains(count) else { return .ended }
        return .message(Secret(count: count) { _ = recv(number, $0.baseAddress, count, Int32(MSG_DONTWAIT)) })
    }

    /// Returns `nil` at the end, or if no message arrives in time.
    package func receive(within milliseconds: Int64) -> Secret? {
        var deadline = Deadline(in: milliseconds)
        while deadline.lasts() {
            switch receive() {
            case .message(let message): return message
            case .ended: return nil
            case .nothing: deadline.wait(for: number)
            }
        }
        return nil
    }
}

extension ChildProcess {
    /// Starts our own program for one connection, which the worker then owns; returns `nil` if that fails.
    ///
    /// The worker's standard input is the connection, and its standard output the channel to us. It has no other
    /// descriptor of ours, and no secret among its arguments or in its environment.
    package static func worker(
        _ operation: String, serving connection: borrowing FileDescriptor
    ) -> (process: ChildProcess, channel: MessageSocket)? {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0, let theirs = Handle(FileDescriptor(ends[0])),
            let end = FileDescriptor(ends[1]), let ours = MessageSocket(end),
            // This very program, even if another version has been installed since.
            let process = ChildProcess(
                ["/proc/self/exe", operation], io: .given(input: connection.number, output: theirs.number))
        else { return nil }
        return (process, ours)
    }

    /// The connection and the channel passed to a worker, or `nil` if this process is not one.
    package static func handedOver() -> (connection: PatientStream, channel: MessageSocket)? {
        gitspace_end_with_parent(SIGKILL)
        guard let connection = FileDescriptor(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)),
            let channel = FileDescriptor(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)),
            // The parent may have ended before the line above.
            PeerUser.peer(of: channel.number)?.process == getppid(),
            let stream = PatientStream(connection), let messages = MessageSocket(channel)
        else { return nil }
        // Output of libraries goes to standard error.
        dup2(STDERR_FILENO, STDIN_FILENO)
        dup2(STDERR_FILENO, STDOUT_FILENO)
        return (stream, messages)
    }
}
