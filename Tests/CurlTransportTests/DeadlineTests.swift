import CurlTransport
import OAuth
import Testing

@Suite("No request waits for ever")
struct DeadlineTests {
    private let clock = ContinuousClock()

    /// Fails with `.timedOut`, and long before the limits that were left at their defaults.
    private func expectTimeout(_ server: ScriptedServer, _ timeouts: TransportTimeouts) {
        let start = clock.now
        #expect(failure(of: server, timeouts: timeouts) == .timedOut)
        #expect(clock.now - start < .seconds(8))
    }

    @Test("a server that accepts and says nothing fails to connect in time")
    func handshake() throws {
        expectTimeout(try ScriptedServer(.silent), TransportTimeouts(connect: .milliseconds(300)))
    }

    @Test("a server that falls silent is given up")
    func silence() throws {
        expectTimeout(try ScriptedServer(answers: [.hang]), TransportTimeouts(silence: .seconds(1)))
    }

    @Test("one byte a second is not silence, and ends all the same")
    func drip() throws {
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n"
        expectTimeout(
            try ScriptedServer(answers: [.drip(secondsPerByte: 1, answer)]),
            TransportTimeouts(total: .milliseconds(2_500)))
    }

    @Test("Ctrl-C is felt within 200 ms while a server is silent", arguments: [ScriptedServer.Transport.silent, .tls])
    func interruption(transport: ScriptedServer.Transport) throws {
        let server = try ScriptedServer(transport, answers: [.hang])
        let pressed = clock.now + .milliseconds(500)
        let curl = CurlTransport(settings: .test, isInterrupted: { clock.now >= pressed })
        #expect(throws: TransportError.interrupted) { try curl.send(HTTPRequest(.get, server.address())) }
        #expect(clock.now - pressed < .milliseconds(200))
    }

    @Test("after Ctrl-C nothing is sent any more")
    func interruptedBefore() throws {
        let server = try ScriptedServer()
        let curl = CurlTransport(settings: .test, isInterrupted: { true })
        #expect(throws: TransportError.interrupted) { try curl.send(HTTPRequest(.get, server.address())) }
        #expect(try server.finish().connections == 0)
    }

    @Test("a request that spends a refresh token is not interrupted")
    func uninterruptible() throws {
        let server = try ScriptedServer()
        let curl = CurlTransport(settings: .test, isInterrupted: { true })
        #expect(try curl.send(HTTPRequest(.post, server.address(), isInterruptible: false)).status == 200)
    }
}
