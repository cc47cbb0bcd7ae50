internal import CProcess
package import CredentialCore
internal import Glibc

/// One end of a pair of sockets that keep messages apart (unix(7), SOCK_SEQPACKET); nobody else can connect to it.
package final class MessageSocket {
    /// Of a message, in bytes.
    package static let longest = 131_072

    package enum Arrival {
        case message(Secret)
        case nothing
        /// The other end is closed.
        case ended
    }

    private let file: FileDescriptor

    /// Of a pair whose other end is elsewhere.
    package init?(_ file: consuming FileDescriptor) {
        guard fcntl(file.number, F_SETFL, O_NONBLOCK) == 0 else { return nil }
        self.file = file
    }

    /// The end for a child, and ours.
    static func pair() -> (theirs: Handle, ours: MessageSocket)? {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0, let theirs = Handle(FileDescriptor(ends[0])),
            let end = FileDescriptor(ends[1]), let ours = MessageSocket(end)
        else { return nil }
        return (theirs, ours)
    }

    package var number: Int32 { file.number }

    /// False if the other end is closed, or has not taken what was sent before.
    @discardableResult package func send(_ message: Secret) -> Bool {
        message.reveal { bytes in
            Glibc.send(number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)) == bytes.count
        }
    }

    /// Does not wait; an empty message, or one that is too long, ends it.
    package func receive() -> Arrival {
        let look = Int32(MSG_PEEK) | Int32(MSG_TRUNC) | Int32(MSG_DONTWAIT)
        let count = recv(number, nil, 0, look)
        if count < 0, [EAGAIN, EINTR].contains(errno) { return .nothing }
        guard (1...Self.longest).contains(count) else { return .ended }
        return .message(Secret(count: count) { _ = recv(number, $0.baseAddress, count, Int32(MSG_DONTWAIT)) })
    }

    /// Nil at the end, or if nothing comes in that time.
    package func receive(within milliseconds: Int64) -> Secret? {
        var deadline = Deadline(in: milliseconds)
        while deadline.lasts() {
            switch receive() {
            case .message(let message): return message
            case .ended: return nil
            case .nothing: deadline.wait(reading: [number])
            }
        }
        return nil
    }
}

extension ChildProcess {
    /// Our own program, started for one connection, which it owns from then on; nil if it could not be started.
    ///
    /// It finds the connection as its standard input, and its end of the channel to us as its standard output; it has no
    /// other descriptor of ours, and no secret among its arguments or in its environment.
    package static func worker(
        _ operation: String, serving connection: borrowing FileDescriptor
    ) -> (process: ChildProcess, channel: MessageSocket)? {
        guard let (theirs, ours) = MessageSocket.pair(),
            // The program that runs, even where another version has been installed since.
            let process = ChildProcess(
                ["/proc/self/exe", operation], io: .given(input: connection.number, output: theirs.number))
        else { return nil }
        return (process, ours)
    }

    /// What such a process was given; nil for one that was not started so.
    package static func handedOver() -> (connection: PatientStream, channel: MessageSocket)? {
        gitspace_end_with_parent(SIGKILL)
        guard let connection = FileDescriptor(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)),
            let channel = FileDescriptor(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)),
            // The check fails if the parent ended before the line above.
            PeerUser.peer(of: channel)?.process == getppid(),
            let stream = PatientStream(connection), let messages = MessageSocket(channel)
        else { return nil }
        // What a library prints goes nowhere.
        dup2(STDERR_FILENO, STDIN_FILENO)
        dup2(STDERR_FILENO, STDOUT_FILENO)
        return (stream, messages)
    }
}
