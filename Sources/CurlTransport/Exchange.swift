internal import CLibcurl
internal import CredentialCore
internal import Glibc
internal import Providers

/// Collects a response from libcurl's callbacks, within our limits.
///
/// libcurl's own limit covers only the length that a server announces.
struct Exchange: ~Copyable {
    private let largestBody: Int
    private(set) var wasSent = false
    private var body = Secret.Builder()
    private var head = ResponseHead()
    /// The reason why we ended the transfer, or `nil`.
    private(set) var refusal: TransportError?

    init(largestBody: Int) { self.largestBody = largestBody }

    consuming func response(status: Int) -> HTTPResponse {
        HTTPResponse(status: status, body: body.finish(), headers: head.fields)
    }

    /// Permits the first sending of a request, and refuses a second one.
    ///
    /// If an old connection breaks before the response begins, libcurl repeats the request on a new one. The server may
    /// have processed it: a refresh token sent twice looks stolen, and all tokens of its family are revoked.
    mutating func permitSending() -> Bool {
        defer { wasSent = true }
        return !wasSent
    }

    /// Returns false to refuse the response.
    mutating func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        refusal = refusal ?? head.take(line)
        return refusal == nil
    }

    /// Returns false if the limit is exceeded.
    mutating func receiveBody(_ piece: UnsafeRawBufferPointer) -> Bool {
        guard body.count + piece.count <= largestBody else {
            refusal = .tooLarge
            return false
        }
        body.append(piece)
        return true
    }
}

/// Callbacks of libcurl, with the exchange as context; any result but the number of bytes ends the transfer.
extension Exchange {
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

    /// CURLOPT_PREREQFUNCTION, called before the request is sent.
    static let onSending: curl_prereq_callback = { context, _, _, _, _ in
        let isPermitted = context?.assumingMemoryBound(to: Exchange.self).pointee.permitSending() ?? false
        return isPermitted ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }
}

/// The header of a response; libcurl does not limit its total size.
struct ResponseHead {
    private static let largest = 65_536

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
            guard Self.hasStatus(text) else { return .malformed }
            // Earlier lines belong to an interim response (100 Continue).
            fields = []
            isOpen = true
        } else if text.isEmpty {
            // Lines after the empty line are trailers, which are ignored.
            isOpen = false
        } else if isOpen, let colon = text.firstIndex(of: UInt8(ascii: ":")), !Self.isBlank(text[text.startIndex]) {
            let name = String(decoding: text[..<colon].map(ASCII.folded), as: UTF8.self)
            fields.append((name, Self.trimmed(text[(colon + 1)...])))
        }
        return nil
    }

    /// Whether a status line has exactly three digits (RFC 9112, 4); libcurl 8 takes the first three of more.
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
