internal import CredentialCore
internal import CurlTransport
internal import Glibc
internal import Providers
internal import System

/// One connection of a gateway, in a process of its own: git speaks plain HTTP, the host gets TLS and a token.
///
/// Bodies go through in pieces, each way as fast as the slower side, and nothing of them is kept but the commands of a
/// push. All that the client sends is untrusted, and so is this process, once it has read it (`Confinement`).
final class GatewayConnection {
    private let client: PatientStream
    private let channel: MessageSocket
    private let policy: GatewayPolicy
    private let transport: (HostName, GatewayToken) -> CurlTransport
    private var transports: [Int: CurlTransport] = [:]
    private var tokens: [Wanted: GatewayToken] = [:]
    private var buffer = [UInt8](repeating: 0, count: 131_072)
    /// What has been read from the client, and not been used yet.
    private var input: ArraySlice<UInt8> = []

    private struct Wanted: Hashable {
        let host: Int
        let service: GitService
    }

    /// In milliseconds.
    private enum Patience {
        static let head: Int64 = 10_000
        static let body: Int64 = 60_000
        static let idle: Int64 = 60_000
        /// For a person who is asked, and for a refresh.
        static let token: Int64 = 120_000
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

    /// Up to its end.
    func serve() {
        guard greet() else { return }
        while answerOne() {}
    }

    // MARK: The client's bytes

    /// False at the end, or if nothing comes in time.
    private func fill(within milliseconds: Int64) -> Bool {
        // Otherwise the buffer would be copied.
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

    /// Nil at the connection's end.
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

    /// Whether the connection goes on.
    private func answerOne() -> Bool {
        do throws(HTTPRefusal) {
            guard let head = try readHead() else { return false }
            return try pass(head) && !head.closes
        } catch {
            // It may still be sending: what it does not get to send would break off its reading.
            guard send(GatewayResponse(error).encoded(closes: true)) else { return false }
            client.endWriting()
            while fill(within: Patience.head) {}
            return false
        }
    }

    private func pass(_ head: RequestHead) throws(HTTPRefusal) -> Bool {
        let request = try policy.admit(head)
        if head.expectsContinue, !send(RequestHead.continue) { return false }
        let body = ClientBody(request.body) { [self] in
            if input.isEmpty, !fill(within: Patience.body) { return nil }
            defer { input = [] }
            return input
        } returning: { [self] in
            input = $0
        }
        var push: Push?
        if request.endpoint.service == .receivePack, !request.endpoint.isDiscovery {
            guard let read = try body.readPush() else { return false }
            if let refusal = policy.refusal(of: read) { return try refuse(refusal, request, head, body) }
            push = read
        }
        return try ask(request, head, body, push)
    }

    private func refuse(
        _ refusal: PushRefusal, _ request: HostRequest, _ head: RequestHead, _ body: ClientBody
    ) throws(HTTPRefusal) -> Bool {
        tell(
            .refused(
                request.endpoint.repository.displayName, refusal.reason.kind, refs: refusal.commands.map(\.displayName))
        )
        guard try body.skip() else { return false }
        return send(refusal.response.encoded(closes: head.closes))
    }

    private func ask(
        _ request: HostRequest, _ head: RequestHead, _ body: ClientBody, _ push: Push?
    ) throws(HTTPRefusal) -> Bool {
        let repository = request.endpoint.repository
        let host = DisplayText(untrusted: repository.host.text)
        var isRepeated = false
        while true {
            let wanted = Wanted(
                host: policy.hosts.firstIndex(of: repository.host) ?? 0, service: request.endpoint.service)
            let token = try token(wanted, isRejected: isRepeated, host)
            let exchange = GatewayExchange(
                request, body, push, isRepeated: isRepeated, under: policy, closes: head.closes,
                send: { [client] in client.write($0, pausing: Patience.body) })
            let transport = transports[wanted.host] ?? transport(repository.host, token)
            transports[wanted.host] = transport
            let end: GatewayExchange.End
            do throws(HTTPRefusal) {
                end = try exchange.run(over: transport, as: token.authorization)
            } catch {
                if let fault = error.fault { tell(.failed(repository.displayName, fault)) }
                throw error
            }
            switch end {
            case .askAgain: isRepeated = true
            case .broken: return false
            case .done(let status):
                // What was allowed was one push.
                if push?.commands.isEmpty == false { tokens[wanted] = nil }
                if status == 200 { tell(of: request, body, push, exchange.report?.refused ?? []) }
                return try body.skip()
            }
        }
    }

    // MARK: The process that shares

    private func token(_ wanted: Wanted, isRejected: Bool, _ host: DisplayText) throws(HTTPRefusal) -> GatewayToken {
        if !isRejected, let token = tokens[wanted] { return token }
        tell(.wanted(host: wanted.host, wanted.service, isRejected: isRejected))
        guard let answer = channel.receive(within: Patience.token), let token = GatewayToken(parsing: answer) else {
            throw isRejected ? .tokenRejected(host: host) : .noToken(host: host)
        }
        // What was given for another service there is the rejected one.
        if isRejected { tokens = tokens.filter { $0.key.host != wanted.host } }
        tokens[wanted] = token
        return token
    }

    private func tell(of request: HostRequest, _ body: ClientBody, _ push: Push?, _ refused: [DisplayText]) {
        let repository = request.endpoint.repository.displayName
        if let push {
            let pushed = push.commands.map(GatewayMessage.PushedRef.init).filter { !refused.contains($0.name) }
            if !pushed.isEmpty { tell(.pushed(repository, pushed)) }
            if !refused.isEmpty { tell(.rejected(repository, refs: refused)) }
        } else if !request.endpoint.isDiscovery, !body.isListing {
            tell(.fetched(repository))
        }
    }

    private func tell(_ message: GatewayMessage) { channel.send(Secret(message.encoded)) }
}
