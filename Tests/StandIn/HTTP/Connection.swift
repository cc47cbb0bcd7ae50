import NIOCore
import NIOHTTP1
import NIOPosix

/// One client's connection: collects each request, has it answered, and sends the answer.
///
/// Answers leave as plain bytes, without NIO's encoder, so that a script can break every rule of HTTP.
final class Connection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = ByteBuffer

    /// Answers a request; runs on a thread of its own, so it may wait for a git process.
    typealias Responder = @Sendable (Request) -> ScriptedAnswer

    private let responder: Responder
    private let clock: @Sendable () -> Double
    private let tunnel: String?
    private var head: HTTPRequestHead?
    private var body = ByteBuffer()
    private var waiting: [Request] = []
    private var isAnswering = false

    /// Makes the handler for one connection.
    /// - Parameters:
    ///   - tunnel: `HOST:PORT` that the proxy was asked for, if the client came through it.
    ///   - clock: Seconds since 1970.
    ///   - responder: Answers each request.
    init(tunnel: String?, clock: @escaping @Sendable () -> Double, responder: @escaping Responder) {
        self.tunnel = tunnel
        self.clock = clock
        self.responder = responder
    }

    /// Collects the parts of a request.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body.clear()
            if head.headers.contains(name: "Expect") {
                let interim = ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")
                context.writeAndFlush(wrapOutboundOut(interim), promise: nil)
            }
        case .body(let part):
            body.writeImmutableBuffer(part)
        case .end:
            guard let head else { return }
            waiting.append(
                Request(
                    method: head.method.rawValue, target: head.uri,
                    headers: head.headers.map { Header($0.name, $0.value) },
                    body: Array(body.readableBytesView), time: clock(), tunnel: tunnel))
            answerNext(context)
        }
    }

    /// Gives up at anything that is not TLS or not HTTP.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    /// Takes the oldest waiting request, unless one is being answered: answers leave in the order of the requests.
    private func answerNext(_ context: ChannelHandlerContext) {
        guard !isAnswering, !waiting.isEmpty else { return }
        isAnswering = true
        let request = waiting.removeFirst()
        let responder = responder
        NIOThreadPool.singleton.runIfActive(eventLoop: context.eventLoop) { responder(request) }
            .assumeIsolated()
            .whenSuccess { answer in
                context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(answer.delay)) {
                    self.send(answer, context)
                }
            }
    }

    /// Sends all at once, or byte by byte.
    private func send(_ answer: ScriptedAnswer, _ context: ChannelHandlerContext) {
        let bytes = ByteBuffer(bytes: answer.bytes)
        guard let interval = answer.drip else {
            context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
            return finish(answer.ending, context)
        }
        sendByteByByte(bytes, every: TimeAmount(interval), ending: answer.ending, context)
    }

    /// Sends the first byte now and the others one by one, as long as the client is there.
    private func sendByteByByte(
        _ bytes: ByteBuffer, every interval: TimeAmount, ending: ScriptedAnswer.Ending, _ context: ChannelHandlerContext
    ) {
        var rest = bytes
        guard context.channel.isActive else { return }
        guard let byte = rest.readSlice(length: 1) else { return finish(ending, context) }
        context.writeAndFlush(wrapOutboundOut(byte), promise: nil)
        let remaining = rest
        context.eventLoop.assumeIsolated().scheduleTask(in: interval) {
            self.sendByteByByte(remaining, every: interval, ending: ending, context)
        }
    }

    /// Does what is to be done after the last byte.
    private func finish(_ ending: ScriptedAnswer.Ending, _ context: ChannelHandlerContext) {
        switch ending {
        case .keepAlive:
            isAnswering = false
            answerNext(context)
        case .close:
            context.close(promise: nil)
        case .hold:
            break
        case .endless(let chunk):
            let loop = context.eventLoop.assumeIsolated()
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: chunk))).assumeIsolated().whenSuccess {
                // Fast enough to break any limit, slow enough to leave the machine to the tests beside this one.
                loop.scheduleTask(in: .milliseconds(5)) { self.finish(ending, context) }
            }
        }
    }
}
