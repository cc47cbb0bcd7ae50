internal import CredentialCore
internal import Glibc
internal import System

/// A connection to the session bus, for a few calls and a quarter of a second.
struct BusConnection: ~Copyable {
    private let socket: UnixSocket
    private var lastSerial: UInt32 = 0
    /// What must stand before the first call.
    private var beginning: [UInt8] = []
    /// Everything that has come.
    ///
    /// Answers hold secrets: it is wiped as a whole, and nothing is moved within it.
    private var received: [UInt8] = []
    /// How much of it has been read.
    private var consumed = 0
    /// Answers that came before they were waited for, by where they lie in what has come.
    private var early: [(serial: UInt32, place: Range<Int>)] = []

    private init(over socket: consuming UnixSocket) {
        self.socket = socket
        received.reserveCapacity(Self.usualBytes)
    }

    /// Connects.
    ///
    /// No initialiser that fails: for a type without copies, Swift 6.0 crashes over it.
    ///
    /// - Parameters:
    ///   - address: where the bus listens.
    ///   - timeLeft: the milliseconds until everything must be over.
    /// - Returns: the connection; nil if nobody listens there.
    static func opened(to address: SessionBusAddress.Socket, timeLeft: @escaping () -> Int64) -> BusConnection? {
        guard let socket = UnixSocket.connected(to: address, timeLeft: timeLeft) else { return nil }
        return BusConnection(over: socket)
    }

    /// Says who we are, by the identity that the kernel vouches for (`EXTERNAL`).
    mutating func authenticate() throws(FallbackReason) {
        let user = String(geteuid()).utf8.flatMap { Array(String($0, radix: 16).utf8) }
        try send([0] + Array("AUTH EXTERNAL ".utf8) + user + Array("\r\n".utf8))
        try expectAcceptance()
        // Goes out with the first calls: a write of its own would wake the bus once more.
        beginning = Array("BEGIN\r\n".utf8)
    }

    /// Overwrites what came; to be called before the connection goes, however it went.
    mutating func wipe() { received.wipe() }

    /// More than the answers of a usual lookup take; growing beyond it would leave a copy behind.
    private static let usualBytes = 32_768

    private mutating func expectAcceptance() throws(FallbackReason) {
        let longestLine = 512
        while true {
            try receive()
            if let lineEnd = received.firstIndex(of: UInt8(ascii: "\n")) {
                // Nothing can follow before we have begun.
                guard received.starts(with: "OK ".utf8), lineEnd == received.count - 1 else { throw .refused }
                consumed = received.count
                return
            }
            guard received.count < longestLine else { throw .oddMessage }
        }
    }

    /// Sends calls together, in one write, without waiting for answers.
    ///
    /// - Returns: the serials by which the answers are told apart, in the calls' order.
    mutating func send(_ calls: [MethodCall]) throws(FallbackReason) -> [UInt32] {
        var serials: [UInt32] = []
        var bytes = beginning
        beginning = []
        for call in calls {
            lastSerial += 1
            serials.append(lastSerial)
            bytes += call.message(serial: lastSerial)
        }
        try send(bytes)
        return serials
    }

    /// Waits for the answer to a call; the answers may come in any order, and signals are passed over.
    ///
    /// - Parameter serial: that of the call; above those that were waited for before.
    /// - Returns: the answer.
    /// - Throws: `.noService` if nobody is there to answer, `.refused` for another error.
    mutating func reply(to serial: UInt32) throws(FallbackReason) -> IncomingMessage {
        if let index = early.firstIndex(where: { $0.serial == serial }) {
            return try Self.answer(in: IncomingMessage(received[early.remove(at: index).place]))
        }
        while true {
            let place = try nextMessage()
            let message = try IncomingMessage(received[place])
            guard message.kind == .methodReturn || message.kind == .error, let answered = message.replySerial else {
                continue
            }
            if answered == serial { return try Self.answer(in: message) }
            // Nobody waits for the answer to `Hello`, and to make a list costs a tenth of all instructions of a hit.
            guard answered > serial else { continue }
            guard early.count < Self.mostEarly else { throw .oddMessage }
            early.append((answered, place))
        }
    }

    private static func answer(in message: IncomingMessage) throws(FallbackReason) -> IncomingMessage {
        guard message.kind != .methodReturn else { return message }
        let isNobody = absences.contains { message.errorName.elementsEqual($0.bytes) }
        throw isNobody ? .noService : .refused
    }

    /// The bus's own errors where a name has no owner (D-Bus specification, "Message Bus Messages").
    private static let absences: [StaticString] = [
        "org.freedesktop.DBus.Error.NameHasNoOwner", "org.freedesktop.DBus.Error.ServiceUnknown",
    ]

    /// More answers than we ever wait for at a time.
    private static let mostEarly = 64

    /// Where the next message lies in what has come, once all of it is there.
    private mutating func nextMessage() throws(FallbackReason) -> Range<Int> {
        while received.count - consumed < IncomingMessage.fixedHeaderBytes { try receive() }
        let length = try IncomingMessage.length(received[consumed..<consumed + IncomingMessage.fixedHeaderBytes])
        while received.count - consumed < length { try receive() }
        defer { consumed += length }
        return consumed..<consumed + length
    }

    /// Reads whatever is there, waiting for it until the end.
    private mutating func receive() throws(FallbackReason) {
        let isMore: Bool
        do {
            isMore = try socket.receive(into: &received)
        } catch {
            throw Self.reason(error)
        }
        guard isMore else { throw .connection }
    }

    private func send(_ bytes: [UInt8]) throws(FallbackReason) {
        do {
            try socket.send(bytes)
        } catch {
            throw Self.reason(error)
        }
    }

    private static func reason(_ failure: UnixSocket.Failure) -> FallbackReason {
        switch failure {
        case .deadline: .deadline
        case .closed: .connection
        }
    }
}
