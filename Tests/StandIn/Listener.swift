import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// One listening socket on 127.0.0.1 with all connections that it took.
final class Listener: Sendable {
    /// What a new connection gets.
    typealias Setup = @Sendable (any Channel) throws -> Void

    /// The port that the system chose.
    let port: Int
    private let server: any Channel
    private let connections: Connections

    /// Starts listening; returns when connections are taken.
    /// - Parameters:
    ///   - port: 0 lets the system choose.
    ///   - setup: Adds the handlers of every new connection.
    /// - Throws: NIO's error if the socket cannot be had.
    init(port: Int = 0, setup: @escaping Setup) async throws {
        let connections = Connections()
        self.connections = connections
        server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try Self.closeOnExec(channel) }
            }
            .childChannelInitializer { channel in
                connections.add(channel)
                return channel.eventLoop.makeCompletedFuture {
                    try Self.closeOnExec(channel)
                    try setup(channel)
                }
            }
            .bind(host: "127.0.0.1", port: port)
            .get()
        self.port = server.localAddress?.port ?? 0
    }

    deinit {
        server.close(promise: nil)
        connections.closeAll()
    }

    /// Closes the socket and every connection; when it returns nobody can connect.
    func stop() async {
        // The only error is that it is closed already.
        try? await server.close()
        connections.closeAll()
    }

    /// Keeps a socket out of the programs that tests start, which NIO does not do by itself: a program that runs on
    /// would otherwise hold open what has been closed here.
    private static func closeOnExec(_ channel: any Channel) throws {
        try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { socket in
            _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        }
    }

    /// The open connections.
    private final class Connections: Sendable {
        private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])

        /// Remembers a connection until it is closed.
        func add(_ channel: any Channel) {
            let key = ObjectIdentifier(channel)
            channels.withLock { $0[key] = channel }
            channel.closeFuture.whenComplete { [self] _ in
                channels.withLock { $0[key] = nil }
            }
        }

        /// Closes what is open.
        func closeAll() {
            for channel in channels.withLock({ Array($0.values) }) { channel.close(promise: nil) }
        }
    }
}
