internal import CredentialCore
internal import Glibc
internal import System

/// Gives each connection of a gateway a process of its own, and answers those processes.
///
/// It reads nothing that a client sends, and waits for none of them.
final class Gatekeeper {
    private let socket: ListeningSocket
    private let order: Secret
    private let responder: ShareResponder
    private let policy: GatewayPolicy
    private var workers: [Worker] = []
    private var questions: [Question] = []

    /// One connection's.
    private final class Worker {
        let process: WorkerProcess
        let peer: SharePeer
        var responder: GatewayResponder

        init(_ process: WorkerProcess, _ peer: SharePeer, _ responder: GatewayResponder) {
            self.process = process
            self.peer = peer
            self.responder = responder
        }
    }

    private struct Question {
        let worker: Worker
        let bytes: [UInt8]
        /// In milliseconds of uptime.
        let arrival: Int64
    }

    /// At once; others wait in the kernel.
    private static let most = 64
    /// Of questions that wait; whoever tells more is ended.
    private static let mostQuestions = 1_024
    /// In milliseconds.
    private static let tick: Int64 = 30_000

    init(on socket: ListeningSocket, under policy: GatewayPolicy, _ responder: ShareResponder) {
        self.socket = socket
        self.policy = policy
        self.responder = responder
        order = Secret(GatewayOrder.encoded(policy))
    }

    /// As `Listener` does it.
    func run(
        until end: Int64?, idle: Int64?, watching descriptors: () -> [Int32], isStopped: () -> Bool
    ) -> Listener.End {
        defer { workers = [] }
        let clock = SystemClock()
        var lastUse = clock.uptimeMilliseconds
        var lastTick = lastUse
        while true {
            if isStopped() { return .stopped }
            let now = clock.uptimeMilliseconds
            if let end, now >= end { return .elapsed }
            if !workers.isEmpty { lastUse = now }
            if let idle, now - lastUse >= idle, !responder.isHolding { return .idle }
            if now - lastTick >= Self.tick {
                lastTick = now
                responder.watchScreen()
            }
            let wakes = [end, lastTick + Self.tick, idle.map { lastUse + $0 }].compactMap(\.self).filter { $0 > now }
            let wake = questions.isEmpty ? (wakes.min() ?? now) - now : 0
            takeIn(descriptors(), within: wake)
            guard !questions.isEmpty else { continue }
            let question = questions.removeFirst()
            let answer = question.worker.responder.answer(
                question.bytes, from: question.worker.peer, arrivedAt: question.arrival,
                whileWaiting: { takeIn([], within: 0) })
            if let answer { question.worker.process.channel.send(answer) }
        }
    }

    /// Waits for something, and takes one connection and what is said, so that whoever is stopped finds the time to stop.
    private func takeIn(_ descriptors: [Int32], within milliseconds: Int64) {
        let events = Int16(POLLIN)
        var watched = (descriptors + workers.map(\.process.channel.number)).map {
            pollfd(fd: $0, events: events, revents: 0)
        }
        if workers.count < Self.most { watched.append(pollfd(fd: socket.number, events: events, revents: 0)) }
        poll(&watched, nfds_t(watched.count), Int32(clamping: max(milliseconds, 0)))
        listen()
        guard workers.count < Self.most, let connection = socket.accept(),
            let peer = PeerUser.peer(of: connection)
        else { return }
        guard SharePolicy.admits(user: peer.user, own: geteuid()) else { return responder.turnAway(user: peer.user) }
        guard let process = WorkerProcess(GatewayProcess.operation, serving: connection), process.channel.send(order)
        else { return }
        workers.append(
            Worker(
                process, SharePeer(process: peer.process, user: peer.user), GatewayResponder(under: policy, responder)))
    }

    private func listen() {
        let now = SystemClock().uptimeMilliseconds
        workers = workers.filter { worker in
            while true {
                switch worker.process.channel.receive() {
                case .nothing: return true
                case .ended: return false
                case .message(let message):
                    guard questions.count < Self.mostQuestions else { return false }
                    questions.append(Question(worker: worker, bytes: message.reveal { Array($0) }, arrival: now))
                }
            }
        }
    }
}
