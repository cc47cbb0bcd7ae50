import CurlTransport
import Providers
import StandIn
import System
import Testing

@Suite("No request waits for ever")
struct DeadlineTests {
    /// Fails with `.timedOut`, and by the one limit that is short: the others are two hours.
    private func expectTimeout(_ server: ScriptedServer, _ shorten: (inout TransportTimeouts) -> Void) {
        var timeouts = TransportTimeouts.unlimited
        shorten(&timeouts)
        #expect(failure(of: server, timeouts: timeouts) == .timedOut)
    }

    @Test("unless a test sets them, the limits are those that are promised")
    func promised() {
        let timeouts = TransportTimeouts()
        #expect([timeouts.connect, timeouts.total, timeouts.silence] == [.seconds(10), .seconds(30), .seconds(15)])
    }

    @Test("a server that accepts and says nothing fails to connect in time")
    func handshake() throws {
        expectTimeout(try ScriptedServer(.silent)) { $0.connect = .milliseconds(300) }
    }

    @Test("a server that falls silent is given up")
    func silence() throws {
        expectTimeout(try ScriptedServer(answers: .silence)) { $0.silence = .seconds(1) }
    }

    @Test("one byte a second is not silence, and ends all the same")
    func drip() throws {
        expectTimeout(try ScriptedServer(answers: .drip())) { $0.total = .milliseconds(2_500) }
    }

    @Test("a request's own deadline ends it before the transport's limits do")
    func ownDeadline() throws {
        let server = try ScriptedServer(answers: .silence)
        let curl = CurlTransport(server.trusted())
        let deadline = SystemClock().uptimeMilliseconds + 500
        #expect(throws: TransportError.timedOut) {
            try curl.send(HTTPRequest(.get, server.address(), deadline: deadline))
        }
    }

    @Test("after its deadline nothing is sent any more")
    func deadlineBefore() throws {
        let server = try ScriptedServer()
        let curl = CurlTransport(server.trusted())
        let deadline = SystemClock().uptimeMilliseconds
        #expect(throws: TransportError.timedOut) {
            try curl.send(HTTPRequest(.get, server.address(), deadline: deadline))
        }
        #expect(server.connections == 0)
    }

    @Test(
        "Ctrl-C is felt while a server is silent: it is looked for ten times a second",
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

    @Test("after Ctrl-C nothing is sent any more")
    func interruptedBefore() throws {
        let server = try ScriptedServer()
        let curl = CurlTransport(server.trusted(), isInterrupted: { true })
        #expect(throws: TransportError.interrupted) { try curl.send(HTTPRequest(.get, server.address())) }
        #expect(server.connections == 0)
    }

    @Test("a request that spends a refresh token is not interrupted")
    func uninterruptible() throws {
        let server = try ScriptedServer()
        let curl = CurlTransport(server.trusted(), isInterrupted: { true })
        #expect(try curl.send(HTTPRequest(.post, server.address(), isInterruptible: false)).status == 200)
    }
}
