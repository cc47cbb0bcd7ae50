internal import CredentialCore

/// The request line and the fields that git needs (RFC 9112, 2 to 6).
package struct RequestHead: Equatable, Sendable {
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
    }

    package let method: Method
    let target: RequestTarget
    package let body: BodyFraming
    let fields: [Field: String]
    /// Whether the client waits for `HTTP/1.1 100 Continue` before it sends the body (RFC 9110, 10.1.1).
    package let expectsContinue: Bool
    /// Whether the client sends no further request (RFC 9112, 9.6).
    package let closes: Bool

    package static let `continue` = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    fileprivate init(
        _ method: Method, _ target: RequestTarget, _ fields: [Field: String], closes: Bool
    ) throws(HTTPRefusal) {
        self.method = method
        self.target = target
        self.closes = closes
        guard ASCII.equalsIgnoringCase(fields[.host]?.utf8 ?? "".utf8, SOCKSHandshake.host) else { throw .malformed }
        self.fields = fields
        if let expectation = fields[.expect] {
            guard ASCII.equalsIgnoringCase(expectation.utf8, "100-continue") else { throw .expectationFailed }
        }
        body = try Self.framing(method, fields[.contentLength], fields[.transferEncoding])
        expectsContinue = fields[.expect] != nil && body != .length(0)
    }

    private static func framing(
        _ method: Method, _ length: String?, _ coding: String?
    ) throws(HTTPRefusal) -> BodyFraming {
        switch (length, coding) {
        case (nil, nil) where method == .get: return .length(0)
        case (nil, nil): throw .lengthRequired
        case (let length?, nil):
            guard let count = DecimalNumber.parse(length.utf8), method == .post || count == 0 else { throw .malformed }
            return .length(count)
        case (nil, let coding?):
            guard ASCII.equalsIgnoringCase(coding.utf8, "chunked"), method == .post else { throw .malformed }
            return .chunked
        case (_?, _?): throw .malformed
        }
    }

    /// The fields that have a meaning here, each at most once; all others are dropped.
    enum Field: String, Sendable {
        case host
        case contentLength = "content-length"
        case transferEncoding = "transfer-encoding"
        case contentType = "content-type"
        case contentEncoding = "content-encoding"
        case gitProtocol = "git-protocol"
        case expect
    }

    package struct Parser {
        private var lines = HeadLines()
        private var requestLine: (method: Method, target: RequestTarget)?
        private var fields: [Field: String] = [:]
        private var closes = false
        package init() {}

        /// Takes bytes up to the end of the head; `nil` if it has not arrived yet.
        package mutating func take(_ input: inout ArraySlice<UInt8>) throws(HTTPRefusal) -> RequestHead? {
            while let line = try lines.next(&input) {
                guard let requestLine else {
                    requestLine = try Self.requestLine(line)
                    continue
                }
                guard let (name, value) = try lines.field(in: line) else {
                    return try RequestHead(requestLine.method, requestLine.target, fields, closes: closes)
                }
                if name == "connection" {
                    let options = value.utf8.split(separator: UInt8(ascii: ","))
                    closes = closes || options.contains { ASCII.equalsIgnoringCase($0.filter { $0 != 0x20 }, "close") }
                }
                guard let field = Field(rawValue: name) else { continue }
                // Another parser could use the first of two where we use the second.
                guard fields.updateValue(value, forKey: field) == nil else { throw .malformed }
            }
            return nil
        }

        /// Reads `METHOD SP target SP HTTP/1.1` (RFC 9112, 3).
        private static func requestLine(_ line: [UInt8]) throws(HTTPRefusal) -> (method: Method, target: RequestTarget)
        {
            let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            guard words.count == 3 else { throw .malformed }
            guard let target = RequestTarget(words[1]) else { throw .otherPath }
            let version = String(decoding: words[2], as: UTF8.self)
            guard version == "HTTP/1.1" else { throw version.hasPrefix("HTTP/") ? .versionNotSupported : .malformed }
            guard let method = Method(rawValue: String(decoding: words[0], as: UTF8.self)) else {
                throw .methodNotImplemented
            }
            return (method, target)
        }
    }
}

/// The lines of a head or of trailers up to the empty line: printable ASCII and CR LF (RFC 9112, 2.2 and 5), plus the
/// bytes of a path that libcurl sends as they are in a URL.
///
/// A bare LF does not end a line, although RFC 9112 allows it: two parsers that disagree read two requests.
struct HeadLines {
    /// The most bytes of all lines, with their ends.
    static let longest = 8_192
    /// The most fields.
    static let most = 32

    private var line: [UInt8] = []
    private var room = Self.longest
    private var count = 0

    /// The next line without its end, or `nil` if `input` does not contain all of it.
    mutating func next(_ input: inout ArraySlice<UInt8>) throws(HTTPRefusal) -> [UInt8]? {
        while let byte = input.popFirst() {
            guard room > 0 else { throw .headTooLarge }
            room -= 1
            if line.last == Self.carriageReturn {
                guard byte == UInt8(ascii: "\n") else { throw .malformed }
                line.removeLast()
                defer { line.removeAll(keepingCapacity: true) }
                return line
            }
            guard byte >= 0x20 && byte != 0x7f || byte == Self.carriageReturn else { throw .malformed }
            line.append(byte)
        }
        return nil
    }

    private static let carriageReturn = UInt8(ascii: "\r")

    /// Parses a field; `nil` for the empty line.
    mutating func field(in line: [UInt8]) throws(HTTPRefusal) -> (name: String, value: String)? {
        guard !line.isEmpty else { return nil }
        count += 1
        guard count <= Self.most else { throw .headTooLarge }
        guard line.allSatisfy({ $0 < 0x80 }) else { throw .malformed }
        let name = line.prefix { $0 != UInt8(ascii: ":") }
        // No blank is allowed before the colon or, as once for continuations, at the start.
        guard !name.isEmpty, name.count < line.count, name.allSatisfy(Self.isTokenCharacter) else { throw .malformed }
        let value = line[(name.count + 1)...].drop { $0 == UInt8(ascii: " ") }
        let end = value.lastIndex { $0 != UInt8(ascii: " ") }.map { $0 + 1 } ?? value.startIndex
        return (String(decoding: name.map(ASCII.folded), as: UTF8.self), String(decoding: value[..<end], as: UTF8.self))
    }

    /// Whether a byte may be in a token (RFC 9110, 5.6.2).
    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        ASCII.isLetterOrDigit(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}

/// The framing that marks the end of a body (RFC 9112, 6.3).
package enum BodyFraming: Equatable, Sendable {
    /// The length in bytes.
    case length(Int64)
    case chunked
}

/// Removes the framing of a body (RFC 9112, 6 and 7.1), without keeping any of it.
package struct BodyReader {
    package enum Piece: Equatable {
        /// Bytes of the body; never empty.
        case bytes(ArraySlice<UInt8>)
        case needsMore
        /// The end; further bytes belong to the next request.
        case end
    }

    private enum State {
        /// The value of the digits so far, and their number.
        case size(Int64, digits: Int)
        /// The end of the line with the size, before its LF.
        case sizeEnd(Int64)
        case data(left: Int64, isChunk: Bool)
        case dataEnd(isHalfRead: Bool)
        case trailers
        case end
    }

    private var state: State
    private var lines = HeadLines()

    package init(_ framing: BodyFraming) {
        switch framing {
        case .length(let count): state = count == 0 ? .end : .data(left: count, isChunk: false)
        case .chunked: state = .size(0, digits: 0)
        }
    }

    /// The next bytes of the body; to be called until more bytes are needed, or the body ends.
    package mutating func next(_ input: inout ArraySlice<UInt8>) throws(HTTPRefusal) -> Piece {
        while true {
            switch state {
            case .end: return .end
            case .trailers:
                guard let line = try lines.next(&input) else { return .needsMore }
                if try lines.field(in: line) == nil { state = .end }
            case .data(let left, let isChunk):
                guard !input.isEmpty else { return .needsMore }
                let bytes = input.prefix(Int(min(left, Int64(input.count))))
                input = input[bytes.endIndex...]
                let rest = left - Int64(bytes.count)
                state = rest > 0 ? .data(left: rest, isChunk: isChunk) : isChunk ? .dataEnd(isHalfRead: false) : .end
                return .bytes(bytes)
            case .size, .sizeEnd, .dataEnd:
                guard let byte = input.popFirst() else { return .needsMore }
                state = try Self.state(after: byte, in: state)
            }
        }
    }

    /// The state after a byte of `chunk-size CRLF`, or of the CRLF after its data; extensions and blanks are errors.
    private static func state(after byte: UInt8, in state: State) throws(HTTPRefusal) -> State {
        switch (state, byte) {
        case (.size(let size, 1...), UInt8(ascii: "\r")): return .sizeEnd(size)
        case (.sizeEnd(0), UInt8(ascii: "\n")): return .trailers
        case (.sizeEnd(let size), UInt8(ascii: "\n")): return .data(left: size, isChunk: true)
        case (.dataEnd(false), UInt8(ascii: "\r")): return .dataEnd(isHalfRead: true)
        case (.dataEnd(true), UInt8(ascii: "\n")): return .size(0, digits: 0)
        case (.size(let size, let digits), _):
            guard digits < longestSize, let digit = Hexadecimal.number(byte) else { throw .malformed }
            return .size(size << 4 | Int64(digit), digits: digits + 1)
        default: throw .malformed
        }
    }

    /// The most hexadecimal digits of a chunk's size.
    private static let longestSize = 8
}
