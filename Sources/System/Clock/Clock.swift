internal import Glibc

package struct SystemClock {
    package init() {}

    package var now: Int64 { Self.read(CLOCK_REALTIME) / 1_000 }

    package var uptimeMilliseconds: Int64 { Self.read(CLOCK_BOOTTIME) }

    /// A signal that is not blocked may end the pause early.
    package static func pause(milliseconds: Int64) { poll(nil, 0, Int32(clamping: milliseconds)) }

    /// `clock_gettime` does not fail for these clocks since Linux 2.6.39.
    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}

package struct Stopwatch {
    private let start: Int64

    package init() { start = Self.microseconds() }

    /// The elapsed time, as in `1.9 ms`.
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
