import Glibc

/// A socket on which connections succeed, and nobody ever says a word.
package final class SilentSocket: Sendable {
    private let descriptor: Int32

    /// Listens at a path.
    ///
    /// - Throws: `NeverHappened` if that is not possible.
    package init(at path: String) throws {
        // The kernel completes a connection before anybody accepts it.
        descriptor = try UnixAddress.socket(at: path) { bind($0, $1, $2) == 0 && listen($0, 1) == 0 }
    }

    deinit { close(descriptor) }
}
