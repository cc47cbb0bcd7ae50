import Foundation
import Glibc
import StandIn
import Synchronization

/// One connection to a socket on this machine, byte by byte; every wait has a limit.
package final class SocketClient: Sendable {
    private let descriptor: Int32

    /// Connects; succeeds as soon as the kernel queues the connection, even before accept(2).
    package init(to path: String) throws { descriptor = try UnixAddress.connected(to: path) }

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
            while let more = received(atMost: 65_536) { bytes += more }
            return !isOpen
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Stream sockets with a path as their address (unix(7)).
package enum UnixAddress {
    package static func connected(to path: String) throws -> Int32 { try socket(at: path) { connect($0, $1, $2) == 0 } }
    package static func bound(to path: String) throws -> Int32 { try socket(at: path) { bind($0, $1, $2) == 0 } }

    /// Makes a stream socket, and makes one call with it and the address.
    private static func socket(
        at path: String, _ call: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Bool
    ) throws -> Int32 {
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isDone = withUnsafeBytes(of: &address) { bytes in
            guard let address = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress else { return false }
            return call(descriptor, address, socklen_t(bytes.count))
        }
        guard isDone else {
            let failure = NeverHappened(description: "no socket at \(path): error \(errno)")
            close(descriptor)
            throw failure
        }
        return descriptor
    }
}

/// A socket that accepts connections and never sends a byte.
package final class SilentSocket: Sendable {
    private let descriptor: Int32

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

/// Clients that connect without a pause, send the same bytes and read no answer, until connections are refused.
package final class Flood: Sendable {
    private let count = Atomic<Int>(0)
    private let isOver = Atomic<Bool>(false)
    package var connections: Int { count.load(ordering: .relaxed) }

    package init(at path: String, clients: Int = 4, sending bytes: [UInt8]) {
        for _ in 0..<clients {
            Thread.detachNewThread { [self] in
                while !isOver.load(ordering: .relaxed), let client = try? SocketClient(to: path) {
                    client.send(bytes)
                    count.add(1, ordering: .relaxed)
                }
            }
        }
    }

    package func stop() { isOver.store(true, ordering: .relaxed) }
}

/// A port of 127.0.0.1 that refuses connections and stays reserved as long as the object lives.
package final class ClosedPort: Sendable {
    package let number: UInt16
    private let descriptor: Int32

    /// Reserves a free port with a socket that never listens.
    package init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        number = try bindToLoopback(descriptor)
    }

    deinit { close(descriptor) }
}

/// A pipe whose reader can be closed while a program writes, as when git has exited.
///
/// It has a name so that both ends can be opened close-on-exec, and no other program inherits them.
package final class NamedPipe: Sendable {
    package let writer: Int32
    private let reader: Mutex<Int32>

    package init(in folder: String) throws {
        let path = folder + "/pipe-\(UUID().uuidString)"
        guard mkfifo(path, 0o600) == 0 else { throw NeverHappened(description: "no pipe: error \(errno)") }
        // O_NONBLOCK: opening the reader first would otherwise wait for a writer.
        reader = Mutex(open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC))
        writer = open(path, O_WRONLY | O_CLOEXEC)
        unlink(path)
        guard writer >= 0 else { throw NeverHappened(description: "no pipe: error \(errno)") }
    }

    deinit {
        closeReader()
        close(writer)
    }

    package func closeReader() {
        reader.withLock { reader in
            if reader >= 0 { close(reader) }
            reader = -1
        }
    }
}
