internal import CredentialCore
internal import CurlTransport
internal import Providers
internal import System

/// One request at the host, for one of the client: both bodies go through.
final class GatewayExchange {
    enum End {
        /// The answer has gone to the client, and had this status.
        case done(status: Int)
        /// With another token.
        case askAgain
        /// The client is gone, or the host in the middle of its answer.
        case broken
    }

    private let request: HostRequest
    private let body: ClientBody
    private let isRepeated: Bool
    private let policy: GatewayPolicy
    private let closes: Bool
    private let send: ([UnsafeRawBufferPointer]) -> Bool
    /// Of a push.
    private(set) var report: PushReport?
    private var verdict: HostAnswer.Verdict?
    private var status = 0
    private var refusal: HTTPRefusal?

    init(
        _ request: HostRequest, _ body: ClientBody, _ push: Push?, isRepeated: Bool, under policy: GatewayPolicy,
        closes: Bool,
        send: @escaping ([UnsafeRawBufferPointer]) -> Bool
    ) {
        self.request = request
        self.body = body
        report = push.map(PushReport.init)
        self.isRepeated = isRepeated
        self.policy = policy
        self.closes = closes
        self.send = send
    }

    /// - Throws: what the client is to be told instead of the host's answer.
    func run(
        over transport: CurlTransport, as authorization: HTTPRequest.Authorization
    ) throws(HTTPRefusal) -> End {
        let host = DisplayText(untrusted: request.endpoint.repository.host.text)
        let length: StreamedRequest.Body =
            switch (request.method, request.body) {
            case (.get, _): .none
            case (.post, .length(let count)): .length(count)
            case (.post, .chunked): .chunked
            }
        let streamed = StreamedRequest(
            request.method == .get ? .get : .post, request.address, fields: request.fields,
            authorization: authorization, body: length)
        var isWhole = true
        do throws(TransportError) {
            try transport.stream(
                streamed,
                StreamedBodies(
                    next: { [self] in next($0) }, onHead: { [self] in begin($0) }, onPiece: { [self] in forward($0) }))
        } catch {
            isWhole = false
        }
        if let refusal { throw refusal }
        switch verdict {
        case nil: throw .unreachable(host: host)
        case .refuse(let refusal): throw refusal
        case .askAgain: return .askAgain
        case .answer(let response): return write(response.encoded(closes: closes)) ? .done(status: status) : .broken
        case .pass(let response):
            guard isWhole, response.body != .stream(length: nil) || write(GatewayResponse.lastChunk) else {
                return .broken
            }
            return .done(status: status)
        }
    }

    private func write(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { send([$0]) } }

    private func next(_ buffer: UnsafeMutableRawBufferPointer) -> Int? {
        do throws(HTTPRefusal) {
            return try body.fill(buffer)
        } catch {
            refusal = error
            return nil
        }
    }

    private func begin(_ head: HTTPResponse) -> Bool {
        let answer = HostAnswer(
            status: head.status, contentType: head.header("content-type"),
            cacheControl: head.header("cache-control"), location: head.header("location"),
            length: head.header("content-length").flatMap { DecimalNumber.parse($0) })
        status = head.status
        let verdict = answer.verdict(on: request, under: policy, isRepeated: isRepeated)
        self.verdict = verdict
        guard case .pass(let response) = verdict else { return false }
        return write(response.encoded(closes: closes))
    }

    private func forward(_ piece: UnsafeRawBufferPointer) -> Bool {
        guard case .pass(let response) = verdict else { return false }
        if status == 200 { report?.take(piece) }
        guard response.body == .stream(length: nil) else { return send([piece]) }
        // One call for all three, since a piece is often as small as a TLS record.
        return GatewayResponse.chunkStart(piece.count).withUnsafeBytes { start in
            GatewayResponse.chunkEnd.withUnsafeBytes { end in send([start, piece, end]) }
        }
    }
}
