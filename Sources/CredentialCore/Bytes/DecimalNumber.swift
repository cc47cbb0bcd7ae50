/// Non-negative decimal numbers as git writes them: digits only, no sign, no space, no overflow.
package enum DecimalNumber {
    /// Reads `digits`.
    ///
    /// - Returns: the number, or nil if it is empty, holds anything but ASCII digits, or exceeds 63 bits.
    @inlinable
    package static func parse(_ digits: some Collection<UInt8>) -> Int64? {
        guard !digits.isEmpty else { return nil }
        var number: Int64 = 0
        for byte in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            let (shifted, tooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, overflow) = shifted.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
            guard !tooLarge, !overflow else { return nil }
            number = sum
        }
        return number
    }
}
