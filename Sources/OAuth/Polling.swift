/// When to poll: RFC 8628, 3.5, and what GitHub really does.
///
/// GitHub checks the rate before it looks at the grant. A client that is a few milliseconds early therefore gets
/// `slow_down` forever and never sees its token. So there is a wait before the first poll, each wait starts at the end
/// of the last response, and there is a margin for clocks that run fast (those of virtual machines do, by up to a
/// fifth).
package struct Polling {
    /// Seconds between two polls: what the server asked for, or more.
    package private(set) var interval: Int64
    /// Seconds before which the server would reject the next poll: what it has asked for so far.
    private var leastInterval: Int64

    /// Starts with the interval of the device authorization response, in seconds.
    package init(interval: Int64) {
        self.interval = interval
        leastInterval = interval
    }

    /// Milliseconds to wait after the end of the last response.
    package var wait: Int64 { interval * 1_200 }

    /// Milliseconds to wait before the next poll of a code that expires.
    ///
    /// The last poll is moved forward, so that an approval in the last moments is not missed if network faults have
    /// made the wait long.
    ///
    /// - Parameter left: milliseconds after which a poll is of no use.
    /// - Returns: nil if no further poll is useful.
    package func wait(within left: Int64) -> Int64? {
        if wait <= left { return wait }
        return leastInterval * 1_000 <= left ? left : nil
    }

    /// Handles `slow_down`: all later polls wait five seconds more, or what the server now asks for if that is more.
    ///
    /// - Parameter serverInterval: the `interval` that came with the error, in seconds.
    package mutating func slowDown(to serverInterval: Int64?) {
        demand(min(max(interval + 5, serverInterval ?? 0), DeviceAuthorization.longestInterval))
    }

    /// Handles a lost connection or a server error: RFC 8628 recommends doubling the interval.
    package mutating func backOff() {
        interval = max(interval, min(interval * 2, DeviceAuthorization.longestInterval))
    }

    /// Handles a server error with a time at which the server will be available again.
    ///
    /// - Parameter seconds: used even if it is long, because an earlier request would be rejected as well.
    package mutating func postpone(by seconds: Int64) {
        backOff()
        demand(seconds)
    }

    private mutating func demand(_ seconds: Int64) {
        leastInterval = max(leastInterval, seconds)
        interval = max(interval, leastInterval)
    }
}
