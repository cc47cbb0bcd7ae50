internal import CredentialCore

/// A point in time as APIs write it: RFC 3339, section 5.6, in UTC and without a part of a second.
package enum RFC3339Time {
    /// Parses `2026-11-22T09:00:00Z`.
    ///
    /// - Parameter text: the value of a member.
    /// - Returns: seconds since 1970; nil for any other form, and for times that do not exist.
    package static func parse(_ text: [UInt8]) -> Int64? {
        let form = Array("0000-00-00T00:00:00Z".utf8)
        guard text.count == form.count else { return nil }
        let digit = UInt8(ascii: "0")
        for (byte, wanted) in zip(text, form) where wanted != digit && byte != wanted { return nil }
        func number(_ range: Range<Int>) -> Int64? { DecimalNumber.parse(text[range]) }
        guard let year = number(0..<4), (1970...9999).contains(year), let month = number(5..<7),
            (1...12).contains(month), let day = number(8..<10), (1...31).contains(day), let hour = number(11..<13),
            hour < 24, let minute = number(14..<16), minute < 60, let second = number(17..<19), second <= 60
        else { return nil }
        return CivilDate.days(year: year, month: month, day: day) * 86_400 + hour * 3_600 + minute * 60 + second
    }
}
