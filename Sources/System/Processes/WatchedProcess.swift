internal import Glibc

/// A process that may end while we wait, identified by its process ID and its start time, because IDs are reused.
package struct WatchedProcess {
    private let number: pid_t
    private let start: [UInt8]

    /// Watches a running process; nil if it has already ended.
    init?(_ number: pid_t) {
        guard let start = ProcessEntry.start(of: number) else { return nil }
        self.number = number
        self.start = start
    }

    /// Whether it has ended.
    package var hasEnded: Bool { ProcessEntry.start(of: number) != start }
}
