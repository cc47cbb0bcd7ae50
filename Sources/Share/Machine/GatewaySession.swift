package import CredentialCore
internal import Glibc
internal import System

/// Gives each connection of a gateway a process of its own, and answers those processes.
///
/// It reads nothing that a client sends, and waits for none of them.
final class GatewaySession: ConnectionService {
    private let order: Secret
    private let responder: ShareResponder
    private let policy: GatewayPolicy
    private var workers: [Worker] = []
    private var questions: [Question] = []

    /// One connection's.
    private final class Worker {
        let process: WorkerProcess
        let responder: GatewayResponder
        /// The process waits for an answer.
        var isAsking = false
        var hasEnded = false

        init(_ process: WorkerProcess, _ responder: GatewayResponder) {
            self.process = process
            self.responder = responder
        }
    }

    private struct Question {
        let worker: Worker
        let intention: GatewayIntention
        /// In milliseconds of uptime.
        let arrival: Int64
    }

    /// At once; others wait in the kernel.
    private static let most = 64
    /// Each connection starts a process: many may come at once, and afterwards they cost a tenth of a processor.
    static let rate: (burst: Int64, each: Int64) = (40, 8)

    init(under policy: GatewayPolicy, _ responder: ShareResponder) {
        self.policy = policy
        self.responder = responder
        order = Secret(GatewayOrder.encoded(policy, responder.target.configuration))
    }

    var descriptors: [Int32] { workers.map(\.process.channel.number) }
    var hasRoom: Bool { workers.count < Self.most }
    var hasConnections: Bool { !workers.isEmpty }
    var hasRequest: Bool { !questions.isEmpty }
    var deadline: Int64? { nil }

    func take(_ connection: consuming FileDescriptor, from peer: (process: Int32, user: UInt32), arrival: Int64) {
        guard let process = WorkerProcess(GatewayProcess.operation, serving: connection), process.channel.send(order)
        else { return }
        workers.append(Worker(process, GatewayResponder(under: policy, responder)))
    }

    func readAll() {
        let now = SystemClock().uptimeMilliseconds
        for worker in workers { worker.hasEnded = !isHeard(worker, at: now) }
        for worker in workers where worker.hasEnded { worker.responder.end() }
        workers.removeAll { $0.hasEnded }
        questions.removeAll { $0.worker.hasEnded }
    }

    /// False if the process has ended, or does not wait for its answer.
    private func isHeard(_ worker: Worker, at now: Int64) -> Bool {
        while true {
            switch worker.process.channel.receive() {
            case .nothing: return true
            case .ended: return false
            case .message(let bytes):
                guard !worker.isAsking, let message = GatewayMessage(parsing: bytes.reveal { Array($0) }) else {
                    return false
                }
                if let answer = worker.responder.answer(message) {
                    worker.process.channel.send(answer)
                } else if case .asks(let intention) = message {
                    worker.isAsking = true
                    questions.append(Question(worker: worker, intention: intention, arrival: now))
                }
            }
        }
    }

    func answerOne(whileWaiting: () -> Void) {
        let question = questions.removeFirst()
        let worker = question.worker
        let answer = worker.responder.answer(
            question.intention, arrivedAt: question.arrival, whileWaiting: whileWaiting)
        worker.isAsking = false
        worker.process.channel.send(answer)
    }

    /// Ends all connections; exchanges without a reported end are logged as uncertain.
    func end() {
        readAll()
        for worker in workers { worker.responder.end() }
        workers = []
        questions = []
    }
}

/// Answers the process of one connection, which asks before each exchange with a host and reports its end.
///
/// Its client may have made up what it says. It gets no token for anything that the share does not allow, and every
/// exchange that got a token is in the log: with its end, or as uncertain if the process never reports one.
package final class GatewayResponder {
    private let policy: GatewayPolicy
    private let responder: ShareResponder
    /// The exchange that got the last token, until its end is reported.
    private var pending: GatewayIntention?
    /// The digests of the tokens that it was given last, by host.
    private var given: [[UInt8]: [UInt8]] = [:]

    package init(under policy: GatewayPolicy, _ responder: ShareResponder) {
        self.policy = policy
        self.responder = responder
    }

    deinit { end() }

    /// The process has ended, or is about to be stopped.
    package func end() {
        if let pending { responder.log(.ended(pending, nil)) }
        pending = nil
    }

    /// The answer to a message that needs no decision; nil for a request for a token, which may take long.
    package func answer(_ message: GatewayMessage) -> Secret? {
        switch message {
        case .asks: return nil
        case .ended(let outcome):
            if let pending { responder.log(.ended(pending, outcome)) }
            pending = nil
        case .refused(let intention, let rule): responder.log(.refusedRequest(intention, .rule(rule)))
        }
        return GatewayAcknowledgement().encoded
    }

    package func answer(
        _ intention: GatewayIntention, arrivedAt arrival: Int64, whileWaiting: () -> Void
    ) -> Secret {
        // The last exchange was never reported.
        end()
        do throws(ShareRefusal) {
            guard policy.admits(intention), let host = responder.target.host(named: intention.repository.host.text)
            else {
                throw .rule(.notShared)
            }
            let credential = try responder.credential(
                for: intention, on: host, rejected: intention.isRejected ? given[host.name] : nil, arrivedAt: arrival,
                whileWaiting: whileWaiting)
            pending = intention
            given[host.name] = StoredCredential.digest(of: credential.password)
            let passwords = responder.passwords(on: intention.repository.host)
            return GatewayToken.encoded(credential, proxyPassword: passwords.proxy, keyPassword: passwords.key)
                ?? GatewayToken.refusal
        } catch {
            responder.log(.refusedRequest(intention, error))
            return GatewayToken.refusal
        }
    }
}
