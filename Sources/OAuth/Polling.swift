/// When to poll: RFC 8628, 3.5, and what GitHub really does.
///
/// GitHub checks the rate before it looks at the grant. A client that is some milliseconds early gets `slow_down` for ever
/// and never sees its token; hence a wait before the first poll, counted from the end of the last answer, and a margin
/// for clocks that run fast (those of virtual machines do, by up to a fifth).
package struct Polling {
    /// Seconds between two polls: what the server wants, or more.
    package private(set) var interval: Int64
    /// Seconds before which the server would refuse the next poll: what it has asked for so far.
    private var leastInterval: Int64

    /// Starts at the interval of the device authorization response, in seconds.
    package init(interval: Int64) {
        self.interval = interval
        leastInterval = interval
    }

    /// Milliseconds to wait from the end of the last answer.
    package var wait: Int64 { interval * 1_200 }

    /// Milliseconds to wait for the next poll of a code that ends.
    ///
    /// The last poll is brought forward, so that what is approved in the last moments is not missed after a wait that was
    /// made long by faults.
    ///
    /// - Parameter left: milliseconds after which a poll is of no use.
    /// - Returns: nil if no further poll is.
    package func wait(within left: Int64) -> Int64? {
        if wait <= left { return wait }
        return leastInterval * 1_000 <= left ? left : nil
    }

    /// `slow_down`: five seconds more, or what the server now asks for if that is more, for all later polls.
    ///
    /// - Parameter serverInterval: the `interval` that came with the error, in seconds.
    package mutating func slowDown(to serverInterval: Int64?) {
        demand(min(max(interval + 5, serverInterval ?? 0), DeviceAuthorization.longestInterval))
    }

    /// A lost connection or a server in trouble: RFC 8628 recommends to double the interval.
    package mutating func backOff() {
        interval = max(interval, min(interval * 2, DeviceAuthorization.longestInterval))
    }

    /// A server in trouble that says when it will answer again.
    ///
    /// - Parameter seconds: obeyed even if it is long, since a request that comes too early would be refused as well.
    package mutating func postpone(by seconds: Int64) {
        backOff()
        demand(seconds)
    }

    private mutating func demand(_ seconds: Int64) {
        leastInterval = max(leastInterval, seconds)
        interval = max(interval, leastInterval)
    }
}
