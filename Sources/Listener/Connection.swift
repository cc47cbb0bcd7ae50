internal import CProcess
internal import CredentialCore
internal import Glibc
internal import System

/// One connection: a request, which may arrive in pieces, and one answer.
final class Connection {
    /// The state of the request.
    enum State {
        case reading
        /// The request is complete: a blank line or the end was read.
        case complete
        /// The request is too long, or the connection has failed.
        case worthless
    }

    /// The process and user at the other end.
    let peer: (process: Int32, user: UInt32)
    /// When it was accepted, in milliseconds of uptime.
    let arrival: Int64
    private let descriptor: FileDescriptor
    private(set) var bytes: [UInt8] = []
    private var last = UInt8(ascii: "\n")

    /// Takes over a connection that was just accepted; nil if the kernel does not say whose it is.
    init?(_ descriptor: consuming FileDescriptor, arrival: Int64) {
        var peer = gitspace_peer()
        guard gitspace_peer_of(descriptor.number, &peer) == 0 else { return nil }
        self.peer = (peer.process, peer.user)
        self.arrival = arrival
        self.descriptor = descriptor
    }

    deinit { bytes.wipe() }

    var number: Int32 { descriptor.number }

    /// Reads what has arrived, without waiting for more.
    func read(atMost most: Int) -> State {
        var buffer = [UInt8](repeating: 0, count: 2_048)
        defer { buffer.wipe() }
        while true {
            let count = buffer.withUnsafeMutableBytes { descriptor.read(into: $0) }
            guard count >= 0 else { return errno == EAGAIN ? .reading : .worthless }
            if count == 0 { return .complete }
            let piece = buffer[..<count]
            let isEnd = isBlankLine(in: piece)
            bytes += piece
            guard bytes.count <= most else { return .worthless }
            if isEnd { return .complete }
        }
    }

    /// Whether a line end follows another one in the newest piece; each byte is examined once.
    private func isBlankLine(in piece: ArraySlice<UInt8>) -> Bool {
        let lineEnd = UInt8(ascii: "\n")
        for byte in piece {
            if byte == lineEnd, last == lineEnd { return true }
            last = byte
        }
        return false
    }

    /// Sends as much of the answer as the socket accepts at once, without waiting: its buffer has room for many
    /// answers.
    func send(_ answer: Secret) {
        guard !answer.isEmpty else { return }
        answer.reveal { bytes in
            _ = Glibc.send(number, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        }
    }
}
