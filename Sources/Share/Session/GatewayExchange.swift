internal import CredentialCore
internal import CurlTransport
internal import Providers
internal import System

/// Repeats one request of the client at the host; passes both bodies through.
final class GatewayExchange {
    enum End {
        case done
        /// The request is to be repeated with another token.
        case askAgain
        /// The client, the sharing process, or the host in the middle of its answer is gone.
        case broken
    }

    private let request: HostRequest
    private let body: ClientBody
    private let isRepeated: Bool
    private let policy: GatewayPolicy
    private let closes: Bool
    private let client: PatientStream
    /// Reports the end, and returns the remarks of its acknowledgement, or `nil` if the sharing process is gone.
    private let tell: (GatewayOutcome) -> [UInt8]?
    private let isPush: Bool
    private var report: PushReport?
    private let bands: SideBand?
    /// The part of the answer that the client has not got yet.
    private var pending: [UInt8] = []
    /// The bytes that are enough for a chunk while more arrives: libcurl hands an answer over by TLS records of 16 KiB.
    private static let chunk = 65_536
    /// Set for the discovery of a push if branches are limited: push options are then for us, not for the host.
    private var advertisement: PushAdvertisement?
    /// Whether libcurl has asked for the body; whether a part of the answer has arrived.
    private var (hasBegun, hasAnswer) = (false, false)
    private var isClientGone = false
    /// Runs out if the host of a push neither takes nor sends anything after the client has left.
    private var silence = Deadline(in: GatewayExchange.patience)
    /// The limit in milliseconds; git's receive-pack sends a keepalive every five seconds while its hooks run.
    private static let patience: Int64 = 10_000
    private var verdict: HostAnswer.Verdict?
    private var status = 0
    private var refusal: HTTPRefusal?

    init(
        _ request: HostRequest, _ body: ClientBody, _ push: Push?, isRepeated: Bool, under policy: GatewayPolicy,
        closes: Bool, to client: PatientStream, tell: @escaping (GatewayOutcome) -> [UInt8]?
    ) {
        self.request = request
        self.body = body
        isPush = push?.commands.isEmpty == false
        bands = isPush ? push?.bands : nil
        if request.endpoint.isDiscovery, request.endpoint.service == .receivePack, !policy.branches.isEmpty {
            advertisement = PushAdvertisement()
        }
        report = push.flatMap { $0.capabilities.contains(.reportStatus) ? PushReport(for: $0) : nil }
        self.isRepeated = isRepeated
        self.policy = policy
        self.closes = closes
        self.client = client
        self.tell = tell
    }

    /// - Throws: the refusal to send to the client instead of the host's answer.
    func run(over transport: CurlTransport, as authorization: HTTPRequest.Authorization) throws(HTTPRefusal) -> End {
        let host = request.endpoint.repository.displayHost
        let streamedBody: HTTPRequest.Body =
            switch (request.method, request.body) {
            case (.get, _): .none
            case (.post, .length(let count)): .stream(length: count - Int64(body.withheld))
            case (.post, .chunked): .stream(length: nil)
            }
        let streamed = HTTPRequest(
            request.method == .get ? .get : .post, request.address, body: streamedBody, authorization: authorization,
            fields: request.fields)
        var isWhole = true
        do throws(TransportError) {
            try transport.stream(
                streamed,
                StreamedBodies(
                    next: { [self] in next($0) }, onHead: { [self] in begin($0) }, onPiece: { [self] in forward($0) },
                    onIdle: { [self] in idle() }))
        } catch {
            isWhole = false
        }
        _ = handOn()
        let outcome = outcome(isWhole: isWhole)
        // Log the end first: the client then takes as done only what the log already has.
        guard let remarks = tell(outcome), !isClientGone else {
            if let refusal { throw refusal }
            return .broken
        }
        switch verdict {
        case nil: throw refusal ?? .unreachable(host: host)
        case .refuse(let refusal): throw refusal
        case .askAgain: return .askAgain
        case .answer(let response): return write(response.encoded(closes: closes)) ? .done : .broken
        case .pass:
            guard isWhole else { return .broken }
            pending += advertisement?.held ?? []
            if pending.suffix(PacketLine.flush.count) == PacketLine.flush[...], let bands {
                pending.removeLast(PacketLine.flush.count)
                pending += bands.packets(.progress, remarks) + PacketLine.flush
            }
            return flush() && write(GatewayResponse.lastChunk) ? .done : .broken
        }
    }

    private func outcome(isWhole: Bool) -> GatewayOutcome {
        switch verdict {
        case nil where isClientGone || refusal != nil: return .clientGone(hasBegun: isPush && hasBegun)
        // The host may have carried out a push that it received.
        case nil: return isPush && hasBegun ? .hostGone : .failed(.unreachable)
        case .askAgain: return .unauthorized
        case .refuse(let refusal): return .failed(refusal.fault ?? .malformed)
        case .answer: return .answered
        case .pass where isPush:
            if status == 200, let result = report?.result { return .reported(result) }
            return isWhole ? .unreported : isClientGone ? .clientGone(hasBegun: true) : .hostGone
        case .pass:
            guard status == 200 else { return .failed(.malformed) }
            return isWhole && !isClientGone ? .answered : isClientGone ? .clientGone(hasBegun: hasAnswer) : .hostGone
        }
    }

    private func write(_ bytes: [UInt8]) -> Bool { client.write(bytes, pausing: GatewayConnection.Patience.body) }

    private func next(_ buffer: UnsafeMutableRawBufferPointer) -> Int? {
        hasBegun = true
        silence = Deadline(in: Self.patience)
        _ = handOn()
        do throws(HTTPRefusal) {
            let count = try body.fill(buffer)
            if count == nil { isClientGone = true }
            return count
        } catch {
            refusal = error
            return nil
        }
    }

    private func begin(_ head: HTTPResponse) -> Bool {
        let answer = HostAnswer(
            status: head.status, contentType: head.header("content-type"),
            cacheControl: head.header("cache-control"), location: head.header("location"))
        status = head.status
        let verdict = answer.verdict(on: request, under: policy, isRepeated: isRepeated)
        self.verdict = verdict
        guard case .pass(let response) = verdict else { return false }
        return pass { write(response.encoded(closes: closes)) }
    }

    private func forward(_ piece: UnsafeRawBufferPointer) -> Bool {
        guard case .pass = verdict else { return false }
        hasAnswer = true
        silence = Deadline(in: Self.patience)
        if status == 200 { report?.take(piece) }
        guard !isClientGone else { return isPush }
        if let ready = advertisement?.take(piece) { pending += ready } else { pending += piece }
        return pending.count < Self.chunk || handOn()
    }

    /// Hands on what has arrived, but the flush packet of an answer to a push, which follows the remarks of the
    /// acknowledgement; false ends the exchange.
    private func handOn() -> Bool { pass { flush(keeping: bands == nil ? 0 : PacketLine.flush.count) } }

    /// The answer to a push contains its result, and is read on after the client has left.
    private func idle() -> Bool {
        if client.isClosed { isClientGone = true }
        _ = handOn()
        return !isClientGone || isPush && silence.lasts()
    }

    /// Writes what is pending, but its last bytes, as one chunk.
    private func flush(keeping reserved: Int = 0) -> Bool {
        let count = pending.count - reserved
        guard count > 0 else { return true }
        defer { pending.removeFirst(count) }
        return pending.withUnsafeBytes { bytes in
            GatewayResponse.chunkStart(count).withUnsafeBytes { start in
                GatewayResponse.chunkEnd.withUnsafeBytes { end in
                    client.write(
                        [start, UnsafeRawBufferPointer(rebasing: bytes[..<count]), end],
                        pausing: GatewayConnection.Patience.body)
                }
            }
        }
    }

    /// Writes unless the client has left; false ends the exchange, but the answer to a push is read to its end.
    private func pass(_ write: () -> Bool) -> Bool {
        if !isClientGone { isClientGone = !write() }
        return !isClientGone || isPush
    }
}

/// The body of a client's request, read piece by piece on demand.
final class ClientBody {
    private var reader: BodyReader
    private let read: () -> ArraySlice<UInt8>?
    /// Takes back bytes of the next request.
    private let putBack: (ArraySlice<UInt8>) -> Void
    /// Bytes from the client that have not been used yet.
    private var rest: ArraySlice<UInt8> = []
    /// Pieces without framing that have not been passed on yet.
    private var pieces: [ArraySlice<UInt8>] = []
    private var hasEnded = false
    private(set) var withheld = 0

    init(
        _ framing: BodyFraming, read: @escaping () -> ArraySlice<UInt8>?,
        returning putBack: @escaping (ArraySlice<UInt8>) -> Void
    ) {
        reader = BodyReader(framing)
        self.read = read
        self.putBack = putBack
    }

    /// The next piece; empty at the end, `nil` if the client has ended before.
    private func next() throws(HTTPRefusal) -> ArraySlice<UInt8>? {
        if !pieces.isEmpty { return pieces.removeFirst() }
        while !hasEnded {
            switch try reader.next(&rest) {
            case .bytes(let bytes):
                return bytes
            case .end:
                hasEnded = true
                putBack(rest)
                rest = []
            case .needsMore:
                // A slice that is still kept would make the connection's buffer copy itself.
                rest = []
                guard let more = read() else { return nil }
                rest = more
            }
        }
        return []
    }

    /// Fills the buffer; 0 at the end, `nil` if the client has ended before.
    func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(HTTPRefusal) -> Int? {
        guard let piece = try next() else { return nil }
        let now = piece.prefix(buffer.count)
        buffer.copyBytes(from: now)
        if now.endIndex < piece.endIndex { pieces.insert(piece[now.endIndex...], at: 0) }
        return now.count
    }

    /// Whether the body begins like a question for refs, which transfers no objects (gitprotocol-v2(5)), or `nil` if
    /// the client has ended before; the bytes stay in the body.
    func isListing() throws(HTTPRefusal) -> Bool? {
        guard let piece = try next() else { return nil }
        if !piece.isEmpty { pieces.insert(piece, at: 0) }
        return piece.dropFirst(4).starts(with: "command=ls-refs".utf8)
    }

    /// Reads the beginning of a push and puts it back for the host; `nil` if the client has ended before.
    func readPush() throws(HTTPRefusal) -> Push? {
        var reader = PushReader()
        while true {
            guard var piece = try next() else { return nil }
            let push = piece.isEmpty ? try reader.finish() : try reader.take(&piece)
            guard let push else { continue }
            pieces = [push.bytes[...], piece].filter { !$0.isEmpty }
            return push
        }
    }

    /// Keeps the options of a push, which must have been read just before, from the host.
    func withholdOptions(of push: Push) {
        let rest = push.withoutOptions
        withheld = push.bytes.count - rest.count
        pieces[0] = rest[...]
    }

    /// Skips the rest; false if the client ends before.
    func skip() throws(HTTPRefusal) -> Bool {
        while true {
            guard let piece = try next() else { return false }
            if piece.isEmpty { return true }
        }
    }
}
