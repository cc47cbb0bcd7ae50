import NIOCore
import NIOHTTP1

/// The stand-in's HTTP proxy: whatever host a client asks it to CONNECT to, the stand-in itself answers.
///
/// After `200` the very same connection goes on as a TLS connection to the stand-in, so nothing ever leaves the machine.
final class ConnectProxy: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = ByteBuffer

    /// Records what was asked for (`HOST:PORT` and headers), and says whether it may pass.
    typealias Gate = @Sendable (String, [Header]) -> Bool

    /// Turns the connection into one to the stand-in; the argument is the `HOST:PORT` that was asked for.
    typealias Upgrade = @Sendable (any Channel, String) throws -> Void

    private let decoder: ByteToMessageHandler<HTTPRequestDecoder>
    private let admits: Gate
    private let upgrade: Upgrade
    private var head: HTTPRequestHead?

    /// Makes the handler for one connection.
    /// - Parameters:
    ///   - decoder: The handler before this one, removed when the tunnel stands.
    ///   - admits: Asked once for each CONNECT request.
    ///   - upgrade: Called once the answer has been sent.
    init(
        decoder: ByteToMessageHandler<HTTPRequestDecoder>, admits: @escaping Gate, upgrade: @escaping Upgrade
    ) {
        self.decoder = decoder
        self.admits = admits
        self.upgrade = upgrade
    }

    /// Waits for the end of the request; a CONNECT request has no body.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): self.head = head
        case .body: break
        case .end: head.map { answer($0, context) }
        }
    }

    /// Gives up at anything that is not HTTP.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    /// Opens the tunnel, asks for credentials, or refuses anything that is not CONNECT.
    private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        guard head.method == .CONNECT else {
            return refuse(Answer.text("this proxy knows CONNECT only\n", status: 405), context)
        }
        guard admits(head.uri, head.headers.map { Header($0.name, $0.value) }) else {
            let challenge = Header("Proxy-Authenticate", "Basic realm=\"stand-in\"")
            return refuse(Answer.text("", status: 407, headers: [challenge]), context)
        }
        let channel = context.channel
        let upgrade = upgrade
        context.writeAndFlush(
            wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 200 Connection established\r\n\r\n")), promise: nil)
        let pipeline = context.pipeline.syncOperations
        pipeline.removeHandler(self)
            .and(pipeline.removeHandler(decoder))
            .flatMapThrowing { _ in try upgrade(channel, head.uri) }
            .whenFailure { _ in channel.close(promise: nil) }
    }

    /// Sends an answer that ends the connection.
    private func refuse(_ answer: Answer, _ context: ChannelHandlerContext) {
        var closing = answer
        closing.framing = .untilClose
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: closing.headBytes + closing.body)), promise: nil)
        context.close(promise: nil)
    }
}
