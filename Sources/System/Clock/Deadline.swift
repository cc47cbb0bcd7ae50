internal import CredentialCore
internal import Glibc

/// A limit on how long a person or another process may keep us waiting.
///
/// Each look, ten times a second, counts at most 250 ms, so time in which the whole machine stood still (a busy virtual
/// machine, Ctrl-Z) is not held against the peer.
package struct Deadline {
    /// Milliseconds between two looks.
    package static let interval: Int64 = 100
    /// The most milliseconds that one look counts.
    private static let longest: Int64 = 250

    package let milliseconds: Int64
    /// Milliseconds that remained at the last look.
    package private(set) var remaining: Int64
    private var last: Int64
    private let uptime: () -> Int64
    private let crowd: () -> Int64
    /// The number of times that the limit was granted.
    private var turns: Int64 = 1

    /// - Parameters:
    ///   - milliseconds: the limit from now on; granted once more for each process that competes for a processor.
    ///   - uptime: the clock, in milliseconds.
    ///   - crowd: the number of competing processes (`Crowd`); called only when the time is over.
    package init(
        in milliseconds: Int64, uptime: @escaping () -> Int64 = { SystemClock().uptimeMilliseconds },
        crowd: @escaping () -> Int64 = { 1 }
    ) {
        self.milliseconds = milliseconds
        remaining = max(milliseconds, 0)
        self.uptime = uptime
        self.crowd = crowd
        last = uptime()
    }

    /// Looks, and returns the milliseconds that remain; 0 once the time is over.
    package mutating func left() -> Int64 {
        let now = uptime()
        remaining -= min(max(now - last, 0), Self.longest, remaining)
        last = now
        if remaining == 0, turns > 0 {
            // A deadline that is over stays so.
            turns = turns < crowd() ? turns + 1 : 0
            if turns > 0 { remaining = max(milliseconds, 0) }
        }
        return remaining
    }

    package mutating func lasts() -> Bool { left() > 0 }

    /// Waits until a descriptor is ready, at most until the next look; does not count as a look.
    package func wait(reading: [Int32] = [], writing: [Int32] = [], atMost milliseconds: Int64 = Self.interval) {
        _ = FileDescriptor.ready(reading: reading, writing: writing, within: min(remaining, milliseconds))
    }

    /// Repeats a call that would block (`Errno.unlessBusy`); `nil` once the time is over.
    package mutating func result(on number: Int32, writing: Bool = false, of call: () -> Int) throws(Errno) -> Int? {
        while true {
            if let result = try Errno.unlessBusy(call) { return result }
            guard lasts() else { return nil }
            wait(for: number, writing: writing)
        }
    }

    package func wait(for number: Int32, writing: Bool = false) {
        _ = FileDescriptor.isReady(number, writing: writing, within: min(remaining, Self.interval))
    }

    /// Excludes the time since the last look from the limit.
    package mutating func skip() { last = uptime() }
}

/// The number of processes that compete for each processor.
package enum Crowd {
    /// A cap, so that every wait ends before GDBus gives up on a call (after 25 seconds).
    private static let most: Int64 = 4

    package static var now: Int64 { of(FileReader.beginning(of: "/proc/loadavg", atMost: 128) ?? []) }

    /// Reads the fourth field of `/proc/loadavg` (proc(5)); does not count this process, and returns 1 at least.
    package static func of(_ averages: [UInt8], processors: Int = sysconf(Int32(_SC_NPROCESSORS_ONLN))) -> Int64 {
        let fields = averages.split(separator: UInt8(ascii: " "))
        guard fields.count > 3, let running = DecimalNumber.parse(fields[3].prefix { $0 != UInt8(ascii: "/") }) else {
            return 1
        }
        return min(max((running - 1) / Int64(max(processors, 1)), 1), most)
    }
}

package struct SystemClock {
    package init() {}

    package var now: Int64 { Self.microseconds(CLOCK_REALTIME) / 1_000_000 }
    package var uptimeMilliseconds: Int64 { Self.microseconds(CLOCK_BOOTTIME) / 1_000 }

    /// A signal that is not blocked may end the pause early.
    package static func pause(milliseconds: Int64) { poll(nil, 0, Int32(clamping: milliseconds)) }

    /// `clock_gettime` does not fail for these clocks since Linux 2.6.39.
    fileprivate static func microseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }
}

package struct Stopwatch {
    private let start = SystemClock.microseconds(CLOCK_MONOTONIC)
    package init() {}

    /// The elapsed time, as in `1.9 ms`.
    package var text: String {
        let tenths = (SystemClock.microseconds(CLOCK_MONOTONIC) - start + 50) / 100
        return "\(tenths / 10).\(tenths % 10) ms"
    }
}
