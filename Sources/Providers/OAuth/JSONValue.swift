package import CredentialCore

/// A JSON value, parsed strictly (RFC 8259), since the bytes are untrusted.
///
/// Foundation's decoder silently uses the first of two equal members, accepts byte order marks and trailing commas, and
/// leaves unwiped copies of tokens. Here, a repeated member is an error (RFC 6749, 3.2), the depth is limited, and
/// numbers stay text.
package enum JSONValue: Equatable, Sendable {
    case null
    case bool(Bool)
    case number(String)
    case string([UInt8])
    /// The text of a member with a secret's name.
    case secret(Secret)
    case array([JSONValue])
    case object([String: JSONValue])

    /// The deepest nesting; responses of providers have less.
    package static let deepest = 32

    /// Parses one value in UTF-8, at most `deepest` levels deep; returns `nil` for anything else.
    package init?(parsing bytes: [UInt8]) {
        guard let value = bytes.withUnsafeBytes({ JSONValue(parsing: $0) }) else { return nil }
        self = value
    }

    init?(parsing bytes: UnsafeRawBufferPointer) {
        // Validates UTF-8 without a copy in a `String`.
        guard !transcode(bytes.makeIterator(), from: UTF8.self, to: UTF32.self, stoppingOnError: true, into: { _ in })
        else { return nil }
        var reader = JSONReader(bytes)
        guard let value = reader.value(depth: 0), reader.isAtEnd() else { return nil }
        self = value
    }

    /// A member; `null` counts as absent.
    package subscript(_ name: String) -> JSONValue? {
        guard case .object(let members) = self, let member = members[name], member != .null else { return nil }
        return member
    }

    package var string: [UInt8]? { if case .string(let text) = self { text } else { nil } }
    package var bool: Bool? { if case .bool(let truth) = self { truth } else { nil } }

    /// A NumericDate in whole seconds (RFC 7519, 2), from 1970 to 9999.
    package var numericDate: Int64? {
        guard case .number(let text) = self, let seconds = Double(text), (0...253_402_300_799).contains(seconds) else {
            return nil
        }
        return Int64(seconds)
    }

    /// A number written with digits alone.
    package var wholeNumber: Int64? { if case .number(let text) = self { DecimalNumber.parse(text.utf8) } else { nil } }

    /// A secret member, or `nil` if absent or empty.
    func secret(_ name: String) -> Secret? {
        guard case .secret(let secret)? = self[name], !secret.isEmpty else { return nil }
        return secret
    }

    /// A text member, or `nil` if absent or empty.
    package func text(_ name: String) -> [UInt8]? { self[name]?.string.flatMap { $0.isEmpty ? nil : $0 } }

    /// A member's seconds, from a number or a string with a number, as in old samples of GitHub's.
    ///
    /// - Returns: `nil` if absent or not a number; otherwise limited to between -1 and ten years.
    package func seconds(_ name: String) -> Int64? {
        // Swift's own parsing would accept `inf` and `0x10` as numbers.
        let number = self[name]?.string.map { JSONValue(parsing: $0) } ?? self[name]
        guard case .number(let text)? = number, let value = Double(text) else { return nil }
        return Int64(min(max(value, -1), Self.tenYears))
    }

    private static let tenYears: Double = 315_360_000

    /// The text without white space and with ordered members, so that equal values have equal texts.
    package var serialized: Secret {
        var text = Secret.Builder()
        append(to: &text)
        return text.finish()
    }

    private func append(to text: inout Secret.Builder) {
        switch self {
        case .null: text.append("null".utf8)
        case .bool(let truth): text.append((truth ? "true" : "false").utf8)
        case .number(let number): text.append(number.utf8)
        case .string(let string): Self.append(quoted: string, to: &text)
        case .secret(let secret): secret.reveal { Self.append(quoted: $0, to: &text) }
        case .array(let elements):
            text.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                element.append(to: &text)
            }
            text.append(UInt8(ascii: "]"))
        case .object(let members):
            text.append(UInt8(ascii: "{"))
            for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                Self.append(quoted: member.key.utf8, to: &text)
                text.append(UInt8(ascii: ":"))
                member.value.append(to: &text)
            }
            text.append(UInt8(ascii: "}"))
        }
    }

    /// Appends a string with the fewest possible escapes (RFC 8259, section 7).
    private static func append(quoted string: some Collection<UInt8>, to text: inout Secret.Builder) {
        let quote = UInt8(ascii: "\"")
        text.append(quote)
        for byte in string {
            switch byte {
            case quote, UInt8(ascii: "\\"): text.append([UInt8(ascii: "\\"), byte])
            case 0..<0x20:
                text.append("\\u00".utf8)
                text.append(Hexadecimal.digits(of: byte))
            default: text.append(byte)
            }
        }
        text.append(quote)
    }
}

/// A parser whose methods return `nil` to reject the whole text.
private struct JSONReader {
    /// The members with a secret: RFC 6749, 5.1; RFC 8628, 3.2; the token of an app's installation.
    private static let secrets = ["access_token", "refresh_token", "device_code", "token"]
    private let bytes: UnsafeRawBufferPointer
    private var index = 0
    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func isAtEnd() -> Bool {
        skipSpace()
        return index == bytes.count
    }

    private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d { index += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar, afterSpace isAfterSpace: Bool = false) -> Bool {
        if isAfterSpace { skipSpace() }
        guard current == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    mutating func value(depth: Int, isSecret: Bool = false) -> JSONValue? {
        guard depth < JSONValue.deepest else { return nil }
        skipSpace()
        switch current {
        case UInt8(ascii: "{"): return object(depth: depth)
        case UInt8(ascii: "["): return array(depth: depth)
        case UInt8(ascii: "\""): return (isSecret ? secret().map(JSONValue.secret) : string().map(JSONValue.string))
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
        var members: [String: JSONValue] = [:]
        return list("{", "}") {
            $0.skipSpace()
            guard let name = $0.string().map({ String(decoding: $0, as: UTF8.self) }), $0.take(":", afterSpace: true),
                let value = $0.value(depth: depth + 1, isSecret: Self.secrets.contains(name))
            else { return false }
            return members.updateValue(value, forKey: name) == nil
        } ? .object(members) : nil
    }

    private mutating func array(depth: Int) -> JSONValue? {
        var elements: [JSONValue] = []
        return list("[", "]") { $0.value(depth: depth + 1).map { elements.append($0) } != nil } ? .array(elements) : nil
    }

    private mutating func list(_ start: Unicode.Scalar, _ end: Unicode.Scalar, _ read: (inout Self) -> Bool) -> Bool {
        guard take(start) else { return false }
        if take(end, afterSpace: true) { return true }
        repeat { guard read(&self) else { return false } } while take(",", afterSpace: true)
        return take(end, afterSpace: true)
    }

    /// A number (RFC 8259, section 6).
    private mutating func number() -> JSONValue? {
        let start = index
        _ = take("-")
        guard !(current == UInt8(ascii: "0") && index + 1 < bytes.count && ASCII.isDigit(bytes[index + 1])), digits()
        else { return nil }
        if take(".") { guard digits() else { return nil } }
        if take("e") || take("E") {
            _ = take("+") || take("-")
            guard digits() else { return nil }
        }
        return .number(String(decoding: bytes[start..<index], as: UTF8.self))
    }

    private mutating func digits() -> Bool {
        let start = index
        while let byte = current, ASCII.isDigit(byte) { index += 1 }
        return index > start
    }

    /// A string (RFC 8259, section 7); users of the text must check for escaped control characters.
    private mutating func string(_ append: (UInt8) -> Void) -> Bool {
        guard take("\"") else { return false }
        while let byte = current {
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return true
            case UInt8(ascii: "\\"):
                guard let scalar = escape() else { return false }
                UTF8.encode(scalar)?.forEach(append)
            case 0..<0x20: return false
            default: append(byte)
            }
        }
        return false
    }

    private mutating func string() -> [UInt8]? {
        var text: [UInt8] = []
        return string { text.append($0) } ? text : nil
    }

    private mutating func secret() -> Secret? {
        var text = Secret.Builder()
        return string { text.append($0) } ? text.finish() : nil
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
        defer { index += 4 }
        return Hexadecimal.bytes(bytes[index..<index + 4]).map { UInt32($0[0]) << 8 | UInt32($0[1]) }
    }
}
