internal import CredentialCore
internal import Glibc
internal import System

/// A connection to the session bus, for a few calls and a quarter of a second.
struct BusConnection: ~Copyable {
    private let socket: FileDescriptor
    /// The milliseconds until everything must be over.
    private let timeLeft: () -> Int64
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

    private init(over socket: consuming FileDescriptor, timeLeft: @escaping () -> Int64) {
        self.socket = socket
        self.timeLeft = timeLeft
        received.reserveCapacity(Self.usualBytes)
    }

    /// Connects.
    ///
    /// No initialiser that fails: for a type without copies, Swift 6.0 crashes over it.
    ///
    /// - Parameters:
    ///   - address: where the bus listens.
    ///   - timeLeft: the milliseconds until everything must be over.
    static func opened(to address: SessionBusAddress.Socket, timeLeft: @escaping () -> Int64) -> BusConnection? {
        guard let socket = connect(to: address) else { return nil }
        return BusConnection(over: socket, timeLeft: timeLeft)
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

    private static func connect(to address: SessionBusAddress.Socket) -> FileDescriptor? {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        guard let socket = FileDescriptor(Glibc.socket(AF_UNIX, kind, 0)) else { return nil }
        var socketAddress = sockaddr_un()
        socketAddress.sun_family = sa_family_t(AF_UNIX)
        // An abstract name begins with a NUL and has no end but its length.
        let name: [UInt8]
        switch address {
        case .path(let path): name = path + [0]
        case .abstract(let abstract): name = [0] + abstract
        }
        withUnsafeMutableBytes(of: &socketAddress.sun_path) { $0.copyBytes(from: name) }
        let pathOffset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
        let length = socklen_t(pathOffset + name.count)
        let number = socket.number
        let result = withUnsafeBytes(of: &socketAddress) { bytes in
            Glibc.connect(number, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, length)
        }
        guard result == 0 else { return nil }
        return socket
    }

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
    /// - Throws: `.refused` for an error.
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
        guard message.kind == .methodReturn else { throw .refused }
        return message
    }

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
        try wait(for: Int16(POLLIN))
        let count = withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 1) { buffer in
            let count = socket.read(into: buffer)
            guard count > 0, let start = buffer.baseAddress else { return count }
            received += buffer[..<count]
            explicit_bzero(start, count)
            return count
        }
        if count < 0, errno == EAGAIN { return }
        guard count > 0 else { throw .connection }
    }

    private func send(_ bytes: [UInt8]) throws(FallbackReason) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(socket.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN || errno == EINTR {
                try wait(for: Int16(POLLOUT))
            } else {
                throw .connection
            }
        }
    }

    private func wait(for events: Int16) throws(FallbackReason) {
        while true {
            let left = timeLeft()
            guard left > 0 else { throw .deadline }
            var descriptor = pollfd(fd: socket.number, events: events, revents: 0)
            let ready = poll(&descriptor, 1, Int32(clamping: left))
            if ready > 0 { return }
            guard ready == 0 || errno == EINTR else { throw .connection }
        }
    }
}
