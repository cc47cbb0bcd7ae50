internal import Glibc

/// Serves the connections of a listener.
package protocol ConnectionService: AnyObject {
    /// Descriptors for poll(2) that become readable when there is something to read.
    var descriptors: [Int32] { get }
    /// Whether one more connection can be served.
    var hasRoom: Bool { get }
    var hasConnections: Bool { get }
    /// A request waits for an answer.
    var hasRequest: Bool { get }
    /// When `readAll` must be called although nothing arrives, in milliseconds of uptime.
    var deadline: Int64? { get }

    func take(_ connection: consuming FileDescriptor, from peer: (process: Int32, user: UInt32), arrival: Int64)
    /// Reads what has come, without waiting for more.
    func readAll()
    /// Answers one request; meanwhile, which may be long, `whileWaiting` is called.
    func answerOne(whileWaiting: () -> Void)
}

/// Accepts the connections of a socket, within limits that no client can change, and has them served in turn.
package final class Listener {
    package struct Limits: Sendable {
        /// Milliseconds without a connection after which `mayIdle` is asked; nil for none.
        package var idle: Int64?
        /// Milliseconds between two calls of `tick`.
        package var tick: Int64 = 30_000
        /// Connections that are accepted at once, and after that in each second; nil for as many as there is room.
        package var rate: (burst: Int64, each: Int64)?

        package init() {}
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
    private let service: any ConnectionService
    /// When the last connection would have been accepted at the pace of `rate`, in milliseconds of uptime.
    private var paid: Int64 = .min

    /// The connections of users that `admits` does not admit are closed unread.
    package init(
        on socket: ListeningSocket, limits: Limits = Limits(),
        uptime: @escaping () -> Int64 = { SystemClock().uptimeMilliseconds }, admits: @escaping (UInt32) -> Bool,
        _ service: any ConnectionService
    ) {
        self.socket = socket
        self.limits = limits
        self.uptime = uptime
        self.admits = admits
        self.service = service
    }

    /// The end is in milliseconds of uptime.
    ///
    /// When one of the descriptors becomes readable, `isStopped` is called, which may close it; also after each answer,
    /// during which a signal may have arrived. `mayIdle` is called before the listener ends for lack of requests,
    /// `tick` now and then, between answers.
    package func run(
        until end: Int64? = nil, watching descriptors: @autoclosure () -> [Int32], isStopped: () -> Bool,
        mayIdle: () -> Bool = { true }, tick: () -> Void = {}
    ) -> End {
        var lastUse = uptime()
        var lastTick = lastUse
        while true {
            if isStopped() { return .stopped }
            let now = uptime()
            if let end, now >= end { return .elapsed }
            if service.hasConnections { lastUse = now }
            if let idle = limits.idle, now - lastUse >= idle, mayIdle() { return .idle }
            if now - lastTick >= limits.tick {
                lastTick = now
                tick()
            }
            let wakes = [end, lastTick + limits.tick, service.deadline, pause].compactMap(\.self)
            // After `mayIdle` returned false, the idle time lies in the past: it is called again one tick later.
            let idle = limits.idle.map { lastUse + $0 }.flatMap { $0 > now ? $0 : nil }
            let wake = (wakes + [idle].compactMap(\.self)).min() ?? now
            poll(descriptors(), milliseconds: service.hasRequest ? 0 : max(wake - now, 0))
            // One a turn: clients that ask without a pause must not keep it from its end.
            guard service.hasRequest else { continue }
            service.answerOne { poll([], milliseconds: 0) }
            lastUse = uptime()
        }
    }

    /// No more a turn: what is dropped at once takes no room, and a flood of it would not let the turn end.
    private static let most = 16

    private func poll(_ descriptors: [Int32], milliseconds: Int64) {
        let accepting = service.hasRoom && pause == nil ? [socket.number] : []
        _ = FileDescriptor.ready(reading: descriptors + service.descriptors + accepting, within: milliseconds)
        // Read before any client's time is checked: while an answer was created, no request could be read.
        service.readAll()
        for _ in 0..<Self.most {
            guard service.hasRoom, pause == nil, let descriptor = socket.accept() else { return }
            pay()
            guard let peer = PeerUser.peer(of: descriptor), admits(peer.user) else { continue }
            service.take(descriptor, from: peer, arrival: uptime())
        }
    }

    // MARK: The pace

    /// The time until which nobody is accepted, in milliseconds of uptime; nil if there is none.
    private var pause: Int64? {
        guard let rate = limits.rate, paid > .min else { return nil }
        let free = paid - (rate.burst - 1) * 1_000 / rate.each
        return free > uptime() ? free : nil
    }

    private func pay() {
        guard let rate = limits.rate else { return }
        paid = max(paid, uptime()) + 1_000 / rate.each
    }
}
