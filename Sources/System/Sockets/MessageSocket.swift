internal import CProcess
package import CredentialCore
internal import Glibc

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
