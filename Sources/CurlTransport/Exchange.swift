internal import CLibcurl
internal import CredentialCore
internal import Glibc
internal import Providers

/// What libcurl's callbacks have received, and how much more they may.
///
/// libcurl's own limit covers only the length that a server announces, and not the header; so we count every byte.
struct Exchange: ~Copyable {
    /// In bytes.
    private static let largestHeader = 65_536

    /// In bytes.
    private let largestBody: Int
    /// It has been handed to a connection.
    private(set) var wasSent = false
    private var body = Secret.Builder()
    /// Those of the last header block.
    private var headers: [(name: String, value: [UInt8])] = []
    /// Why we ended the transfer, if we did.
    private(set) var refusal: TransportError?
    private var headerBytes = 0
    private var isInHeader = false

    init(largestBody: Int) { self.largestBody = largestBody }

    consuming func response(status: Int) -> HTTPResponse {
        HTTPResponse(status: status, body: body.finish(), headers: headers)
    }

    /// libcurl repeats a request on a new connection when an old one breaks before the first byte of the answer.
    ///
    /// But the server may have processed it: a refresh token sent twice looks stolen, and the whole family of tokens is
    /// lost.
    mutating func permitSending() -> Bool {
        defer { wasSent = true }
        return !wasSent
    }

    /// False if the limit is exceeded, or the status is invalid; the line has its end.
    mutating func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        headerBytes += line.count
        guard headerBytes <= Self.largestHeader else {
            refusal = .tooLarge
            return false
        }
        let text = line.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
        if text.starts(with: "HTTP/".utf8) {
            guard Self.hasStatus(text) else {
                refusal = .malformed
                return false
            }
            // A status line: anything before it belongs to an interim response (100 Continue).
            headers = []
            isInHeader = true
        } else if text.isEmpty {
            // Anything after the empty line is a trailer, which we do not need.
            isInHeader = false
        } else if isInHeader, let colon = text.firstIndex(of: UInt8(ascii: ":")), !Self.isBlank(text[text.startIndex]) {
            let name = String(decoding: text[..<colon].map(ASCII.folded), as: UTF8.self)
            headers.append((name, Self.trimmed(text[(colon + 1)...])))
        }
        return true
    }

    /// False if the limit is exceeded.
    mutating func receiveBody(_ piece: UnsafeRawBufferPointer) -> Bool {
        guard body.count + piece.count <= largestBody else {
            refusal = .tooLarge
            return false
        }
        body.append(piece)
        return true
    }

    /// Three digits (RFC 9112, 4); libcurl 8 takes the first three of more.
    private static func hasStatus(_ line: Slice<UnsafeRawBufferPointer>) -> Bool {
        let status = line.drop { $0 != UInt8(ascii: " ") }.dropFirst().prefix { $0 != UInt8(ascii: " ") }
        return status.count == 3 && status.allSatisfy(ASCII.isDigit)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    private static func trimmed(_ value: Slice<UnsafeRawBufferPointer>) -> [UInt8] {
        let start = value.drop(while: isBlank)
        return start.lastIndex { !isBlank($0) }.map { Array(start[...$0]) } ?? []
    }
}

/// The pointer that libcurl gives to these functions leads to the exchange.
extension Exchange {
    /// CURLOPT_HEADERFUNCTION; returning anything but the number of bytes ends the transfer.
    static let onHeader: curl_write_callback = { bytes, size, count, context in
        guard let exchange = context?.assumingMemoryBound(to: Exchange.self) else { return 0 }
        let length = size * count
        return exchange.pointee.receiveHeader(UnsafeRawBufferPointer(start: bytes, count: length)) ? length : 0
    }

    /// CURLOPT_WRITEFUNCTION; the same.
    static let onBody: curl_write_callback = { bytes, size, count, context in
        guard let exchange = context?.assumingMemoryBound(to: Exchange.self) else { return 0 }
        let length = size * count
        return exchange.pointee.receiveBody(UnsafeRawBufferPointer(start: bytes, count: length)) ? length : 0
    }

    /// CURLOPT_PREREQFUNCTION.
    static let onSending: curl_prereq_callback = { context, _, _, _, _ in
        let isPermitted = context?.assumingMemoryBound(to: Exchange.self).pointee.permitSending() ?? false
        return isPermitted ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }
}

/// Some contain a credential, so all are wiped at the end.
struct HeaderLines: ~Copyable {
    private var list: UnsafeMutablePointer<curl_slist>?

    /// - Throws: `.misconfigured` if a credential contains a byte that would start another header field.
    init(for request: HTTPRequest) throws(TransportError) {
        try append("Accept: ", Array(request.accept.utf8)[...])
        // Without this, libcurl would announce a larger body and wait for a permission that few servers send.
        try append("Expect:", [])
        switch request.body {
        case .none: break
        case .form: try append("Content-Type: ", Array("application/x-www-form-urlencoded".utf8)[...])
        case .json: try append("Content-Type: ", Array("application/json".utf8)[...])
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

    /// `body` must keep no pointer.
    borrowing func lend<Result>(
        _ body: (UnsafeMutablePointer<curl_slist>?) throws(TransportError) -> Result
    ) throws(TransportError) -> Result {
        try body(list)
    }

    private mutating func append(_ name: String, _ secret: Secret) throws(TransportError) {
        try secret.reveal { bytes throws(TransportError) in
            try append(name, bytes)
        }
    }

    /// libcurl copies the line into the list.
    private mutating func append(_ name: String, _ value: some Collection<UInt8>) throws(TransportError) {
        guard value.allSatisfy({ (0x20...0x7e).contains($0) }) else {
            throw .misconfigured(.credential)
        }
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
