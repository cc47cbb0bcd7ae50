import CStandIn
import Glibc

/// A listening socket on 127.0.0.1 with one thread, and one thread for each client.
final class Listener: Sendable {
    let port: Int
    private let sockets = SocketGroup()

    /// Starts listening; connections are accepted when it returns.
    init(serve: @escaping @Sendable (consuming Connection) -> Void) throws(StandInError) {
        // Close-on-exec: a program that a test starts would otherwise keep closed connections open.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let listening = Socket(owning: socket(AF_INET, kind, 0), in: sockets)
        listening.set(SO_REUSEADDR, to: Int32(1))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let failure = withUnsafeMutableBytes(of: &address) { bytes in
            guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                bind(listening.descriptor, address, size) == 0, listen(listening.descriptor, SOMAXCONN) == 0,
                getsockname(listening.descriptor, address, &size) == 0
            else { return errno }
            return 0
        }
        guard failure == 0 else { throw StandInError("could not listen", code: failure) }
        self.port = Int(in_port_t(bigEndian: address.sin_port))
        listening.onThread { listening in
            while true {
                let client = accept4(listening.descriptor, nil, nil, Int32(SOCK_CLOEXEC.rawValue))
                if client >= 0 {
                    Socket(owning: client, in: listening.group).onThread { (socket: consuming Socket) in
                        serve(Connection(socket))
                    }
                } else if errno != ECONNABORTED {
                    return
                }
            }
        }
    }

    var clients: Int { max(0, sockets.count - 1) }

    deinit { sockets.end() }

    /// Closes all sockets; when it returns, connections are refused and all threads have ended.
    func stop() async {
        sockets.end()
        await sockets.whenClosed()
    }
}
