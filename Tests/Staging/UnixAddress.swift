internal import Glibc

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
