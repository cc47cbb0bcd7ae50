import Synchronization

/// A server on loopback that sends prepared answers, whatever the requests are.
///
/// It stops with the last reference to it.
package final class ScriptedServer: Sendable {
    /// The protocol below HTTP.
    package enum Transport: Sendable {
        case tls
        /// TLS 1.0 and 1.1 only.
        case oldTLS
        /// TLS that requires a client certificate.
        case mutualTLS
        case mutualTLS12
        /// HTTP without TLS, as a proxy speaks it.
        case plain
        /// Accepts connections, and never sends a byte.
        case silent
        /// TLS, and a reset right after the handshake.
        case rude
        /// An HTTP proxy whose tunnels all lead to one server, for clients that send this `Proxy-Authorization`.
        case proxy(to: ScriptedServer, wants: String? = nil)
        /// A SOCKS 5 proxy (RFC 1928) whose tunnels all lead to one server.
        case socks(to: ScriptedServer)
    }

    /// The file of the authority that clients must trust (PEM).
    package let caFile: String
    package var port: UInt16 { UInt16(listener.port) }
    package var requests: [Request] { play.state.withLock { $0.requests } }
    /// The `HOST:PORT` of all tunnel requests to a proxy, in order.
    package var tunnels: [String] { play.state.withLock { $0.tunnels } }
    package var connections: Int { play.state.withLock { $0.connections } }
    fileprivate let play: Play
    private let folder: TemporaryFolder
    private let listener: Listener

    /// Starts the server with one answer for each request, over all connections; the last one repeats.
    ///
    /// `.genuine` is `{}` with status 200. Throws `StandInError` if a socket cannot be opened.
    package init(
        _ transport: Transport = .tls, certificate: ServerCertificate = .valid, answers: ScriptedAnswer...
    ) throws {
        folder = try TemporaryFolder()
        caFile = "\(folder.path)/ca.pem"
        let isOld = if case .oldTLS = transport { true } else { false }
        let isTLS12 = if case .mutualTLS12 = transport { true } else { false }
        let isMutual = if case .mutualTLS = transport { true } else { isTLS12 }
        let tls = try TLSContext(
            certificate: certificate.make(authority: caFile), isOld: isOld, isTLS12: isTLS12,
            wantsCertificate: isMutual)
        let play = Play(transport, tls, answers: answers.isEmpty ? [.genuine] : answers)
        self.play = play
        listener = try Listener { (connection: consuming Connection) in play.serve(connection) }
    }
}

/// The connections of a scripted server, and what it has recorded.
private final class Play: Sendable {
    struct State {
        var connections = 0
        var tunnels: [String] = []
        var requests: [Request] = []
        var answers: [ScriptedAnswer]
    }

    let state: Mutex<State>
    private let transport: ScriptedServer.Transport
    private let tls: TLSContext

    init(_ transport: ScriptedServer.Transport, _ tls: consuming TLSContext, answers: [ScriptedAnswer]) {
        self.transport = transport
        self.tls = tls
        state = Mutex(State(answers: answers))
    }

    func serve(_ connection: consuming Connection) {
        state.withLock { $0.connections += 1 }
        switch transport {
        case .silent: _ = connection.stays(for: nil)
        case .plain: converse(connection)
        case .tls, .oldTLS, .mutualTLS, .mutualTLS12:
            guard (try? connection.startTLS(tls)) != nil else {
                // Wait for the client to close: closing with unread data sends a reset, and the alert would be lost.
                _ = connection.stays(for: nil)
                return
            }
            converse(connection)
        case .rude:
            guard (try? connection.startTLS(tls)) != nil else { return }
            connection.reset()
        case .proxy(let server, let wanted):
            let tunnel = connection.openTunnel { request in
                record(request)
                return wanted == nil || request.headers["proxy-authorization"] == wanted ? nil : .proxyRefusal
            }
            pass(tunnel, connection, to: server)
        case .socks(let server): pass(try? connection.openSOCKSTunnel(), connection, to: server)
        }
    }

    private func converse(_ connection: consuming Connection) {
        connection.serve { request in
            record(request)
            let answer = state.withLock { $0.answers.count > 1 ? $0.answers.removeFirst() : $0.answers[0] }
            return answer.resolved { .json([:]) }
        }
    }

    private func record(_ request: Request) { state.withLock { $0.requests.append(request) } }

    /// Serves a tunnelled connection as the server at its end.
    private func pass(_ target: String?, _ connection: consuming Connection, to server: ScriptedServer) {
        guard let target else { return }
        state.withLock { $0.tunnels.append(target) }
        server.play.serve(connection)
    }
}
