internal import CLibcurl
package import CredentialCore
package import Providers

/// A request whose body, and whose answer's body, come in pieces.
package struct StreamedRequest {
    package enum Body: Equatable {
        case none
        /// In bytes.
        case length(Int64)
        case chunked

        /// As libcurl takes it; nil for none.
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
    /// Beside those that say who asks, and how long the body is.
    package let fields: [(name: String, value: String)]
    /// It is sent only to this URL, because redirects are never followed.
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

/// Where the bodies of a request and of its answer come from and go to.
///
/// All of it is called while the request runs, and may wait: meanwhile the host waits as well.
package struct StreamedBodies {
    /// Fills the buffer with what comes next; 0 at the end, nil to end the request.
    package let next: (UnsafeMutableRawBufferPointer) -> Int?
    /// Gets the answer without its body, which then comes, unless this returns false.
    package let onHead: (HTTPResponse) -> Bool
    /// False to end the request.
    package let onPiece: (UnsafeRawBufferPointer) -> Bool

    package init(
        next: @escaping (UnsafeMutableRawBufferPointer) -> Int?, onHead: @escaping (HTTPResponse) -> Bool,
        onPiece: @escaping (UnsafeRawBufferPointer) -> Bool
    ) {
        self.next = next
        self.onHead = onHead
        self.onPiece = onPiece
    }
}

/// What libcurl's callbacks do for a streamed request.
final class StreamedExchange {
    private let bodies: StreamedBodies
    /// libcurl's, for the status.
    private let easy: UnsafeMutableRawPointer
    private var head = ResponseHead()
    private var wasSent = false
    private var hasHead = false
    private(set) var refusal: TransportError?

    init(_ bodies: StreamedBodies, of easy: UnsafeMutableRawPointer) {
        self.bodies = bodies
        self.easy = easy
    }

    /// Of an answer without a body, the head has not been handed on yet.
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

    /// CURLOPT_PREREQFUNCTION: nothing is ever sent twice.
    static let onSending: curl_prereq_callback = { context, _, _, _, _ in
        guard let exchange = context.map(StreamedExchange.at), !exchange.wasSent else {
            return CURL_PREREQFUNC_ABORT
        }
        exchange.wasSent = true
        return CURL_PREREQFUNC_OK
    }
}

extension StreamedExchange {
    /// The one that was handed to libcurl as a pointer.
    fileprivate static func at(_ context: UnsafeMutableRawPointer) -> StreamedExchange {
        Unmanaged.fromOpaque(context).takeUnretainedValue()
    }
}
