import Glibc

/// A socket that accepts connections and never sends a byte.
package final class SilentSocket: Sendable {
    private let descriptor: Int32

    /// Listens at a path.
    package init(at path: String) throws {
        // The kernel completes connections without accept(2).
        descriptor = try UnixAddress.bound(to: path)
        listen(descriptor, 1)
    }

    /// How many bytes were sent by those whom the kernel has let in so far, who are then disconnected.
    package func heard() -> Int {
        var count = 0
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&waiting, 1, 0) > 0 {
            let connection = accept(descriptor, nil, nil)
            var buffer = [UInt8](repeating: 0, count: 4_096)
            count += max(0, recv(connection, &buffer, buffer.count, Int32(MSG_DONTWAIT)))
            close(connection)
        }
        return count
    }

    deinit { close(descriptor) }
}
