import Synchronization

/// A server on loopback that says what it is told, whatever it is asked: it plays nobody.
///
/// It ends with the last reference to it.
package final class ScriptedServer: Sendable {
    /// What a connection meets before any answer.
    package enum Transport: Sendable {
        case tls
        /// TLS 1.0 and 1.1, and nothing newer.
        case oldTLS
        /// TLS, with a certificate of the client's.
        case mutualTLS
        /// The same, by TLS 1.2.
        case mutualTLS12
        /// HTTP at once: what a proxy speaks.
        case plain
        /// Nothing: it is taken, and nobody says a word.
        case silent
        /// TLS, and a reset right after the handshake.
        case rude
        /// A proxy, by whose tunnel everybody gets to one server who sends this `Proxy-Authorization`.
        case proxy(to: ScriptedServer, wants: String? = nil)
        /// The same by SOCKS 5 (RFC 1928).
        case socks(to: ScriptedServer)
    }

    /// The authority that clients must be told to trust (PEM).
    package let caFile: String
    /// The port on 127.0.0.1.
    package var port: UInt16 { UInt16(listener.port) }
    /// Every request, oldest first.
    package var requests: [Request] { play.state.withLock { $0.requests } }
    /// `HOST:PORT` of every tunnel that a proxy was asked for, in order.
    package var tunnels: [String] { play.state.withLock { $0.tunnels } }
    /// How many connections it has taken.
    package var connections: Int { play.state.withLock { $0.connections } }

    fileprivate let play: Play
    private let folder: TemporaryFolder
    private let listener: Listener

    /// Starts to listen.
    /// - Parameters:
    ///   - transport: How it speaks below HTTP.
    ///   - certificate: What it shows, if it speaks TLS.
    ///   - answers: One for each request, over all connections; the last one is repeated. `.genuine` is `{}`, with status 200.
    /// - Throws: `StandInError` if no socket can be had.
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

/// What a scripted server does with its connections, and what it has seen.
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
                // Closed at once, with a request unread, its alert would be lost.
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
        case .socks(let server):
            pass(try? connection.openSOCKSTunnel(), connection, to: server)
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

    /// Has a server go on where a tunnel ends.
    private func pass(_ target: String?, _ connection: consuming Connection, to server: ScriptedServer) {
        guard let target else { return }
        state.withLock { $0.tunnels.append(target) }
        server.play.serve(connection)
    }
}
