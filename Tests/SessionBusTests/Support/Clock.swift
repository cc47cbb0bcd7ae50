import System

/// The clock of the reader's deadline.
enum Clock {
    /// The uptime in milliseconds.
    static var now: Int64 { SystemClock().uptimeMilliseconds }
}
