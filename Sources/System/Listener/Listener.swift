internal import Glibc

package protocol ConnectionService: AnyObject {
    var descriptors: [Int32] { get }
    /// Whether one more connection can be served.
    var hasRoom: Bool { get }
    var hasConnections: Bool { get }
    var hasRequest: Bool { get }
    /// Milliseconds of uptime at which `readAll` must be called even if nothing arrives.
    var deadline: Int64? { get }
    func take(_ connection: consuming FileDescriptor, from peer: Peer, arrival: Int64)
    /// Reads what has arrived, without waiting for more.
    func readAll()
    /// Answers one request, which may take long; calls `whileWaiting` meanwhile.
    func answerOne(whileWaiting: () -> Void)
}

/// Accepts the connections of a socket within limits that no client can change, and has the service answer in turn.
package final class Listener {
    package struct Limits: Sendable {
        /// Milliseconds without a connection after which `mayIdle` is called; `nil` for no limit.
        package var idle: Int64?
        package var tick: Int64 = 30_000
        /// The connections accepted at once, and each second after that; `nil` for no limit.
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
    /// Milliseconds of uptime at which the last connection would have been accepted at the pace of `rate`.
    private var paid: Int64 = .min

    /// Closes connections of users that `admits` rejects, unread.
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

    /// Serves until `end`, in milliseconds of uptime.
    ///
    /// `isStopped` is called when one of the descriptors becomes readable, which it may close, and after each answer,
    /// during which a signal may have arrived. `mayIdle` is called before the listener ends for lack of connections,
    /// `tick` regularly, between answers.
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
            // An idle time in the past has been refused by `mayIdle`, which is called again one tick later.
            let idle = limits.idle.map { lastUse + $0 }.flatMap { $0 > now ? $0 : nil }
            let wake = (wakes + [idle].compactMap(\.self)).min() ?? now
            poll(descriptors(), milliseconds: service.hasRequest ? 0 : max(wake - now, 0))
            // One request in each turn, since clients that never pause must not keep the loop from its end.
            guard service.hasRequest else { continue }
            service.answerOne { poll([], milliseconds: 0) }
            lastUse = uptime()
        }
    }

    /// The most connections accepted in one turn, since rejected ones take no room, and would not let it end.
    private static let most = 16

    private func poll(_ descriptors: [Int32], milliseconds: Int64) {
        let accepting = service.hasRoom && pause == nil ? [socket.number] : []
        _ = FileDescriptor.ready(reading: descriptors + service.descriptors + accepting, within: milliseconds)
        // Before any time limit is checked, since nothing is read while an answer is created.
        service.readAll()
        for _ in 0..<Self.most {
            guard service.hasRoom, pause == nil, let descriptor = FileDescriptor.accepted(from: socket.number)
            else { return }
            if let rate = limits.rate { paid = max(paid, uptime()) + 1_000 / rate.each }
            guard let peer = PeerUser.peer(of: descriptor.number), admits(peer.user) else { continue }
            service.take(descriptor, from: peer, arrival: uptime())
        }
    }

    /// Milliseconds of uptime until which no connection is accepted; `nil` for now.
    private var pause: Int64? {
        guard let rate = limits.rate, paid > .min else { return nil }
        let free = paid - (rate.burst - 1) * 1_000 / rate.each
        return free > uptime() ? free : nil
    }
}
