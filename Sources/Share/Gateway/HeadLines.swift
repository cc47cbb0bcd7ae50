internal import CredentialCore

/// The lines of a head or of trailers: printable ASCII and CR LF, nothing else (RFC 9112, 2.2), but for the bytes of a
/// path that libcurl sends as they stand in a URL.
///
/// A bare LF is no line end here, although RFC 9112 allows it: two parsers that disagree about it read two requests.
struct HeadLines {
    /// In bytes, line ends included.
    static let longest = 8_192

    private var line: [UInt8] = []
    private var room = Self.longest

    /// The next line, without its end; nil if `input` does not contain all of it.
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
}

/// The fields of a head or of trailers, up to the empty line (RFC 9112, 5).
struct FieldLines {
    static let most = 32

    private var count = 0

    /// Nil for the empty line.
    mutating func parse(_ line: [UInt8]) throws(HTTPRefusal) -> (name: String, value: String)? {
        guard !line.isEmpty else { return nil }
        count += 1
        guard count <= Self.most else { throw .headTooLarge }
        guard line.allSatisfy({ $0 < 0x80 }) else { throw .malformed }
        let name = line.prefix { $0 != UInt8(ascii: ":") }
        // Neither a blank before the colon nor one at the start of the line, which was once a continuation.
        guard !name.isEmpty, name.count < line.count, name.allSatisfy(Self.isTokenCharacter) else { throw .malformed }
        let value = line[(name.count + 1)...].drop { $0 == UInt8(ascii: " ") }
        let end = value.lastIndex { $0 != UInt8(ascii: " ") }.map { $0 + 1 } ?? value.startIndex
        return (
            String(decoding: name.map(ASCII.folded), as: UTF8.self),
            String(decoding: value[..<end], as: UTF8.self)
        )
    }

    /// RFC 9110, 5.6.2.
    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        ASCII.isLetterOrDigit(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}
