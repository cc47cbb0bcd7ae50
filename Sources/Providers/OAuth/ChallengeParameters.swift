internal import CredentialCore

/// The parameters `name=value` or `name="value"` of a challenge (RFC 9110, 11.2).
///
/// Several challenges in one header are read as one list.
package struct ChallengeParameters {
    private var rest: ArraySlice<UInt8>
    package init(_ challenge: [UInt8]) { rest = challenge[...] }

    /// The next parameter, or `nil` at the end; everything else, such as the name of a scheme, is skipped.
    package mutating func next() -> (name: [UInt8], value: [UInt8])? {
        while let first = rest.first {
            guard Self.isTokenByte(first) else {
                // Skips a quoted text without a name, which could contain another parameter.
                if first == UInt8(ascii: "\"") { _ = quoted() } else { rest = rest.dropFirst() }
                continue
            }
            let name = Array(rest.prefix(while: Self.isTokenByte))
            rest = rest.dropFirst(name.count)
            skipBlanks()
            guard rest.first == UInt8(ascii: "=") else { continue }
            rest = rest.dropFirst()
            skipBlanks()
            if rest.first == UInt8(ascii: "\"") {
                guard let value = quoted() else { return nil }
                return (name, value)
            }
            let value = Array(rest.prefix(while: Self.isTokenByte))
            rest = rest.dropFirst(value.count)
            return (name, value)
        }
        return nil
    }

    /// A quoted string without quotes and escapes (RFC 9110, 5.6.4), or `nil` if it does not end.
    private mutating func quoted() -> [UInt8]? {
        var value: [UInt8] = []
        rest = rest.dropFirst()
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return value }
            guard let next = byte == UInt8(ascii: "\\") ? rest.popFirst() : byte else { return nil }
            value.append(next)
        }
        return nil
    }

    private mutating func skipBlanks() { rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") } }

    /// Whether a byte may be in a token (RFC 9110, 5.6.2).
    private static func isTokenByte(_ byte: UInt8) -> Bool { ASCII.isLetterOrDigit(byte, or: "!#$%&'*+-.^_`|~") }
}
