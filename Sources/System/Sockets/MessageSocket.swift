internal import CProcess
package import CredentialCore
internal import Glibc

/// One end of a pair of sockets that keep messages apart (unix(7), SOCK_SEQPACKET); nobody else can connect to it.
package final class MessageSocket {
    /// Of a message, in bytes.
    package static let longest = 65_536

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

    /// For poll(2).
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
            case .nothing:
                var watched = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
                poll(&watched, 1, Int32(Deadline.interval))
            }
        }
        return nil
    }
}
