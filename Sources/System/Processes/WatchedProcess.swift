internal import Glibc

/// A process that may end while we wait, told by its number and the time of its start: numbers are used again.
package struct WatchedProcess {
    private let number: pid_t
    private let start: [UInt8]

    /// A process that runs now; nil if it has ended already.
    init?(_ number: pid_t) {
        guard let start = ProcessEntry.start(of: number) else { return nil }
        self.number = number
        self.start = start
    }

    /// Whether it has ended.
    package var hasEnded: Bool { ProcessEntry.start(of: number) != start }
}
