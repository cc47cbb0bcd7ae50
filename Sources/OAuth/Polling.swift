/// When to poll: RFC 8628, 3.5, and what GitHub really does.
///
/// GitHub checks the rate before it looks at the grant. A client that is some milliseconds early gets `slow_down` for ever
/// and never sees its token; hence a wait before the first poll, counted from the end of the last answer, and a margin
/// for clocks that run fast (those of virtual machines do, by up to a fifth).
package struct Polling {
    /// Seconds between two polls, as agreed with the server so far.
    package private(set) var interval: Int64

    /// Starts at the interval of the device authorization response, in seconds.
    package init(interval: Int64) { self.interval = interval }

    /// Milliseconds to wait from the end of the last answer.
    package var wait: Int64 { interval * 1_200 }

    /// `slow_down`: five seconds more, or what the server now asks for if that is more, for all later polls.
    ///
    /// - Parameter serverInterval: the `interval` that came with the error, in seconds.
    package mutating func slowDown(to serverInterval: Int64?) {
        raise(to: min(max(interval + 5, serverInterval ?? 0), DeviceAuthorization.longestInterval))
    }

    /// A lost connection or a server in trouble: RFC 8628 recommends to double the interval.
    ///
    /// - Parameter retryAfter: what the server asked for, in seconds; it is obeyed even if it is long, since a request
    ///   that comes too early would be refused as well.
    package mutating func backOff(retryAfter: Int64?) {
        raise(to: max(min(interval * 2, DeviceAuthorization.longestInterval), retryAfter ?? 0))
    }

    private mutating func raise(to seconds: Int64) { interval = max(interval, seconds) }
}
