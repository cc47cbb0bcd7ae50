import Glibc

/// A client's connection as a stream of bytes, with TLS once it has been started.
///
/// It knows nothing of HTTP, so that scripts can break every rule of it.
struct Connection: ~Copyable {
    /// The longest line, in bytes; longer ones are an error.
    private static let lineLimit = 65_536
    private var tls: TLSSession?
    private let socket: Socket
    private var unread: ArraySlice<UInt8> = []

    /// Takes over a connected socket.
    ///
    /// There are no read and write timeouts: with one, a call fails if the machine or the tests were stopped
    /// (signal(7), EINTR). A client that exits closes its end.
    init(_ socket: consuming Socket) {
        // Without TCP_NODELAY, the last bytes of an answer wait for the client's acknowledgement.
        socket.set(TCP_NODELAY, of: Int32(IPPROTO_TCP), to: Int32(1))
        self.socket = socket
    }

    mutating func startTLS(_ context: borrowing TLSContext) throws(StandInError) {
        guard unread.isEmpty else { throw StandInError("the client began with TLS before its time") }
        tls = try TLSSession(context, on: socket)
    }

    /// The next line without CRLF or LF (RFC 9112, 2.2); `nil` at the end.
    mutating func readLine() throws(StandInError) -> ArraySlice<UInt8>? {
        var seen = unread.startIndex
        while true {
            // Fail at once if a client speaks TLS to the HTTP server: a TLS hello may contain no line end.
            guard tls != nil || unread.first != 0x16 else { throw StandInError("this is TLS") }
            if let end = unread[seen...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = unread[..<end]
                unread = unread[(end + 1)...]
                return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            }
            guard unread.count < Self.lineLimit else { throw StandInError("a line is too long") }
            seen = unread.endIndex
            guard receive() else { return nil }
        }
    }

    mutating func read(_ count: Int) throws(StandInError) -> ArraySlice<UInt8> {
        while unread.count < count { guard receive() else { throw StandInError("the client has gone") } }
        defer { unread = unread.dropFirst(count) }
        return unread.prefix(count)
    }

    /// Appends the next bytes to `unread`; `false` at the end.
    private mutating func receive() -> Bool {
        let bytes = [UInt8](unsafeUninitializedCapacity: 32_768) { buffer, count in
            count = tls?.read(into: buffer) ?? max(0, recv(socket.descriptor, buffer.baseAddress, buffer.count, 0))
        }
        unread += bytes
        return !bytes.isEmpty
    }

    func write(_ bytes: [UInt8]) throws(StandInError) {
        let isSent = bytes.withUnsafeBufferPointer { bytes in
            if bytes.isEmpty { return true }
            // A blocking socket takes all bytes, or fails (send(2)).
            return tls?.write(bytes) ?? (send(socket.descriptor, bytes.baseAddress, bytes.count, 0) == bytes.count)
        }
        guard isSent else { throw StandInError("the client has gone") }
    }

    /// Waits this long (`nil`: for ever) without sending; `false` if the client closes the connection meanwhile.
    func stays(for time: Duration?) -> Bool { socket.stays(for: time) }

    /// Closes the connection in the orderly way of a server.
    consuming func close() {
        tls?.announceEnd()
        shutdown(socket.descriptor, Int32(SHUT_WR))
        // Drain the client first: closing with unread data sends a reset, which can destroy what the client has not
        // read yet (RFC 9112, 9.6).
        _ = socket.stays(for: .seconds(2))
    }

    consuming func reset() { socket.set(SO_LINGER, to: linger(l_onoff: 1, l_linger: 0)) }
}
