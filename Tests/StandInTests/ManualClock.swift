import Synchronization

/// A clock that moves only when told to.
final class ManualClock: Sendable {
    private let seconds = Mutex(1_700_000_000.0)

    /// Seconds since 1970.
    var now: Double { seconds.withLock { $0 } }

    /// Lets so many seconds pass.
    func advance(_ interval: Double) { seconds.withLock { $0 += interval } }
}
