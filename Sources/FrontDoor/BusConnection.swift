internal import CredentialCore
internal import Glibc
internal import System

/// A connection to the bus for a few calls before a deadline.
struct BusConnection: ~Copyable {
    private var socket: UnixSocket
    private var lastSerial: UInt32 = 0
    private var beginning: [UInt8] = []
    /// The received bytes; the buffer is wiped as a whole, since answers contain secrets.
    private var received: [UInt8] = []
    private var consumed = 0
    /// Answers that arrived early, by their positions in `received`.
    private var early: [(serial: UInt32, place: Range<Int>)] = []

    private init(over socket: consuming UnixSocket) {
        self.socket = socket
        received.reserveCapacity(Self.usualBytes)
    }

    static func opened(to address: SessionBusAddress.Socket, by deadline: Deadline) throws(Errno) -> BusConnection {
        BusConnection(over: try UnixSocket.connected(to: address, by: deadline))
    }

    /// The user who owns the bus, or `nil` if it is us or root.
    var stranger: UInt32? { socket.stranger }

    /// Authenticates with the user ID, which the kernel confirms to the bus (`EXTERNAL`).
    mutating func authenticate() throws(FallbackReason) {
        let user = String(geteuid()).utf8.flatMap(Hexadecimal.digits)
        try send([0] + Array("AUTH EXTERNAL ".utf8) + user + Array("\r\n".utf8))
        try expectAcceptance()
        // `BEGIN` is sent with the first calls: a separate write would wake the bus once more.
        beginning = Array("BEGIN\r\n".utf8)
    }

    /// Must be called before the connection is dropped, even after an error.
    mutating func wipe() { received.wipe() }

    /// Room for the answers of a usual lookup: growing the array would leave a copy in memory.
    private static let usualBytes = 32_768

    private mutating func expectAcceptance() throws(FallbackReason) {
        let longestLine = 512
        while true {
            try receive()
            if let lineEnd = received.firstIndex(of: UInt8(ascii: "\n")) {
                // Nothing can follow before we have sent `BEGIN`.
                guard received.starts(with: "OK ".utf8), lineEnd == received.count - 1 else { throw .refused }
                consumed = received.count
                return
            }
            guard received.count < longestLine else { throw .oddMessage }
        }
    }

    /// Sends calls in one write, and returns their serials.
    mutating func send(_ calls: [MethodCall]) throws(FallbackReason) -> [UInt32] {
        var serials: [UInt32] = []
        var bytes = beginning
        beginning = []
        for call in calls {
            lastSerial += 1
            serials.append(lastSerial)
            let start = bytes.count
            bytes += call.message
            Marshaller.replace(start + MethodCall.serialOffset, in: &bytes, by: lastSerial)
        }
        try send(bytes)
        return serials
    }

    /// Waits for an answer, and ignores signals.
    ///
    /// Answers may arrive in any order; the awaited serials must increase.
    ///
    /// - Throws: `.noService` if no program can answer, `.refused` for another error.
    mutating func reply(to serial: UInt32) throws(FallbackReason) -> IncomingMessage {
        if let index = early.firstIndex(where: { $0.serial == serial }) {
            return try Self.answer(in: IncomingMessage(received[early.remove(at: index).place]))
        }
        while true {
            let place = try nextMessage()
            let message = try IncomingMessage(received[place])
            let isAnswer = message.kind == IncomingMessage.methodReturn || message.kind == IncomingMessage.error
            guard isAnswer, let answered = message.replySerial else { continue }
            if answered == serial { return try Self.answer(in: message) }
            // The answer to `Hello` is dropped: creating a list costs a tenth of all instructions of a lookup.
            guard answered > serial else { continue }
            guard early.count < Self.mostEarly else { throw .oddMessage }
            early.append((answered, place))
        }
    }

    private static func answer(in message: IncomingMessage) throws(FallbackReason) -> IncomingMessage {
        guard message.kind != IncomingMessage.methodReturn else { return message }
        let isNobody = absences.contains { message.errorName.elementsEqual($0.bytes) }
        throw isNobody ? .noService : .refused
    }

    /// The bus's errors for a name without an owner (D-Bus specification, "Message Bus Messages").
    private static let absences: [StaticString] = [
        "org.freedesktop.DBus.Error.NameHasNoOwner", "org.freedesktop.DBus.Error.ServiceUnknown",
    ]

    private static let mostEarly = 64

    /// Waits for a whole message, and returns its position in `received`.
    private mutating func nextMessage() throws(FallbackReason) -> Range<Int> {
        while received.count - consumed < IncomingMessage.fixedHeaderBytes { try receive() }
        let length = try IncomingMessage.length(received[consumed..<consumed + IncomingMessage.fixedHeaderBytes])
        while received.count - consumed < length { try receive() }
        defer { consumed += length }
        return consumed..<consumed + length
    }

    private mutating func receive() throws(FallbackReason) {
        do {
            if try socket.receive(into: &received) { return }
        } catch {
            throw error == .deadline ? .deadline : .connection
        }
        throw .connection
    }

    private mutating func send(_ bytes: [UInt8]) throws(FallbackReason) {
        do {
            try socket.send(bytes)
        } catch {
            throw error == .deadline ? .deadline : .connection
        }
    }
}
