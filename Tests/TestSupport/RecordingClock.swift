internal import Helper

/// A clock that only waits advance.
package final class RecordingClock: Clock {
    /// Seconds since 1970 at the start of every test: 2023-11-14, 22:13:20 UTC.
    package static let start: Int64 = 1_700_000_000

    /// Milliseconds since the machine started.
    package private(set) var uptimeMilliseconds: Int64 = 5_000_000
    private var elapsedMilliseconds: Int64 = 0

    package init() {}
    package var now: Int64 { Self.start + elapsedMilliseconds / 1_000 }

    package func advance(milliseconds: Int64) {
        uptimeMilliseconds += milliseconds
        elapsedMilliseconds += milliseconds
    }
}
