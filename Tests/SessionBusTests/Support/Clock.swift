import System

/// The clock by which the reader's deadline counts.
enum Clock {
    /// Milliseconds of uptime.
    static var now: Int64 { SystemClock().uptimeMilliseconds }
}
