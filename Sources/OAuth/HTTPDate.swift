internal import CredentialCore

/// The value of a server's `Date` header: RFC 9110, 5.6.7, in the preferred form only.
package enum HTTPDate {
    /// Parses `Sun, 06 Nov 1994 08:49:37 GMT`.
    ///
    /// - Parameter text: the header's value.
    /// - Returns: seconds since 1970; nil for any other form, and for dates that do not exist.
    package static func parse(_ text: [UInt8]) -> Int64? {
        let parts = String(decoding: text, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0].utf8.count == 4, parts[0].hasSuffix(","), parts[5] == "GMT",
            let day = number(parts[1], digits: 2), let month = months.firstIndex(of: String(parts[2])),
            let year = number(parts[3], digits: 4), (1970...9999).contains(year)
        else { return nil }
        let time = parts[4].split(separator: ":", omittingEmptySubsequences: false)
        guard time.count == 3, let hour = number(time[0], digits: 2), let minute = number(time[1], digits: 2),
            let second = number(time[2], digits: 2), hour < 24, minute < 60, second <= 60, (1...31).contains(day)
        else { return nil }
        return CivilDate.days(year: year, month: Int64(month) + 1, day: day) * 86_400 + hour * 3_600 + minute * 60
            + second
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func number(_ text: Substring, digits: Int) -> Int64? {
        text.utf8.count == digits ? DecimalNumber.parse(text.utf8) : nil
    }
}
