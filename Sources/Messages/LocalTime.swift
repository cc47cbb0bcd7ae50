package import CredentialCore
internal import Glibc

/// Points in time as people read them.
package enum LocalTime {
    /// A time as `2026-11-21 23:40`, in the machine's time zone.
    ///
    /// - Parameter seconds: Seconds since 1970.
    /// - Returns: The text; the bare number for a time outside the calendar.
    package static func text(_ seconds: Int64) -> DisplayText {
        var time = time_t(seconds)
        var parts = tm()
        var buffer = [CChar](repeating: 0, count: 32)
        guard localtime_r(&time, &parts) != nil, strftime(&buffer, buffer.count, "%Y-%m-%d %H:%M", &parts) > 0 else {
            return "\(seconds)"
        }
        return DisplayText(untrusted: buffer.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) })
    }
}
