package import CredentialCore
internal import Glibc
internal import Helper
internal import Providers
internal import System

/// Starts a process for each connection of a gateway, and answers these processes.
///
/// The session never reads a client's bytes, and never waits for a client.
final class GatewaySession: ShareSession, ConnectionService {
    let credentials: ShareCredentials
    private let order: Secret
    private let policy: GatewayPolicy
    private var workers: [Worker] = []
    /// The workers that wait for an answer, in the order of their questions.
    private var asking: [Worker] = []

    private final class Worker {
        /// Ends with its last reference; a test's double has none.
        private let process: ChildProcess?
        let channel: MessageSocket
        let responder: GatewayResponder
        /// The exchange for which the process waits, or `nil` for the end of a push, and the time of its question in
        /// milliseconds of uptime.
        var question: (intention: GatewayIntention?, arrival: Int64)?

        init(_ process: ChildProcess?, _ channel: MessageSocket, _ responder: GatewayResponder) {
            self.process = process
            self.channel = channel
            self.responder = responder
        }
    }

    /// The most connections at once; further clients wait in the kernel.
    private static let most = 64
    /// Bounds the cost of starting processes: eight a second take at most a tenth of a processor.
    let rate: (burst: Int64, each: Int64)? = (40, 8)

    private let start: (borrowing FileDescriptor) -> (process: ChildProcess?, channel: MessageSocket)?

    init(
        under policy: GatewayPolicy, _ credentials: ShareCredentials,
        start: @escaping (borrowing FileDescriptor) -> (process: ChildProcess?, channel: MessageSocket)? = {
            ChildProcess.worker(GatewayProcess.operation, serving: $0).map { ($0.process, $0.channel) }
        }
    ) {
        self.policy = policy
        self.credentials = credentials
        self.start = start
        order = Secret(GatewayOrder.encoded(policy, credentials.plan.configuration))
    }

    var connections: any ConnectionService { self }
    var descriptors: [Int32] { workers.map(\.channel.number) }
    var hasRoom: Bool { workers.count < Self.most }
    var hasConnections: Bool { !workers.isEmpty }
    var hasRequest: Bool { !asking.isEmpty }
    var deadline: Int64? { nil }

    func take(_ connection: consuming FileDescriptor, from peer: Peer, arrival: Int64) {
        guard let (process, channel) = start(connection), channel.send(order) else { return }
        workers.append(Worker(process, channel, GatewayResponder(under: policy, credentials)))
    }

    func readAll() {
        let now = SystemClock().uptimeMilliseconds
        let ended = workers.filter { !isHeard($0, at: now) }
        for worker in ended { worker.responder.end() }
        workers.removeAll { worker in ended.contains { $0 === worker } }
        asking.removeAll { worker in ended.contains { $0 === worker } }
    }

    /// Answers a worker's messages; false if it has ended, or does not follow the protocol.
    private func isHeard(_ worker: Worker, at now: Int64) -> Bool {
        while true {
            switch worker.channel.receive() {
            case .nothing: return true
            case .ended: return false
            case .message(let bytes):
                guard worker.question == nil, let message = GatewayMessage(parsing: bytes.reveal { Array($0) }) else {
                    return false
                }
                if let answer = worker.responder.answer(message) {
                    worker.channel.send(answer)
                } else {
                    let intention: GatewayIntention? = if case .asks(let asked) = message { asked } else { nil }
                    worker.question = (intention, now)
                    asking.append(worker)
                }
            }
        }
    }

    func answerOne(whileWaiting: () -> Void) {
        let worker = asking.removeFirst()
        guard let (intention, arrival) = worker.question else { return }
        let answer =
            intention.map { worker.responder.answer($0, arrivedAt: arrival, whileWaiting: whileWaiting) }
            ?? worker.responder.finish(arrivedAt: arrival)
        worker.question = nil
        worker.channel.send(answer)
    }

    /// Ends all connections; exchanges without a reported end are logged as uncertain.
    func end() {
        readAll()
        for worker in workers { worker.responder.end() }
        workers = []
        asking = []
        credentials.tell(.flush)
    }
}

/// Answers the process of one connection, which asks before each exchange with a host and reports its end.
///
/// The process may be in the hands of its client, so it gets tokens only for what the share allows. Each exchange that
/// got a token is logged, as uncertain if its end is never reported.
package final class GatewayResponder {
    private let policy: GatewayPolicy
    private let credentials: ShareCredentials
    /// The exchange that got the last token, until its end is reported.
    private var pending: GatewayIntention?
    /// The push that the host has just accepted, until the host has been asked about its pull request.
    private var accepted: GatewayIntention?
    /// The push that may come again without a question, since the host has rejected its first token.
    private var repeatable: GatewayIntention?
    /// The digests of the last tokens given to the process, by host.
    private var given: [[UInt8]: [UInt8]] = [:]

    package init(under policy: GatewayPolicy, _ credentials: ShareCredentials) {
        self.policy = policy
        self.credentials = credentials
    }

    deinit { end() }

    /// Logs what has not been reported; call when the process has ended or is about to be stopped.
    package func end() {
        if let pending { credentials.tell(.ended(pending, nil)) }
        if let accepted, accepted.pullRequest != nil {
            let why = UserFacingError(.share, Message("it ended before the server was asked"))
            credentials.tell(.pullRequest(accepted, .failed(why)))
        }
        (pending, accepted) = (nil, nil)
    }

    /// The answer, or `nil` for messages whose answer may take long: a request for a token, or the end of a push after
    /// which the host is asked about a pull request.
    package func answer(_ message: GatewayMessage) -> Secret? {
        switch message {
        case .asks: return nil
        case .ended(let outcome):
            guard let push = pending else { break }
            pending = nil
            credentials.tell(.ended(push, outcome))
            if outcome == .unauthorized, !push.isRejected {
                repeatable = push
                repeatable?.isRejected = true
            }
            guard policy.opensPullRequests, push.branch != nil, outcome == .reported(PushResult([.accepted])) else {
                break
            }
            accepted = push
            return nil
        case .refused(let intention, let rule): credentials.tell(.refusedRequest(intention, rule))
        }
        return GatewayAcknowledgement.encoded()
    }

    /// The acknowledgement of a push, with the host's answer about a pull request.
    package func finish(arrivedAt arrival: Int64) -> Secret {
        let remark = accepted.flatMap { credentials.remark(after: $0, arrivedAt: arrival) }
        accepted = nil
        return GatewayAcknowledgement.encoded(remark.map { Array("gitspace: \($0)\n".utf8) } ?? [])
    }

    package func answer(_ intention: GatewayIntention, arrivedAt arrival: Int64, whileWaiting: () -> Void) -> Secret {
        // The process has not reported the end of the last exchange.
        end()
        let isAllowed = intention == repeatable
        repeatable = nil
        do throws(ShareRefusal) {
            guard policy.admits(intention), let host = credentials.plan.host(named: intention.repository.host.text)
            else { throw .notShared }
            let credential = try credentials.credential(
                for: intention, on: host, isAllowed: isAllowed, rejected: intention.isRejected ? given[host.name] : nil,
                arrivedAt: arrival, whileWaiting: whileWaiting)
            pending = intention
            given[host.name] = StoredCredential.digest(of: credential.password)
            let passwords = credentials.passwords(on: intention.repository.host)
            return GatewayToken.encoded(credential, proxyPassword: passwords.proxy, keyPassword: passwords.key)
                ?? GatewayToken.refusal
        } catch {
            credentials.tell(.refusedRequest(intention, error))
            return GatewayToken.refusal
        }
    }
}

extension ShareCredentials {
    /// Returns the credential for one exchange of a gateway's connection, which is then in the record.
    ///
    /// `rejected` is the digest of a password that the host has rejected; `isAllowed`: the person has allowed this very
    /// push already.
    package func credential(
        for intention: GatewayIntention, on host: SharePlan.Host, isAllowed: Bool = false, rejected: [UInt8]?,
        arrivedAt arrival: Int64, whileWaiting: () -> Void
    ) throws(ShareRefusal) -> StoredCredential {
        try checkTime()
        let lookup = try lookup(for: host)
        let isAsked = plan.confirmation == .once || intention.isPush && !isAllowed
        let found = try allowed(lookup, askedAs: nil, arrival, whileWaiting, for: intention, isAsked: isAsked)
        let isRejected = rejected == StoredCredential.digest(of: found.credential.password)
        let renewed = isRejected ? replacement(for: found, lookup) : try fresh(found, lookup, askedAs: nil)
        guard let credential = renewed else { throw .rejected }
        try checkTime()
        tell(.begun(intention))
        return credential
    }

    /// The passwords for the proxy and the client certificate, from the keyring.
    func passwords(on host: HostName) -> (proxy: Secret?, key: Secret?) {
        let dependencies = dependencies()
        let settings = Configuration(plan.configuration, for: host)
        let transport = TransportConfiguration(settings, environment: dependencies.environment)
        func password(for request: Request?) -> Secret? {
            request.flatMap { dependencies.keyring.password(for: $0, at: clock.now) }
        }
        return (password(for: transport.proxyLogin?.request), password(for: transport.clientCertificate?.request))
    }
}
