internal import CredentialCore
internal import Providers

/// The header of a response, line by line as libcurl passes it on; libcurl does not limit its total size.
struct ResponseHead {
    /// The largest header, in bytes.
    private static let largest = 65_536

    /// The fields of the last header block, with names in lower case.
    private(set) var fields: [(name: String, value: [UInt8])] = []
    /// The bytes so far, including interim responses and trailers.
    private var count = 0
    private var isOpen = false

    /// Takes a line with its end; returns a reason to refuse the response, if there is one.
    mutating func take(_ line: UnsafeRawBufferPointer) -> TransportError? {
        count += line.count
        guard count <= Self.largest else { return .tooLarge }
        let text = line.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
        if text.starts(with: "HTTP/".utf8) {
            guard Self.hasStatus(text) else { return .malformed }
            // A status line: earlier lines belong to an interim response (100 Continue).
            fields = []
            isOpen = true
        } else if text.isEmpty {
            // Lines after the empty line are trailers, which are not needed.
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
