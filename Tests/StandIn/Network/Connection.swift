import Glibc

/// One client's connection as bytes, through TLS from the moment it begins.
///
/// Nothing here knows HTTP's grammar of answers, so a script can break every rule of it.
struct Connection: ~Copyable {
    /// A longer line is no HTTP that anybody here would send.
    private static let lineLimit = 65_536

    private var tls: TLSSession?
    private let socket: Socket
    private var unread: ArraySlice<UInt8> = []

    /// Begins a conversation.
    ///
    /// No time limit is set for reading and writing: with one, a call fails if the machine, or the tests, stood still
    /// (signal(7), EINTR). A client that has gone has closed its end.
    init(_ socket: consuming Socket) {
        // The last bytes of an answer need not wait for the client to acknowledge the others.
        socket.set(TCP_NODELAY, of: Int32(IPPROTO_TCP), to: Int32(1))
        self.socket = socket
    }

    /// Speaks TLS from here on.
    mutating func startTLS(_ context: borrowing TLSContext) throws(StandInError) {
        guard unread.isEmpty else { throw StandInError("the client began with TLS before its time") }
        tls = try TLSSession(context, on: socket)
    }

    /// The next line without its end, CRLF or LF (RFC 9112 2.2); nil if no more comes.
    mutating func readLine() throws(StandInError) -> ArraySlice<UInt8>? {
        var seen = unread.startIndex
        while true {
            // A web server that is spoken TLS to answers at once, and does not wait for the end of a line.
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

    /// So many bytes, all of them.
    mutating func read(_ count: Int) throws(StandInError) -> ArraySlice<UInt8> {
        while unread.count < count {
            guard receive() else { throw StandInError("the client has gone") }
        }
        defer { unread = unread.dropFirst(count) }
        return unread.prefix(count)
    }

    /// Adds what comes next to `unread`; false if nothing does.
    private mutating func receive() -> Bool {
        let bytes = [UInt8](unsafeUninitializedCapacity: 32_768) { buffer, count in
            count = tls?.read(into: buffer) ?? max(0, recv(socket.descriptor, buffer.baseAddress, buffer.count, 0))
        }
        unread += bytes
        return !bytes.isEmpty
    }

    /// Sends all of these bytes.
    func write(_ bytes: [UInt8]) throws(StandInError) {
        let isSent = bytes.withUnsafeBufferPointer { bytes in
            if bytes.isEmpty { return true }
            // A blocking socket takes all, or has an error (send(2)).
            return tls?.write(bytes) ?? (send(socket.descriptor, bytes.baseAddress, bytes.count, 0) == bytes.count)
        }
        guard isSent else { throw StandInError("the client has gone") }
    }

    /// Sends nothing for so long (nil: for ever); false if the client leaves meanwhile.
    func stays(for time: Duration?) -> Bool { socket.stays(for: time) }

    /// Ends the connection as a server should.
    consuming func close() {
        tls?.announceEnd()
        shutdown(socket.descriptor, Int32(SHUT_WR))
        // What the client still sends would otherwise be answered with a reset, which can take away what it has not yet
        // read (RFC 9112 9.6).
        _ = socket.stays(for: .seconds(2))
    }

    /// Ends it as whoever crashes does.
    consuming func reset() { socket.set(SO_LINGER, to: linger(l_onoff: 1, l_linger: 0)) }
}
