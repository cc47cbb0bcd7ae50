internal import CredentialCore
internal import Glibc

/// How long somebody or something else may keep us waiting.
///
/// It is charged only with time in which we could look, ten times a second. If the whole machine stands still, like a
/// busy virtual one or after Ctrl-Z, neither we nor they can do anything, and they must not be blamed. Nor are they, where
/// `crowd` tells of it, for the time in which others have the processor that they wait for.
package struct Deadline {
    /// Milliseconds between two looks.
    package static let interval: Int64 = 100
    /// The most that one look is charged with, in milliseconds.
    private static let longest: Int64 = 250

    package let milliseconds: Int64
    /// Of these, at the last look.
    package private(set) var remaining: Int64
    private var last: Int64
    private let uptime: () -> Int64
    private let crowd: () -> Int64
    /// How often the time has been given.
    private var turns: Int64 = 1

    /// - Parameters:
    ///   - milliseconds: from now on; once more for each that shares a processor with whom we wait for.
    ///   - uptime: in milliseconds.
    ///   - crowd: how many there are (`Crowd`); asked only when the time is over.
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

    /// In milliseconds, for one look; 0 once it is over.
    package mutating func left() -> Int64 {
        let now = uptime()
        remaining -= min(max(now - last, 0), Self.longest, remaining)
        last = now
        if remaining == 0, turns > 0 {
            // Once it is over, it stays so.
            turns = turns < crowd() ? turns + 1 : 0
            if turns > 0 { remaining = max(milliseconds, 0) }
        }
        return remaining
    }

    package mutating func lasts() -> Bool { left() > 0 }

    /// Waits until a descriptor is ready, and not longer than from one look to the next; this is no look itself.
    package func wait(reading: [Int32] = [], writing: [Int32] = [], atMost milliseconds: Int64 = Self.interval) {
        _ = FileDescriptor.ready(reading: reading, writing: writing, within: min(remaining, milliseconds))
    }

    /// The result of a call on a descriptor, repeated whenever it would have had to wait (`Errno.unlessBusy`); nil once
    /// the time is over.
    package mutating func result(
        reading: Int32? = nil, writing: Int32? = nil, of call: () -> Int
    ) throws(Errno) -> Int? {
        while true {
            if let result = try Errno.unlessBusy(call) { return result }
            guard lasts() else { return nil }
            wait(reading: [reading].compactMap(\.self), writing: [writing].compactMap(\.self))
        }
    }

    /// Nobody is charged with the time since the last look.
    package mutating func skip() { last = uptime() }
}

/// How many processes want to run for each processor, at this moment.
package enum Crowd {
    /// However many there are: whoever waits must come to an end, and before GDBus does, which gives a call 25 seconds.
    private static let most: Int64 = 4

    package static var now: Int64 { of(FileReader.beginning(of: "/proc/loadavg", atMost: 128) ?? []) }

    /// From the fourth field of proc(5)'s `loadavg`: so many run or could, this process among them; 1 if it cannot be read.
    package static func of(_ averages: [UInt8], processors: Int = sysconf(Int32(_SC_NPROCESSORS_ONLN))) -> Int64 {
        let fields = averages.split(separator: UInt8(ascii: " "))
        guard fields.count > 3, let running = DecimalNumber.parse(fields[3].prefix { $0 != UInt8(ascii: "/") }) else {
            return 1
        }
        return min(max((running - 1) / Int64(max(processors, 1)), 1), most)
    }
}
