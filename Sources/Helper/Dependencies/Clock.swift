/// The clocks of the machine.
package protocol Clock {
    /// Seconds since 1970, for expiry times that a server or git will compare.
    var now: Int64 { get }
    /// Milliseconds since the machine started, including suspend (`CLOCK_BOOTTIME`), for waiting.
    var uptimeMilliseconds: Int64 { get }
}
