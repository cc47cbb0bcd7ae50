package import CredentialCore
internal import Glibc

/// Serves a socket, one request after the other, within limits that no client can change.
package final class Listener {
    package struct Limits: Sendable {
        /// In bytes.
        package var request = 8_192
        /// At once; others wait in the kernel.
        package var connections = 16
        /// Milliseconds from a connection to the end of its request.
        package var reading: Int64 = 5_000
        /// The same while there is no room for another connection: whoever says nothing must not hold up all others.
        package var readingWithoutRoom: Int64 = 1_000
        /// Milliseconds without a request after which `isIdle` is asked; nil for none.
        package var idle: Int64?
        /// Milliseconds between two calls of `tick`.
        package var tick: Int64 = 30_000

        package init() {}
    }

    package struct Incoming {
        package let request: Secret
        /// It connected; in our own PID namespace (unix(7), SO_PEERCRED).
        package let process: Int32
        /// Its effective user ID, likewise.
        package let user: UInt32
        /// In milliseconds of uptime, when the connection was accepted.
        package let arrival: Int64
    }

    package enum End: Equatable, Sendable {
        case stopped
        case elapsed
        case idle
    }

    private let socket: ListeningSocket
    private let limits: Limits
    private let admits: (UInt32) -> Bool
    private let uptime: () -> Int64
    private var connections: [Connection] = []
    private var complete: [Connection] = []

    /// The connections of users that `admits` does not admit are closed unread.
    package init(
        on socket: ListeningSocket, limits: Limits = Limits(),
        uptime: @escaping () -> Int64 = { SystemClock().uptimeMilliseconds }, admits: @escaping (UInt32) -> Bool
    ) {
        self.socket = socket
        self.limits = limits
        self.uptime = uptime
        self.admits = admits
    }

    /// The end is in milliseconds of uptime.
    ///
    /// When one of the descriptors becomes readable, `isStopped` is called, which may close it; also after each answer,
    /// during which a signal may have arrived. `mayIdle` is called before the listener ends for lack of requests,
    /// `tick` now and then, between answers. `answer` may take long, and calls `takeIn` meanwhile.
    package func run(
        until end: Int64? = nil, watching descriptors: @autoclosure () -> [Int32], isStopped: () -> Bool,
        mayIdle: () -> Bool = { true }, tick: () -> Void = {}, answer: (Incoming) -> Secret
    ) -> End {
        var lastUse = uptime()
        var lastTick = lastUse
        while true {
            if isStopped() { return .stopped }
            let now = uptime()
            if let end, now >= end { return .elapsed }
            if let idle = limits.idle, hasNobody, now - lastUse >= idle, mayIdle() { return .idle }
            if now - lastTick >= limits.tick {
                lastTick = now
                tick()
            }
            let wakes = [end, lastTick + limits.tick, deadline].compactMap(\.self)
            // After `mayIdle` returned false, the idle time lies in the past: it is called again one tick later.
            let idle = limits.idle.map { lastUse + $0 }.flatMap { $0 > now ? $0 : nil }
            let wake = (wakes + [idle].compactMap(\.self)).min() ?? now
            poll(descriptors(), milliseconds: complete.isEmpty ? max(wake - now, 0) : 0)
            // One a turn: clients that ask without a pause must not keep it from its end.
            guard !complete.isEmpty else { continue }
            let connection = complete.removeFirst()
            let incoming = Incoming(
                request: connection.takeRequest(), process: connection.peer.process, user: connection.peer.user,
                arrival: connection.arrival)
            connection.send(answer(incoming))
            lastUse = uptime()
        }
    }

    /// To be called while an answer is created.
    package func takeIn() { poll([], milliseconds: 0) }

    /// Of the oldest connection, in milliseconds of uptime.
    private var deadline: Int64? { connections.map { $0.arrival + patience }.min() }

    private var patience: Int64 { hasRoom ? limits.reading : limits.readingWithoutRoom }

    private func poll(_ descriptors: [Int32], milliseconds: Int64) {
        let events = Int16(POLLIN)
        var watched = descriptors.map { pollfd(fd: $0, events: events, revents: 0) }
        watched += connections.map { pollfd(fd: $0.number, events: events, revents: 0) }
        if hasRoom { watched.append(pollfd(fd: socket.number, events: events, revents: 0)) }
        _ = Glibc.poll(&watched, nfds_t(watched.count), Int32(clamping: milliseconds))
        // Read before any client's time is checked: while an answer was created, no request could be read.
        readAll()
        // No more a turn: what is dropped at once takes no room, and a flood of it would not let the turn end.
        for _ in 0..<limits.connections {
            guard hasRoom, let descriptor = socket.accept() else { return }
            guard let connection = Connection(descriptor, arrival: uptime()),
                admits(connection.peer.user)
            else { continue }
            // A client has usually sent its whole request by the time it is accepted.
            take(connection)
        }
    }

    private var hasNobody: Bool { connections.isEmpty && complete.isEmpty }

    private var hasRoom: Bool { connections.count + complete.count < limits.connections }

    private func readAll() {
        let (waiting, patience) = (connections, patience)
        connections = []
        let now = uptime()
        for connection in waiting { take(connection, isLate: now - connection.arrival >= patience) }
    }

    private func take(_ connection: Connection, isLate: Bool = false) {
        switch connection.read(atMost: limits.request) {
        case .complete: complete.append(connection)
        case .reading: if !isLate { connections.append(connection) }
        case .invalid: break
        }
    }
}

/// A request, which may arrive in pieces, and one answer.
final class Connection {
    enum State {
        case reading
        /// A blank line or the end was read.
        case complete
        /// Too long, or the connection has failed.
        case invalid
    }

    /// At the other end.
    let peer: (process: Int32, user: UInt32)
    /// In milliseconds of uptime.
    let arrival: Int64
    private let descriptor: FileDescriptor
    private var request = Secret.Builder()
    private var last = UInt8(ascii: "\n")

    /// Nil if the kernel does not say whose it is.
    init?(_ descriptor: consuming FileDescriptor, arrival: Int64) {
        guard let peer = PeerUser.peer(of: descriptor) else { return nil }
        self.peer = peer
        self.arrival = arrival
        self.descriptor = descriptor
    }

    func takeRequest() -> Secret { request.take() }

    var number: Int32 { descriptor.number }

    /// Without waiting for more.
    func read(atMost most: Int) -> State {
        while true {
            var isEnd = false
            let count = request.append { room in
                let count = descriptor.read(into: room)
                isEnd = isBlankLine(in: UnsafeRawBufferPointer(rebasing: room.prefix(max(count, 0))))
                return count
            }
            guard count >= 0 else { return errno == EAGAIN ? .reading : .invalid }
            if count == 0 { return .complete }
            guard request.count <= most else { return .invalid }
            if isEnd { return .complete }
        }
    }

    /// Whether a line end follows another one in the newest piece; each byte is examined once.
    private func isBlankLine(in piece: UnsafeRawBufferPointer) -> Bool {
        let lineEnd = UInt8(ascii: "\n")
        for byte in piece {
            if byte == lineEnd, last == lineEnd { return true }
            last = byte
        }
        return false
    }

    /// As much as the socket accepts at once, without waiting: its buffer has room for many answers.
    func send(_ answer: Secret) {
        guard !answer.isEmpty else { return }
        answer.reveal { bytes in
            _ = Glibc.send(number, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        }
    }
}
