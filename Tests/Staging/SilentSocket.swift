import Foundation
import Glibc

/// A socket on which connections succeed, and nobody ever says a word.
package final class SilentSocket: Sendable {
    private let descriptor: Int32

    /// Listens at a path.
    ///
    /// - Throws: `NeverHappened` if that is not possible.
    package init(at path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isListening = withUnsafeBytes(of: &address) { bytes in
            guard let address = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress else { return false }
            // The kernel completes a connection before anybody accepts it.
            return bind(descriptor, address, socklen_t(bytes.count)) == 0 && listen(descriptor, 1) == 0
        }
        guard isListening else { throw NeverHappened(description: "no socket at \(path): error \(errno)") }
    }

    deinit { close(descriptor) }
}
