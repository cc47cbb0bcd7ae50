import Glibc

/// A socket that accepts connections and never sends a byte.
package final class SilentSocket: Sendable {
    private let descriptor: Int32

    /// Listens at a path.
    ///
    /// - Throws: `NeverHappened` if the path cannot be bound.
    package init(at path: String) throws {
        // The kernel completes connections without accept(2).
        descriptor = try UnixAddress.socket(at: path) { bind($0, $1, $2) == 0 && listen($0, 1) == 0 }
    }

    deinit { close(descriptor) }
}
