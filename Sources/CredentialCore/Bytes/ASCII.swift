/// ASCII case folding, the only one for host names and URLs: Unicode folds the Kelvin sign to `k`, so another host
/// could pass for a known one.
package enum ASCII {
    @inlinable
    package static func folded(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    @inlinable
    package static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(folded(byte)) || isDigit(byte)
    }

    @inlinable
    package static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    @inlinable
    package static func isLetterOrDigit(_ byte: UInt8, or signs: String) -> Bool {
        isLetterOrDigit(byte) || signs.utf8.contains(byte)
    }

    @inlinable
    package static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7f }

    /// Whether a byte is a `VSCHAR` of RFC 6749, appendix A: printable, or a space.
    @inlinable
    package static func isPrintable(_ byte: UInt8) -> Bool { (0x20...0x7e).contains(byte) }

    /// Whether a byte is an `NQCHAR` of RFC 6749, appendix A: no space, quote or backslash.
    @inlinable
    package static func isUnquoted(_ byte: UInt8) -> Bool {
        (0x21...0x7e).contains(byte) && byte != 0x22 && byte != 0x5c
    }

    /// Returns true for an empty text.
    @inlinable
    package static func isPlain(_ text: some Sequence<UInt8>, with signs: String = "") -> Bool {
        text.allSatisfy { isLetterOrDigit($0, or: signs) }
    }

    /// Uses a loop, and is inlinable: with lazy maps, the runtime built their types, a third of all instructions on
    /// git's path.
    @inlinable
    package static func equalsIgnoringCase(_ bytes: some Sequence<UInt8>, _ others: some Sequence<UInt8>) -> Bool {
        var rest = others.makeIterator()
        for byte in bytes { guard let other = rest.next(), folded(byte) == folded(other) else { return false } }
        return rest.next() == nil
    }

    @inlinable
    package static func equalsIgnoringCase(_ bytes: some Sequence<UInt8>, _ text: String) -> Bool {
        equalsIgnoringCase(bytes, text.utf8)
    }
}

package enum DecimalNumber {
    /// Parses a number as git writes it: digits only, no sign, no space, at most 63 bits.
    @inlinable
    package static func parse(_ digits: some Collection<UInt8>) -> Int64? {
        guard !digits.isEmpty else { return nil }
        var number: Int64 = 0
        for byte in digits {
            guard ASCII.isDigit(byte) else { return nil }
            let (shifted, tooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, overflow) = shifted.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
            guard !tooLarge, !overflow else { return nil }
            number = sum
        }
        return number
    }
}
