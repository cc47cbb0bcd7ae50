internal import CredentialCore
package import CurlTransport
internal import Glibc
package import Providers
internal import Sandbox
internal import System

/// One connection of a gateway, in a process of its own: git speaks plain HTTP, the host gets TLS and a token.
///
/// Bodies pass through in pieces, at the pace of the slower side; only the commands of a push are kept. The client's
/// bytes are untrusted, and so is this process once it has read them (`Confinement`).
final class GatewayConnection {
    private let client: PatientStream
    private let channel: MessageSocket
    private let policy: GatewayPolicy
    private let transport: (HostName, GatewayToken) -> CurlTransport
    /// Transports keep a connection to their host but no token: every exchange gets its own.
    private var transports: [HostName: CurlTransport] = [:]
    private var buffer = [UInt8](repeating: 0, count: 131_072)
    /// Bytes from the client that have not been used yet.
    private var input: ArraySlice<UInt8> = []

    /// Time limits in milliseconds.
    enum Patience {
        static let head: Int64 = 10_000
        static let body: Int64 = 60_000
        static let idle: Int64 = 60_000
        /// Time in which the sharing process may ask a person, refresh a token, or ask the host for a pull request.
        static let answer: Int64 = 120_000
    }

    init(
        of client: PatientStream, to channel: MessageSocket, under policy: GatewayPolicy,
        transport: @escaping (HostName, GatewayToken) -> CurlTransport
    ) {
        self.client = client
        self.channel = channel
        self.policy = policy
        self.transport = transport
    }

    func serve() {
        guard greet() else { return }
        while answerOne() {}
    }

    // MARK: The client's bytes

    /// Reads from the client; false at the end of its data, or if nothing arrives in time.
    private func fill(within milliseconds: Int64) -> Bool {
        // A second reference would make the buffer copy itself.
        input = []
        let count = buffer.withUnsafeMutableBytes { client.read(into: $0, within: milliseconds) }
        guard let count, count > 0 else { return false }
        input = buffer[..<count]
        return true
    }

    private func greet() -> Bool {
        var handshake = SOCKSHandshake()
        var deadline = Deadline(in: Patience.head)
        while deadline.lasts() {
            switch handshake.take(&input) {
            case .needsMore: if !fill(within: deadline.remaining) { return false }
            case .chosen(let reply): if !send(reply) { return false }
            case .connected(let reply): return send(reply)
            case .refused(let reply):
                _ = send(reply)
                return false
            }
        }
        return false
    }

    private func send(_ bytes: [UInt8]) -> Bool { client.write(bytes, pausing: Patience.body) }

    /// The next head, or `nil` at the connection's end or after a timeout.
    private func readHead() throws(HTTPRefusal) -> RequestHead? {
        guard !input.isEmpty || fill(within: Patience.idle) else { return nil }
        var parser = RequestHead.Parser()
        var deadline = Deadline(in: Patience.head)
        while true {
            if let head = try parser.take(&input) { return head }
            guard deadline.lasts(), fill(within: deadline.remaining) else { return nil }
        }
    }

    // MARK: A request

    /// Answers one request; false if the connection ends.
    private func answerOne() -> Bool {
        do throws(HTTPRefusal) {
            guard let head = try readHead() else { return false }
            return try pass(head) && !head.closes
        } catch {
            // Drain the client first: closing with unread data sends a reset, and our answer would be lost.
            guard send(GatewayResponse(error).encoded(closes: true)) else { return false }
            client.endWriting()
            while fill(within: Patience.head) {}
            return false
        }
    }

    private func pass(_ head: RequestHead) throws(HTTPRefusal) -> Bool {
        let request: HostRequest
        do throws(HTTPRefusal) {
            request = try policy.admit(head)
        } catch {
            if let rule = error.rule, let asked = GitEndpoint(head.method, head.target) {
                _ = say(.refused(GatewayIntention(asked.repository, asked.service, .discovery), rule))
            }
            throw error
        }
        if head.expectsContinue, !send(RequestHead.continue) { return false }
        let body = ClientBody(request.body) { [self] in
            if input.isEmpty, !fill(within: Patience.body) { return nil }
            defer { input = [] }
            return input
        } returning: { [self] in
            input = $0
        }
        let (repository, service) = (request.endpoint.repository, request.endpoint.service)
        var push: Push?
        var step = GatewayIntention.Step.discovery
        if !request.endpoint.isDiscovery {
            switch service {
            case .receivePack:
                guard let read = try body.readPush() else { return false }
                push = read
                step = .transfer
            case .uploadPack:
                guard let isListing = try body.isListing() else { return false }
                step = isListing ? .listing : .transfer
            }
        }
        if let push, let refusal = policy.refusal(of: push) {
            let intention = GatewayIntention(repository, service, step, commands: refusal.commands)
            if let rule = refusal.reason.rule { _ = say(.refused(intention, rule)) }
            return try refuse(refusal, head, body)
        }
        if let push, push.capabilities.contains(.pushOptions), !policy.branches.isEmpty {
            body.withholdOptions(of: push)
        }
        let intention = GatewayIntention(
            repository, service, step, commands: push?.commands ?? [],
            pullRequest: push.flatMap { try? policy.pullRequest(of: $0) })
        return try pass(request, head, body, push, intention)
    }

    private func refuse(_ refusal: PushRefusal, _ head: RequestHead, _ body: ClientBody) throws(HTTPRefusal) -> Bool {
        guard try body.skip() else { return false }
        return send(refusal.response.encoded(closes: head.closes))
    }

    private func pass(
        _ request: HostRequest, _ head: RequestHead, _ body: ClientBody, _ push: Push?, _ intention: GatewayIntention
    ) throws(HTTPRefusal) -> Bool {
        let host = request.endpoint.repository.host
        let name = DisplayText(untrusted: host.text)
        var intention = intention
        while true {
            // After a timeout, a late answer would be taken for the answer to the next message: close the connection.
            guard let answer = say(.asks(intention)) else { throw .noToken(host: name) }
            guard let token = GatewayToken(parsing: answer) else {
                if let push, let refusal = PushRefusal(of: push, .pushNotAllowed, { _ in true }) {
                    return try refuse(refusal, head, body)
                }
                throw intention.isRejected ? .tokenRejected(host: name) : .noToken(host: name)
            }
            let exchange = GatewayExchange(
                request, body, push, isRepeated: intention.isRejected, under: policy, closes: head.closes, to: client,
                tell: { [self] in say(.ended($0)).flatMap(GatewayAcknowledgement.remarks) })
            let transport = transports[host] ?? transport(host, token)
            transports[host] = transport
            switch try exchange.run(over: transport, as: token.authorization) {
            case .askAgain: intention.isRejected = true
            case .broken: return false
            case .done: return try body.skip()
            }
        }
    }

    // MARK: The process that shares

    /// Sends a message and waits for the answer, or returns `nil` if the sharing process is gone.
    private func say(_ message: GatewayMessage) -> Secret? {
        channel.send(Secret(message.encoded)) ? channel.receive(within: Patience.answer) : nil
    }
}

package enum GatewayProcess {
    /// The only argument of the process.
    package static let operation = "serve-connection"

    /// Milliseconds to wait for the order, which was sent before the process started.
    private static let patience: Int64 = 10_000

    /// Reads the order, opens what it needs of the machine, gives up all other rights, and only then reads the client.
    ///
    /// `transport` is called once there is a token, which brings the passwords for proxy and certificate. Returns the
    /// exit status.
    package static func run(
        transport: @escaping (TransportConfiguration, GatewayToken) -> CurlTransport, environment: (String) -> String?
    ) -> Int32 {
        guard let (client, channel) = ChildProcess.handedOver(), let order = channel.receive(within: patience),
            let (policy, entries) = GatewayOrder.parseWhole(order.reveal { Array($0) })
        else { return 1 }
        var configurations: [HostName: TransportConfiguration] = [:]
        var readable = Confinement.libraries + ["OPENSSL_CONF", "OPENSSL_MODULES"].compactMap(environment)
        // The resolver repeats a query by TCP if the answer was truncated.
        var ports: [UInt16] = [53]
        for host in policy.hosts {
            let configuration = TransportConfiguration(Configuration(entries, for: host), environment: environment)
            configurations[host.canonicalForHTTPS] = configuration
            let certificate = configuration.clientCertificate
            let files = [configuration.caFile, configuration.caDirectory, certificate?.file, certificate?.key]
            readable += files.compactMap(\.self)
            ports.append(host.canonicalForHTTPS.port ?? 443)
            let proxy = configuration.proxyAddress.flatMap(CurlLibrary.place)
            if let proxy { ports.append(UInt16(clamping: proxy.port)) }
        }
        do throws(Errno) {
            try Confinement.begin(readable: readable, ports: ports)
        } catch {
            return 1
        }
        GatewayConnection(of: client, to: channel, under: policy) { host, token in
            transport(configurations[host] ?? TransportConfiguration(), token)
        }.serve()
        return 0
    }
}
