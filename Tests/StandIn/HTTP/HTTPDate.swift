import Glibc

/// Dates of HTTP (RFC 9110, 5.6.7).
enum HTTPDate {
    /// A time, in seconds since 1970, as `Sun, 06 Nov 1994 08:49:37 GMT`; no test sets another locale than C.
    static func text(_ seconds: Double) -> String {
        var (time, parts) = (time_t(seconds), tm())
        gmtime_r(&time, &parts)
        var text = [CChar](repeating: 0, count: 30)
        strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
