import Glibc

/// Dates of HTTP (RFC 9110, 5.6.7).
enum HTTPDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// A time, in seconds since 1970, as `Sun, 06 Nov 1994 08:49:37 GMT`.
    static func text(_ seconds: Double) -> String {
        var time = time_t(seconds)
        var parts = tm()
        gmtime_r(&time, &parts)
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(twoDigits).joined(separator: ":")
        let day = "\(twoDigits(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(parts.tm_year + 1_900)"
        return "\(days[Int(parts.tm_wday)]), \(day) \(clock) GMT"
    }

    private static func twoDigits(_ number: Int32) -> String { (number < 10 ? "0" : "") + String(number) }
}
