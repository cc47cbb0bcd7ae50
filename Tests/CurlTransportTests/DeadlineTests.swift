import CurlTransport
import Providers
import StandIn
import System
import Testing

@Suite("Time limits")
struct DeadlineTests {
    /// Expects `.timedOut` because of the one limit that is shortened; all others are two hours.
    private func expectTimeout(_ server: ScriptedServer, _ shorten: (inout TransportTimeouts) -> Void) {
        var timeouts = TransportTimeouts.unlimited
        shorten(&timeouts)
        #expect(failure(of: server, timeouts: timeouts) == .timedOut)
    }

    @Test("uses the documented limits by default")
    func promised() {
        let timeouts = TransportTimeouts()
        #expect([timeouts.connect, timeouts.total, timeouts.silence] == [.seconds(10), .seconds(30), .seconds(15)])
    }

    @Test("limits the time to connect to a server that accepts and stays silent")
    func handshake() throws { expectTimeout(try ScriptedServer(.silent)) { $0.connect = .milliseconds(300) } }

    @Test("limits the silence of a server")
    func silence() throws { expectTimeout(try ScriptedServer(answers: .silence)) { $0.silence = .seconds(1) } }

    @Test("limits the whole request if a server sends one byte a second")
    func drip() throws { expectTimeout(try ScriptedServer(answers: .drip())) { $0.total = .milliseconds(2_500) } }

    @Test("ends a request at its own deadline before the transport's limits, and sends nothing after it")
    func ownDeadline() throws {
        for milliseconds: Int64 in [0, 500] {
            let server = try ScriptedServer(answers: .silence)
            let deadline = SystemClock().uptimeMilliseconds + milliseconds
            #expect(throws: TransportError.timedOut) {
                try CurlTransport(server.trusted()).send(HTTPRequest(.get, server.address(), deadline: deadline))
            }
            #expect(server.connections == 0 || milliseconds > 0)
        }
    }

    @Test(
        "notices Ctrl-C within a tenth of a second while a server is silent",
        arguments: [ScriptedServer.Transport.silent, .tls])
    func interruption(transport: ScriptedServer.Transport) throws {
        let server = try ScriptedServer(transport, answers: .silence)
        var looks = 0
        let curl = CurlTransport(
            server.trusted(),
            isInterrupted: {
                looks += 1
                return looks > 100
            })
        #expect(throws: TransportError.interrupted) { try curl.send(HTTPRequest(.get, server.address())) }
    }

    @Test("sends nothing after Ctrl-C, except a request that spends a refresh token")
    func interruptedBefore() throws {
        let server = try ScriptedServer()
        let curl = CurlTransport(server.trusted(), isInterrupted: { true })
        #expect(throws: TransportError.interrupted) { try curl.send(HTTPRequest(.get, server.address())) }
        #expect(server.connections == 0)
        #expect(try curl.send(HTTPRequest(.post, server.address(), isInterruptible: false)).status == 200)
    }
}
