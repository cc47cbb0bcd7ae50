internal import CLibcurl
internal import CredentialCore
internal import Glibc
package import Providers

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

/// A request and its response in libcurl's callbacks, within our limits.
///
/// libcurl's own limit covers only the length that a server announces.
struct Exchange: ~Copyable {
    /// The limit of a body that is collected.
    private let largestBody: Int
    /// `nil` if the response is collected.
    private let bodies: StreamedBodies?
    private var wasSent = false
    private var body = Secret.Builder()
    private var head = ResponseHead()
    private var hasHandedHeadOn = false
    /// The reason why we ended the transfer, or `nil`.
    private(set) var refusal: TransportError?

    init(largestBody: Int = 0, streaming bodies: StreamedBodies? = nil) {
        self.largestBody = largestBody
        self.bodies = bodies
    }

    consuming func response() -> HTTPResponse {
        HTTPResponse(status: head.status, body: body.finish(), headers: head.fields)
    }

    /// Returns false to refuse the response.
    mutating func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        refusal = refusal ?? head.take(line)
        return refusal == nil
    }

    /// Returns false if the limit is exceeded, or `bodies` ends the transfer.
    mutating func receiveBody(_ piece: UnsafeRawBufferPointer) -> Bool {
        if let bodies { return handHeadOn() && end(unless: bodies.onPiece(piece)) }
        guard body.count + piece.count <= largestBody else {
            refusal = .tooLarge
            return false
        }
        body.append(piece)
        return true
    }

    /// Hands the head on, which a response without a body has not done yet; false if `bodies` then ends the transfer.
    mutating func handHeadOn() -> Bool {
        guard let bodies, !hasHandedHeadOn else { return true }
        hasHandedHeadOn = true
        return end(unless: bodies.onHead(HTTPResponse(status: head.status, headers: head.fields)))
    }

    private mutating func end(unless goesOn: Bool) -> Bool {
        if !goesOn { refusal = .interrupted }
        return goesOn
    }

    // Callbacks of libcurl, with the exchange as context; any result but the number of bytes ends the transfer.

    /// CURLOPT_READFUNCTION.
    static let onNext: curl_read_callback = { buffer, size, count, context in
        guard let exchange = context?.assumingMemoryBound(to: Exchange.self) else { return Int(CURL_READFUNC_ABORT) }
        let taken = exchange.pointee.bodies?.next(UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
        return exchange.pointee.end(unless: taken != nil) ? taken ?? 0 : Int(CURL_READFUNC_ABORT)
    }

    /// CURLOPT_HEADERFUNCTION.
    static let onHeader: curl_write_callback = { bytes, size, count, context in
        guard let exchange = context?.assumingMemoryBound(to: Exchange.self) else { return 0 }
        let length = size * count
        return exchange.pointee.receiveHeader(UnsafeRawBufferPointer(start: bytes, count: length)) ? length : 0
    }

    /// CURLOPT_WRITEFUNCTION.
    static let onBody: curl_write_callback = { bytes, size, count, context in
        guard let exchange = context?.assumingMemoryBound(to: Exchange.self) else { return 0 }
        let length = size * count
        return exchange.pointee.receiveBody(UnsafeRawBufferPointer(start: bytes, count: length)) ? length : 0
    }

    /// CURLOPT_PREREQFUNCTION, which permits the first sending of a request, and refuses a second one.
    ///
    /// If an old connection breaks before the response begins, libcurl repeats the request on a new one. The server may
    /// have processed it: a refresh token sent twice looks stolen, and all tokens of its family are revoked.
    static let onSending: curl_prereq_callback = { context, _, _, _, _ in
        guard let exchange = context?.assumingMemoryBound(to: Exchange.self), !exchange.pointee.wasSent else {
            return CURL_PREREQFUNC_ABORT
        }
        exchange.pointee.wasSent = true
        return CURL_PREREQFUNC_OK
    }
}

/// The header of a response; libcurl does not limit its total size.
struct ResponseHead {
    private static let largest = 65_536

    private(set) var status = 0
    /// The fields of the last header block, with names in lower case.
    private(set) var fields: [(name: String, value: [UInt8])] = []
    /// The bytes so far, including interim responses and trailers.
    private var count = 0
    private var isOpen = false

    /// Takes a line, and returns the reason to refuse the response, if there is one.
    mutating func take(_ line: UnsafeRawBufferPointer) -> TransportError? {
        count += line.count
        guard count <= Self.largest else { return .tooLarge }
        let text = line.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
        if text.starts(with: "HTTP/".utf8) {
            guard let number = Self.status(text) else { return .malformed }
            // Earlier lines belong to an interim response (100 Continue); later ones are fields or trailers that look like
            // a status line.
            if status < 200 { status = number }
            (fields, isOpen) = ([], true)
        } else if text.isEmpty {
            // Lines after the empty line are trailers, which are ignored.
            isOpen = false
        } else if isOpen, let colon = text.firstIndex(of: UInt8(ascii: ":")), !Self.isBlank(text[text.startIndex]) {
            let name = String(decoding: text[..<colon].map(ASCII.folded), as: UTF8.self)
            fields.append((name, Self.trimmed(text[(colon + 1)...])))
        }
        return nil
    }

    /// The status in a status line, of exactly three digits (RFC 9112, 4); libcurl 8 takes the first three of more.
    private static func status(_ line: Slice<UnsafeRawBufferPointer>) -> Int? {
        let status = line.drop { $0 != UInt8(ascii: " ") }.dropFirst().prefix { $0 != UInt8(ascii: " ") }
        return status.count == 3 ? DecimalNumber.parse(status).map { Int($0) } : nil
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    private static func trimmed(_ value: Slice<UnsafeRawBufferPointer>) -> [UInt8] {
        let start = value.drop(while: isBlank)
        return start.lastIndex { !isBlank($0) }.map { Array(start[...$0]) } ?? []
    }
}

/// The header lines of a request, wiped at the end, since some contain a credential.
struct HeaderLines: ~Copyable {
    private var list: UnsafeMutablePointer<curl_slist>?

    /// - Throws: `.misconfigured` unless every value is printable ASCII: other bytes could start another field.
    init(for request: HTTPRequest) throws(TransportError) {
        for (name, value) in request.fields { try append("\(name): ", Array(value.utf8)) }
        // libcurl would otherwise announce a larger body, and wait for a permission that few servers send.
        try append("Expect:", [])
        switch request.body {
        case .none, .stream(length: _?): break
        case .form: try append("Content-Type: application/x-www-form-urlencoded", [])
        case .json: try append("Content-Type: application/json", [])
        case .stream(length: nil): try append("Transfer-Encoding: chunked", [])
        }
        switch request.authorization {
        case .none: break
        case .bearer(let token): try append("Authorization: Bearer ", token)
        case .token(let token): try append("Authorization: token ", token)
        case .basic(let username, let password):
            try append("Authorization: Basic ", BasicCredentials.encode(username: username, password: password))
        }
    }

    deinit {
        var node = list
        while let current = node {
            if let text = current.pointee.data { explicit_bzero(text, strlen(text)) }
            node = current.pointee.next
        }
        curl_slist_free_all(list)
    }

    /// `body` must keep no pointer to the list.
    borrowing func lend<Result>(
        _ body: (UnsafeMutablePointer<curl_slist>?) throws(TransportError) -> Result
    ) throws(TransportError) -> Result {
        try body(list)
    }

    private mutating func append(_ name: String, _ secret: Secret) throws(TransportError) {
        try secret.reveal { bytes throws(TransportError) in try append(name, bytes) }
    }

    private mutating func append(_ name: String, _ value: some Collection<UInt8>) throws(TransportError) {
        guard value.allSatisfy(ASCII.isPrintable) else { throw .misconfigured(.credential) }
        var line = Secret.Builder()
        line.append(name.utf8)
        line.append(value)
        line.append(0)
        let longer = line.finish().reveal {
            curl_slist_append(list, $0.assumingMemoryBound(to: CChar.self).baseAddress)
        }
        guard let longer else { throw .misconfigured(.memory) }
        list = longer
    }
}
