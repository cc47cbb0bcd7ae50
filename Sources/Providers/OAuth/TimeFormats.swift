internal import CredentialCore
internal import Glibc

/// Dates of RFC 9110, 5.6.7, in the preferred form: `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// The seconds since 1970, or `nil` for another form or an impossible date.
    package static func parse(_ text: [UInt8]) -> Int64? {
        guard isOfForm("???, 00 ??? 0000 00:00:00 GMT", text),
            let month = months.firstIndex(of: String(decoding: text[8..<11], as: UTF8.self))
        else { return nil }
        return seconds(year: text[12..<16], month: Int64(month) + 1, day: text[5..<7], time: text[17..<25])
    }
}

/// Times of RFC 3339, 5.6, in UTC and whole seconds: `2026-11-22T09:00:00Z`.
package enum RFC3339Time {
    /// The seconds since 1970, or `nil` for another form or an impossible time.
    package static func parse(_ text: [UInt8]) -> Int64? {
        guard isOfForm("0000-00-00T00:00:00Z", text), let month = DecimalNumber.parse(text[5..<7]) else { return nil }
        return seconds(year: text[0..<4], month: month, day: text[8..<10], time: text[11..<19])
    }
}

/// Whether a text has a form, where `0` stands for a digit and `?` for any byte.
private func isOfForm(_ form: String, _ text: [UInt8]) -> Bool {
    text.count == form.utf8.count
        && zip(text, form.utf8).allSatisfy { byte, wanted in
            wanted == UInt8(ascii: "0") ? ASCII.isDigit(byte) : wanted == UInt8(ascii: "?") || wanted == byte
        }
}

/// The seconds since 1970, in UTC, or `nil` for an impossible time.
private func seconds(year: ArraySlice<UInt8>, month: Int64, day: ArraySlice<UInt8>, time: ArraySlice<UInt8>) -> Int64? {
    let time = time.split(separator: UInt8(ascii: ":")).compactMap { DecimalNumber.parse($0) }
    guard let year = DecimalNumber.parse(year), year >= 1970, let day = DecimalNumber.parse(day),
        (1...12).contains(month), time[0] < 24, time[1] < 60, time[2] <= 60
    else { return nil }
    var date = tm()
    (date.tm_year, date.tm_mon, date.tm_mday) = (Int32(year - 1900), Int32(month - 1), Int32(day))
    let midnight = Int64(timegm(&date))
    // timegm(3) turns an impossible date into another one.
    return date.tm_mday == day ? midnight + time[0] * 3_600 + time[1] * 60 + time[2] : nil
}
