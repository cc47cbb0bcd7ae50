import CStandIn
import Glibc

/// One listening socket on 127.0.0.1, where a thread waits for clients; each client has a thread of its own.
final class Listener: Sendable {
    /// The port that the system chose.
    let port: Int
    private let sockets = SocketGroup()

    /// Starts listening; when it returns, connections are taken.
    /// - Parameter serve: What a client meets; its connection ends with it.
    /// - Throws: `StandInError` if the socket cannot be had.
    init(serve: @escaping @Sendable (consuming Connection) -> Void) throws(StandInError) {
        // No socket may be inherited by the programs that tests start: one that runs on would hold open what has been
        // closed here.
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

    /// How many clients are connected, the listening socket not counted.
    var clients: Int { max(0, sockets.count - 1) }

    deinit { sockets.end() }

    /// Closes the socket and every connection; when it returns nobody can connect, and no thread works any more.
    func stop() async {
        sockets.end()
        await sockets.whenClosed()
    }
}
