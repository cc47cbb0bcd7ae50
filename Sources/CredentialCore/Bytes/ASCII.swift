/// ASCII case folding, byte by byte, the only folding for host names and URLs; unicode folding would turn the Kelvin
/// sign into a `k`, so that another host could pass for a known one.
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

    /// Whether a byte is a printable character or a space: `VSCHAR` of RFC 6749, appendix A.
    @inlinable
    package static func isPrintable(_ byte: UInt8) -> Bool { (0x20...0x7e).contains(byte) }

    /// Whether a byte is printable, but no quote or backslash: `NQCHAR` of RFC 6749, appendix A.
    @inlinable
    package static func isUnquoted(_ byte: UInt8) -> Bool {
        (0x21...0x7e).contains(byte) && byte != 0x22 && byte != 0x5c
    }

    /// Whether a text has only letters, digits and these signs; true for an empty text.
    @inlinable
    package static func isPlain(_ text: some Sequence<UInt8>, with signs: String = "") -> Bool {
        text.allSatisfy { isLetterOrDigit($0, or: signs) }
    }

    /// Compares without regard to the case of ASCII letters.
    ///
    /// A loop, and inlinable: for a comparison of lazy maps, the runtime built their types, which took a third of all
    /// instructions on git's path.
    /// took a third of all instructions on git's path.
    @inlinable
    package static func equalsIgnoringCase(_ bytes: some Sequence<UInt8>, _ others: some Sequence<UInt8>) -> Bool {
        var rest = others.makeIterator()
        for byte in bytes {
            guard let other = rest.next(), folded(byte) == folded(other) else { return false }
        }
        return rest.next() == nil
    }

    @inlinable
    package static func equalsIgnoringCase(_ bytes: some Sequence<UInt8>, _ text: String) -> Bool {
        equalsIgnoringCase(bytes, text.utf8)
    }
}

/// Non-negative decimal numbers as git writes them: digits only, no sign, no space, no overflow.
package enum DecimalNumber {
    /// The number, or `nil` if `digits` is empty, contains other bytes than ASCII digits, or exceeds 63 bits.
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
