internal import Glibc

/// Measures how long something takes, for the trace.
package struct Stopwatch {
    private let start: Int64

    package init() { start = Self.microseconds() }

    /// The time since the start: `1.9 ms`.
    package var text: String {
        let tenths = (Self.microseconds() - start + 50) / 100
        return "\(tenths / 10).\(tenths % 10) ms"
    }

    private static func microseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }
}
