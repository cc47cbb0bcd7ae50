import Glibc

/// A port of 127.0.0.1 that refuses connections and stays reserved as long as the object lives.
package final class ClosedPort: Sendable {
    package let number: UInt16
    private let descriptor: Int32

    /// Reserves a free port with a socket that never listens.
    package init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isBound = withUnsafeMutableBytes(of: &address) { bytes in
            guard let address = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress else { return false }
            return bind(descriptor, address, size) == 0 && getsockname(descriptor, address, &size) == 0
        }
        number = UInt16(bigEndian: address.sin_port)
        // deinit closes it.
        guard isBound else { throw NeverHappened(description: "no free port: error \(errno)") }
    }

    deinit { close(descriptor) }
}
