internal import CLibcurl
package import CredentialCore
package import Providers

/// A request whose body and response are streamed.
package struct StreamedRequest {
    package enum Body: Equatable {
        case none
        case length(Int64)
        case chunked

        /// The length for libcurl: -1 if unknown, `nil` without a body.
        var length: Int64? {
            switch self {
            case .none: nil
            case .length(let count): count
            case .chunked: -1
            }
        }
    }

    package let method: HTTPRequest.Method
    package let address: HTTPSAddress
    /// Header fields besides authorization and length.
    package let fields: [(name: String, value: String)]
    /// The authorization, sent only to this URL, since redirects are never followed.
    package let authorization: HTTPRequest.Authorization
    package let body: Body

    package init(
        _ method: HTTPRequest.Method, _ address: HTTPSAddress, fields: [(name: String, value: String)],
        authorization: HTTPRequest.Authorization, body: Body
    ) {
        self.method = method
        self.address = address
        self.fields = fields
        self.authorization = authorization
        self.body = body
    }
}

/// The source of a request's body, and the destination of the response.
///
/// The closures may block; meanwhile, the host waits as well.
package struct StreamedBodies {
    /// Fills the buffer and returns the number of bytes: 0 at the end, `nil` to end the transfer.
    package let next: (UnsafeMutableRawBufferPointer) -> Int?
    /// Takes the response without its body; returns false to end the transfer.
    package let onHead: (HTTPResponse) -> Bool
    /// Takes a piece of the body; returns false to end the transfer.
    package let onPiece: (UnsafeRawBufferPointer) -> Bool
    /// Called before each wait for the host, and at least every 100 ms; returns false to end the transfer.
    package let onIdle: () -> Bool

    package init(
        next: @escaping (UnsafeMutableRawBufferPointer) -> Int?, onHead: @escaping (HTTPResponse) -> Bool,
        onPiece: @escaping (UnsafeRawBufferPointer) -> Bool, onIdle: @escaping () -> Bool = { true }
    ) {
        self.next = next
        self.onHead = onHead
        self.onPiece = onPiece
        self.onIdle = onIdle
    }
}

final class StreamedExchange {
    let bodies: StreamedBodies
    /// The easy handle, which knows the status.
    private let easy: UnsafeMutableRawPointer
    private var head = ResponseHead()
    private var wasSent = false
    private var hasHead = false
    private(set) var refusal: TransportError?

    init(_ bodies: StreamedBodies, of easy: UnsafeMutableRawPointer) {
        self.bodies = bodies
        self.easy = easy
    }

    /// Hands on the head of a response without a body; false if `bodies` then ends the transfer.
    var isComplete: Bool { handHeadOn() }

    private func handHeadOn() -> Bool {
        guard !hasHead else { return true }
        hasHead = true
        return end(unless: bodies.onHead(HTTPResponse(status: gitspace_curl_status(easy), headers: head.fields)))
    }

    private func end(unless goesOn: Bool) -> Bool {
        if !goesOn { refusal = .interrupted }
        return goesOn
    }

    /// CURLOPT_READFUNCTION.
    static let onNext: curl_read_callback = { buffer, size, count, context in
        guard let exchange = context.map(StreamedExchange.at) else { return Int(CURL_READFUNC_ABORT) }
        let taken = exchange.bodies.next(UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
        return exchange.end(unless: taken != nil) ? taken ?? 0 : Int(CURL_READFUNC_ABORT)
    }

    /// CURLOPT_HEADERFUNCTION.
    static let onHeader: curl_write_callback = { bytes, size, count, context in
        guard let exchange = context.map(StreamedExchange.at) else { return 0 }
        exchange.refusal = exchange.head.take(UnsafeRawBufferPointer(start: bytes, count: size * count))
        return exchange.refusal == nil ? size * count : 0
    }

    /// CURLOPT_WRITEFUNCTION.
    static let onBody: curl_write_callback = { bytes, size, count, context in
        guard let exchange = context.map(StreamedExchange.at), exchange.handHeadOn() else { return 0 }
        let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
        return exchange.end(unless: exchange.bodies.onPiece(piece)) ? size * count : 0
    }

    /// CURLOPT_PREREQFUNCTION, which refuses to send a request a second time.
    static let onSending: curl_prereq_callback = { context, _, _, _, _ in
        guard let exchange = context.map(StreamedExchange.at), !exchange.wasSent else {
            return CURL_PREREQFUNC_ABORT
        }
        exchange.wasSent = true
        return CURL_PREREQFUNC_OK
    }
}

extension StreamedExchange {
    fileprivate static func at(_ context: UnsafeMutableRawPointer) -> StreamedExchange {
        Unmanaged.fromOpaque(context).takeUnretainedValue()
    }
}
