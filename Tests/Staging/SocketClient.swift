import Glibc

/// One connection to a socket on this machine, byte by byte; every wait has a limit.
package final class SocketClient: Sendable {
    private let descriptor: Int32

    /// Connects; succeeds as soon as the kernel queues the connection, even before accept(2).
    package init(to path: String) throws { descriptor = try UnixAddress.connected(to: path) }

    /// Connects over loopback.
    package init(toPort port: UInt16, ipv6: Bool = false) throws {
        descriptor = Glibc.socket(ipv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var v4 = sockaddr_in()
        v4.sin_family = sa_family_t(AF_INET)
        v4.sin_port = port.bigEndian
        v4.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        var v6 = sockaddr_in6()
        v6.sin6_family = sa_family_t(AF_INET6)
        v6.sin6_port = port.bigEndian
        v6.sin6_addr = in6addr_loopback
        func connect(_ bytes: UnsafeRawBufferPointer) -> Int32 {
            Glibc.connect(descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(bytes.count))
        }
        guard (ipv6 ? withUnsafeBytes(of: v6, connect) : withUnsafeBytes(of: v4, connect)) == 0 else {
            // deinit closes the socket.
            throw NeverHappened(description: "nobody listens on port \(port): error \(errno)")
        }
    }

    /// Connects, sends a request and ends the input.
    package convenience init(to path: String, sending request: [UInt8]) throws {
        try self.init(to: path)
        send(request)
        endInput()
    }

    /// The end of a connection that was accepted.
    package init(owning descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Sends bytes of which no copy is made here.
    package func send(_ bytes: UnsafeRawBufferPointer) {
        _ = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Sends bytes; fails quietly if the other end is closed.
    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Whether the other end has read everything sent (unix(7), SIOCOUTQ).
    package var isRead: Bool {
        var count: Int32 = 0
        return ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 && count == 0
    }

    /// Whether the other end has not closed the connection, or left something to read.
    var isOpen: Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        return count > 0 || count == -1 && errno == EAGAIN
    }

    /// Shuts down the sending direction.
    package func endInput() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// So many bytes, waited for likewise.
    package func received(_ count: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        try await eventually("\(count) bytes of a connection") {
            bytes += received(atMost: count - bytes.count) ?? []
            return bytes.count == count
        }
        return bytes
    }

    /// Everything up to a text, waited for likewise, and whatever has come behind it.
    package func received(upTo text: String) async throws -> String {
        var bytes: [UInt8] = []
        try await eventually("\(text) of a connection: \(String(decoding: bytes, as: UTF8.self))") {
            bytes += received(atMost: 65_536) ?? []
            return String(decoding: bytes, as: UTF8.self).contains(text)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the bytes that have arrived, or `nil` if there are none.
    func received(atMost most: Int) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: most)
        let count = recv(descriptor, &buffer, most, Int32(MSG_DONTWAIT))
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    /// Reads until the connection ends, without blocking other tests.
    package func answer() async throws -> String {
        var bytes: [UInt8] = []
        try await eventually("the end of a connection") {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
                if count < 0 { return errno != EAGAIN }
                if count == 0 { return true }
                bytes += buffer[..<count]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
