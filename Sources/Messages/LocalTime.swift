package import CredentialCore
internal import Glibc

/// Points in time as people read them.
package enum LocalTime {
    /// A time as `2026-11-21 23:40`, in the machine's time zone.
    ///
    /// - Parameter seconds: Seconds since 1970.
    /// - Returns: The text; the bare number for a time outside the calendar.
    package static func text(_ seconds: Int64) -> DisplayText { text(seconds, as: "%Y-%m-%d %H:%M") }

    /// The hour alone, as `23:40`, for a time in the next twelve hours; else the date as well.
    ///
    /// - Parameters:
    ///   - seconds: Seconds since 1970.
    ///   - now: The current time, in seconds since 1970.
    /// - Returns: The text.
    package static func soon(_ seconds: Int64, now: Int64) -> DisplayText {
        seconds - now < 43_200 ? text(seconds, as: "%H:%M") : text(seconds)
    }

    private static func text(_ seconds: Int64, as format: String) -> DisplayText {
        var time = time_t(seconds)
        var parts = tm()
        var buffer = [CChar](repeating: 0, count: 32)
        guard localtime_r(&time, &parts) != nil, strftime(&buffer, buffer.count, format, &parts) > 0 else {
            return "\(seconds)"
        }
        return DisplayText(untrusted: buffer.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) })
    }
}
