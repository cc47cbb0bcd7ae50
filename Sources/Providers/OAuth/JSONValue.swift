internal import CredentialCore

/// Strict (RFC 8259): the bytes are untrusted.
///
/// Foundation's decoder silently uses the first of two equal members, accepts byte order marks and trailing commas, and
/// keeps copies of tokens that nobody wipes. Here, a repeated member is an error (RFC 6749, 3.2: parameters must not
/// repeat), the depth is limited, and numbers stay text until somebody interprets them.
package enum JSONValue: Equatable, Sendable {
    case null
    case bool(Bool)
    case number(String)
    case string([UInt8])
    case array([JSONValue])
    case object([String: JSONValue])

    /// No provider's response is deeper.
    package static let deepest = 32

    /// Nil if the bytes are not exactly one JSON value in UTF-8, at most `deepest` levels deep.
    package init?(parsing bytes: [UInt8]) {
        guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
        var reader = JSONReader(bytes)
        guard let value = reader.value(depth: 0), reader.isAtEnd else { return nil }
        self = value
    }

    /// `null` counts as absent.
    package subscript(_ name: String) -> JSONValue? {
        guard case .object(let members) = self, let member = members[name], member != .null else { return nil }
        return member
    }

    package var string: [UInt8]? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    package var bool: Bool? {
        guard case .bool(let truth) = self else { return nil }
        return truth
    }

    /// In whole seconds since 1970: NumericDate (RFC 7519, 2).
    ///
    /// It lies between the years 1970 and 9999. A part of a second is dropped.
    package var numericDate: Int64? {
        guard case .number(let text) = self, let seconds = Double(text), (0...253_402_300_799).contains(seconds) else {
            return nil
        }
        return Int64(seconds)
    }

    /// Only one that is written with digits alone.
    package var wholeNumber: Int64? {
        guard case .number(let text) = self else { return nil }
        return DecimalNumber.parse(text.utf8)
    }

    /// Without white space and with the members in the order of their bytes, so that equal values have equal texts.
    package var serialized: [UInt8] {
        switch self {
        case .null: Array("null".utf8)
        case .bool(let truth): Array(truth ? "true".utf8 : "false".utf8)
        case .number(let text): Array(text.utf8)
        case .string(let text): Self.quoted(text)
        case .array(let elements): Self.joined(elements.map(\.serialized), between: "[", "]")
        case .object(let members):
            Self.joined(
                members.map { Self.quoted(Array($0.key.utf8)) + [UInt8(ascii: ":")] + $0.value.serialized }
                    .sorted { $0.lexicographicallyPrecedes($1) },
                between: "{", "}")
        }
    }

    private static func joined(_ texts: [[UInt8]], between start: Unicode.Scalar, _ end: Unicode.Scalar) -> [UInt8] {
        [UInt8(ascii: start)] + texts.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: end)]
    }

    /// RFC 8259, section 7: what must be escaped is, and nothing else.
    private static func quoted(_ text: [UInt8]) -> [UInt8] {
        let quote = UInt8(ascii: "\"")
        let digits = Array("0123456789abcdef".utf8)
        var quoted = [quote]
        for byte in text {
            switch byte {
            case quote, UInt8(ascii: "\\"): quoted += [UInt8(ascii: "\\"), byte]
            case 0..<0x20: quoted += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 0xf)]]
            default: quoted.append(byte)
            }
        }
        quoted.append(quote)
        return quoted
    }
}

/// A nil anywhere rejects the whole text.
private struct JSONReader {
    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool {
        mutating get {
            skipSpace()
            return index == bytes.count
        }
    }

    private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d { index += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard current == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    private mutating func takeAfterSpace(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        return take(character)
    }

    mutating func value(depth: Int) -> JSONValue? {
        guard depth < JSONValue.deepest else { return nil }
        skipSpace()
        switch current {
        case UInt8(ascii: "{"): return object(depth: depth)
        case UInt8(ascii: "["): return array(depth: depth)
        case UInt8(ascii: "\""): return string().map(JSONValue.string)
        case UInt8(ascii: "t"): return word("true", .bool(true))
        case UInt8(ascii: "f"): return word("false", .bool(false))
        case UInt8(ascii: "n"): return word("null", .null)
        default: return number()
        }
    }

    private mutating func word(_ word: String, _ value: JSONValue) -> JSONValue? {
        guard bytes[index...].starts(with: word.utf8) else { return nil }
        index += word.utf8.count
        return value
    }

    private mutating func object(depth: Int) -> JSONValue? {
        guard take("{") else { return nil }
        var members: [String: JSONValue] = [:]
        if takeAfterSpace("}") { return .object(members) }
        repeat {
            skipSpace()
            guard let name = string(), takeAfterSpace(":"), let value = value(depth: depth + 1) else { return nil }
            guard members.updateValue(value, forKey: String(decoding: name, as: UTF8.self)) == nil else { return nil }
        } while takeAfterSpace(",")
        return takeAfterSpace("}") ? .object(members) : nil
    }

    private mutating func array(depth: Int) -> JSONValue? {
        guard take("[") else { return nil }
        var elements: [JSONValue] = []
        if takeAfterSpace("]") { return .array(elements) }
        repeat {
            guard let element = value(depth: depth + 1) else { return nil }
            elements.append(element)
        } while takeAfterSpace(",")
        return takeAfterSpace("]") ? .array(elements) : nil
    }

    /// RFC 8259, section 6: no plus sign, no leading zero, a digit on either side of the point.
    private mutating func number() -> JSONValue? {
        let start = index
        _ = take("-")
        guard !(current == UInt8(ascii: "0") && index + 1 < bytes.count && isDigit(bytes[index + 1])), digits() else {
            return nil
        }
        if take(".") { guard digits() else { return nil } }
        if take("e") || take("E") {
            _ = take("+") || take("-")
            guard digits() else { return nil }
        }
        return .number(String(decoding: bytes[start..<index], as: UTF8.self))
    }

    private mutating func digits() -> Bool {
        let start = index
        while let byte = current, isDigit(byte) { index += 1 }
        return index > start
    }

    private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// RFC 8259, section 7.
    ///
    /// An escaped control character is kept. The code that uses the text checks what it may contain.
    private mutating func string() -> [UInt8]? {
        guard take("\"") else { return nil }
        var text: [UInt8] = []
        while let byte = current {
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return text
            case UInt8(ascii: "\\"):
                guard let scalar = escape() else { return nil }
                text += Array(String(Character(scalar)).utf8)
            case 0..<0x20: return nil
            default: text.append(byte)
            }
        }
        return nil
    }

    private mutating func escape() -> Unicode.Scalar? {
        guard let byte = current else { return nil }
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return escapedScalar()
        default: return nil
        }
    }

    private mutating func escapedScalar() -> Unicode.Scalar? {
        guard let first = codeUnit() else { return nil }
        guard (0xd800...0xdbff).contains(first) else { return Unicode.Scalar(first) }
        guard take("\\"), take("u"), let second = codeUnit(), (0xdc00...0xdfff).contains(second) else { return nil }
        return Unicode.Scalar(0x1_0000 + (first - 0xd800) << 10 + (second - 0xdc00))
    }

    private mutating func codeUnit() -> UInt32? {
        guard index + 4 <= bytes.count else { return nil }
        let digits = bytes[index..<index + 4]
        index += 4
        guard digits.allSatisfy({ isDigit($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0 | 0x20) }) else {
            return nil
        }
        return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}

extension JSONValue {
    /// The member's text; nil if absent or empty.
    package func text(_ name: String) -> [UInt8]? {
        self[name]?.string.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// From a number or from digits in a string, which old samples of GitHub's contain.
    ///
    /// - Returns: nil if absent or not a number; otherwise limited to between -1 and ten years.
    package func seconds(_ name: String) -> Int64? {
        // Swift's own parsing would accept `inf` and `0x10` as numbers.
        let number = self[name]?.string.map { JSONValue(parsing: $0) } ?? self[name]
        guard case .number(let text)? = number, let value = Double(text) else { return nil }
        return Int64(min(max(value, -1), Self.tenYears))
    }

    private static let tenYears: Double = 315_360_000
}

extension HTTPResponse {
    package var json: JSONValue? { JSONValue(parsing: body) }

    /// A JSON object, which is what we ask for (RFC 6749, 5.1 and 5.2); nil for anything else.
    package var fields: JSONValue? {
        guard let json = json, case .object = json else { return nil }
        return json
    }
}
