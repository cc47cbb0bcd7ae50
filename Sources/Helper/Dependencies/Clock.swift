/// The time, as the machine tells it.
package protocol Clock {
    /// Seconds since 1970, for expiries that a server or git will compare.
    var now: Int64 { get }
    /// Milliseconds since the machine started, suspend included (`CLOCK_BOOTTIME`), for waiting.
    var uptimeMilliseconds: Int64 { get }
}
