internal import CProcess
internal import Glibc

/// The process at the other end of a Unix socket (unix(7), SO_PEERCRED), by IDs in our own namespaces.
package struct Peer: Equatable, Sendable {
    /// Only to be shown: the process may have ended.
    package let process: Int32
    /// The effective user ID.
    package let user: UInt32

    package init(process: Int32, user: UInt32) {
        self.process = process
        self.user = user
    }
}

/// The user at the other end of a local connection, as reported by the kernel.
package enum PeerUser {
    /// `nil` if the kernel reports no peer of a Unix socket.
    package static func peer(of connection: Int32) -> Peer? {
        var peer = gitspace_peer()
        guard gitspace_peer_of(connection, &peer) == 0 else { return nil }
        return Peer(process: peer.process, user: peer.user)
    }

    static func isTrusted(_ user: UInt32) -> Bool { user != nobody && [0, geteuid()].contains(user) }

    /// The user ID for users that our user namespace does not map, possibly including us (user_namespaces(7)).
    static let nobody: UInt32 = 65_534

    // TCP has no SO_PEERCRED, so the peer's socket is found by its addresses (sock_diag(7)).

    /// Whether the kernel reports owners; `listener` is a listening socket of ours.
    package static func isKnown(at listener: Int32) -> Bool {
        guard let own = Endpoint(of: listener, by: getsockname) else { return false }
        return socket(at: own, connectedTo: Endpoint(anyOf: own)) != nil
    }

    package static func port(of listener: Int32) -> UInt16? {
        Endpoint(of: listener, by: getsockname).map { UInt16(bigEndian: $0.port) }
    }

    /// Whether a TCP connection comes from our own or a root process.
    package static func isTrusted(atTCP connection: Int32) -> Bool {
        guard let peer = Endpoint(of: connection, by: getpeername), let own = Endpoint(of: connection, by: getsockname),
            let socket = socket(at: peer, connectedTo: own)
        else { return false }
        // A socket that its owner has closed reports user ID 0.
        guard socket.idiag_state == established, socket.idiag_inode != 0, isTrusted(socket.idiag_uid) else {
            return false
        }
        // If the connection was reset, another process may own the port now.
        return Endpoint(of: connection, by: getpeername) == peer
    }

    /// TCP_ESTABLISHED of <netinet/tcp.h>.
    private static let established: UInt8 = 1

    /// `nil` if the socket is not in our network namespace, or the kernel reports none.
    private static func socket(at own: Endpoint, connectedTo other: Endpoint) -> inet_diag_msg? {
        let kind = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue)
        guard let kernel = FileDescriptor(Glibc.socket(AF_NETLINK, kind, NETLINK_SOCK_DIAG)) else { return nil }
        var request = inet_diag_req_v2()
        request.sdiag_family = UInt8(own.family)
        request.sdiag_protocol = UInt8(IPPROTO_TCP)
        request.id.idiag_sport = own.port
        request.id.idiag_dport = other.port
        request.id.idiag_src = own.address
        request.id.idiag_dst = other.address
        // INET_DIAG_NOCOOKIE: any cookie.
        request.id.idiag_cookie = (.max, .max)
        var header = nlmsghdr()
        header.nlmsg_len = UInt32(headerSize + MemoryLayout<inet_diag_req_v2>.size)
        header.nlmsg_type = UInt16(SOCK_DIAG_BY_FAMILY)
        header.nlmsg_flags = UInt16(NLM_F_REQUEST)
        let question = withUnsafeBytes(of: header) { Array($0) } + withUnsafeBytes(of: request) { Array($0) }
        guard send(kernel.number, question, question.count, 0) == question.count else { return nil }
        // The kernel has answered before send(2) returns; attributes may follow.
        var answer = [UInt8](repeating: 0, count: 1_024)
        let count = recv(kernel.number, &answer, answer.count, Int32(MSG_DONTWAIT))
        guard count >= headerSize + MemoryLayout<inet_diag_msg>.size else { return nil }
        return answer.withUnsafeBytes { bytes in
            guard bytes.loadUnaligned(as: nlmsghdr.self).nlmsg_type == SOCK_DIAG_BY_FAMILY else { return nil }
            let socket = bytes.loadUnaligned(fromByteOffset: headerSize, as: inet_diag_msg.self)
            return socket.id.idiag_sport == own.port && socket.id.idiag_dport == other.port ? socket : nil
        }
    }

    /// The process that listens on a port of the loopback, as people find it; `nil` if it is not ours, or hidden.
    package static func listening(at port: UInt16) -> String? {
        let links = [AF_INET, AF_INET6].compactMap { family -> String? in
            let own = Endpoint(loopbackOf: family, port)
            return socket(at: own, connectedTo: Endpoint(anyOf: own)).map { "socket:[\($0.idiag_inode)]" }
        }
        guard !links.isEmpty else { return nil }
        for process in FolderList.names(in: "/proc", atMost: 100_000).compactMap({ pid_t($0) }) {
            let folder = "/proc/\(process)/fd"
            for name in FolderList.names(in: folder, atMost: 10_000) {
                let target = try? Path.target(ofLink: "\(folder)/\(name)")
                guard let target, links.contains(target) else { continue }
                return ProcessEntry.name(of: process).map { "\($0) (PID \(process))" } ?? "PID \(process)"
            }
        }
        return nil
    }

    private static let headerSize = MemoryLayout<nlmsghdr>.size

    /// Network byte order.
    private struct Endpoint: Equatable {
        let family: Int32
        let port: UInt16
        private let words: [UInt32]

        var address: (UInt32, UInt32, UInt32, UInt32) { (words[0], words[1], words[2], words[3]) }

        /// `nil` if getsockname(2) or getpeername(2) fails, as after a reset, or for another protocol.
        init?(
            of socket: Int32, by name: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
        ) {
            // The longer of the two kinds; both have the port at the same place.
            var storage = sockaddr_in6()
            var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
            let result = withUnsafeMutableBytes(of: &storage) { bytes in
                bytes.assumingMemoryBound(to: sockaddr.self).baseAddress.map { name(socket, $0, &length) }
            }
            family = Int32(storage.sin6_family)
            guard result == 0, family == AF_INET || family == AF_INET6 else { return nil }
            port = storage.sin6_port
            let start =
                family == AF_INET
                ? MemoryLayout<sockaddr_in>.offset(of: \.sin_addr) : MemoryLayout<sockaddr_in6>.offset(of: \.sin6_addr)
            let count = family == AF_INET ? 1 : 4
            words = withUnsafeBytes(of: storage) { bytes in
                (0..<4).map {
                    $0 < count ? bytes.loadUnaligned(fromByteOffset: (start ?? 0) + $0 * 4, as: UInt32.self) : 0
                }
            }
        }

        /// 127.0.0.1 or ::1.
        init(loopbackOf family: Int32, _ port: UInt16) {
            self.family = family
            self.port = port.bigEndian
            words = family == AF_INET ? [UInt32(0x7f00_0001).bigEndian, 0, 0, 0] : [0, 0, 0, UInt32(1).bigEndian]
        }

        /// The address and port of no particular socket.
        init(anyOf other: Endpoint) {
            family = other.family
            port = 0
            words = [0, 0, 0, 0]
        }
    }
}
