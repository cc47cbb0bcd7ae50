internal import CredentialCore

/// RFC 9110, 5.6.7, in the preferred form only: `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDate {
    /// Seconds since 1970; nil for any other form, and for dates that do not exist.
    package static func parse(_ text: [UInt8]) -> Int64? {
        let parts = String(decoding: text, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0].utf8.count == 4, parts[0].hasSuffix(","), parts[5] == "GMT",
            let day = number(parts[1], digits: 2), let month = months.firstIndex(of: String(parts[2])),
            let year = number(parts[3], digits: 4), (1970...9999).contains(year)
        else { return nil }
        let time = parts[4].split(separator: ":", omittingEmptySubsequences: false)
        guard time.count == 3, let hour = number(time[0], digits: 2), let minute = number(time[1], digits: 2),
            let second = number(time[2], digits: 2), hour < 24, minute < 60, second <= 60,
            let days = CivilDate.days(year: year, month: Int64(month) + 1, day: day)
        else { return nil }
        return days * 86_400 + hour * 3_600 + minute * 60 + second
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func number(_ text: Substring, digits: Int) -> Int64? {
        text.utf8.count == digits ? DecimalNumber.parse(text.utf8) : nil
    }
}

/// RFC 3339, section 5.6, in UTC and without a part of a second: `2026-11-22T09:00:00Z`.
package enum RFC3339Time {
    /// Seconds since 1970; nil for any other form, and for times that do not exist.
    package static func parse(_ text: [UInt8]) -> Int64? {
        let form = Array("0000-00-00T00:00:00Z".utf8)
        guard text.count == form.count else { return nil }
        let digit = UInt8(ascii: "0")
        for (byte, wanted) in zip(text, form) where wanted != digit && byte != wanted { return nil }
        func number(_ range: Range<Int>) -> Int64? { DecimalNumber.parse(text[range]) }
        guard let year = number(0..<4), (1970...9999).contains(year), let month = number(5..<7),
            let day = number(8..<10), let hour = number(11..<13), hour < 24, let minute = number(14..<16), minute < 60,
            let second = number(17..<19), second <= 60, let days = CivilDate.days(year: year, month: month, day: day)
        else { return nil }
        return days * 86_400 + hour * 3_600 + minute * 60 + second
    }
}

/// Gregorian.
enum CivilDate {
    /// Since 1970-01-01; nil for a day that the month, or a month that the year does not have.
    static func days(year: Int64, month: Int64, day: Int64) -> Int64? {
        guard (1...12).contains(month) else { return nil }
        let first = days(before: month, of: year)
        let next = month == 12 ? days(before: 1, of: year + 1) : days(before: month + 1, of: year)
        return (1...(next - first)).contains(day) ? first + day - 1 : nil
    }

    /// Years are counted from March, so that the leap day is the last day of a year.
    private static func days(before month: Int64, of year: Int64) -> Int64 {
        let shiftedYear = month > 2 ? year : year - 1
        let shiftedMonth = month > 2 ? month - 3 : month + 9
        let leapDays = shiftedYear / 4 - shiftedYear / 100 + shiftedYear / 400
        let daysBefore1970 = 719_468 as Int64
        return shiftedYear * 365 + leapDays + (153 * shiftedMonth + 2) / 5 - daysBefore1970
    }
}
