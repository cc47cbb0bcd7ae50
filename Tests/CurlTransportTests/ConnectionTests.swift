import CredentialCore
import Providers
import Staging
import StandIn
import System
import Testing

@testable import CurlTransport

@Suite("Connections")
struct ConnectionTests {
    @Test("sends three requests to a host over one connection")
    func reuse() throws {
        let server = try ScriptedServer()
        let transport = CurlTransport(server.trusted())
        for _ in 1...3 {
            #expect(
                try transport.send(HTTPRequest(.post, server.address(), body: .form(Secret("a=1".utf8)))).status == 200)
        }
        #expect(server.requests.count == 3 && server.connections == 1)
    }

    @Test("resets token, body and method after each request")
    func cleanSlate() throws {
        let server = try ScriptedServer()
        let transport = CurlTransport(server.trusted())
        _ = try transport.send(
            HTTPRequest(
                .post, server.address(), body: .json(Secret("{}".utf8)), authorization: .bearer(Secret("t".utf8))))
        _ = try transport.send(HTTPRequest(.get, server.address()))
        let second = try #require(server.requests.last)
        #expect(second.method == "GET" && second.target == "/" && second.body.isEmpty)
        #expect(!second.headers.contains { $0.name == "Authorization" || $0.name.hasPrefix("Content-") })
    }

    @Test("sends an interrupted request only once, although libcurl would repeat it", arguments: [false, true])
    func neverTwice(isStreamed: Bool) throws {
        let server = try ScriptedServer(answers: .genuine, .raw("", then: .cut), .genuine)
        let transport = CurlTransport(server.trusted())
        func send() throws(TransportError) {
            guard isStreamed else {
                let body = HTTPRequest.Body.form(Secret("refresh_token=once".utf8))
                _ = try transport.send(HTTPRequest(.post, server.address(), body: body))
                return
            }
            try transport.stream(
                HTTPRequest(.get, server.address(), authorization: .bearer(Secret("t".utf8))),
                StreamedBodies(next: { _ in 0 }, onHead: { _ in true }, onPiece: { _ in true }))
        }
        try send()
        #expect(throws: TransportError.unreachable) { try send() }
        #expect(server.requests.count == 2)
    }

    @Test("reaches a host again after a failure")
    func recovery() throws {
        let server = try ScriptedServer(answers: .raw("", then: .cut), .genuine)
        let transport = CurlTransport(server.trusted())
        #expect(throws: TransportError.unreachable) { try transport.send(HTTPRequest(.get, server.address())) }
        #expect(try transport.send(HTTPRequest(.get, server.address())).status == 200)
    }

    @Test("reports a reset during a large upload without a signal to the process")
    func reset() throws {
        let server = try ScriptedServer(.rude)
        let body = HTTPRequest.Body.form(Secret(repeatElement(UInt8(ascii: "x"), count: 8_000_000)))
        let request = HTTPRequest(.post, server.address(), body: body)
        #expect(throws: TransportError.unreachable) { try CurlTransport(server.trusted()).send(request) }
        #expect(server.connections == 1)
    }

    @Test("reports a closed port and an unresolvable name as unreachable")
    func refused() throws {
        let port = try ClosedPort()
        defer { withExtendedLifetime(port) {} }
        let addresses = [
            HTTPSAddress(host: "127.0.0.1", port: port.number), HTTPSAddress(host: "[::1]", port: port.number),
            HTTPSAddress(host: "nowhere.invalid"),
        ]
        for address in addresses {
            #expect(throws: TransportError.unreachable, "\(address)") {
                try CurlTransport(TransportConfiguration(proxy: "")).send(HTTPRequest(.get, address))
            }
        }
    }
}

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

    @Test("sets no limit to the whole of a stream")
    func stream() throws {
        var timeouts = TransportTimeouts.unlimited
        timeouts.total = .milliseconds(100)
        let server = try ScriptedServer(answers: .late(by: .milliseconds(500)))
        var status = 0
        try CurlTransport(server.trusted(), timeouts: timeouts).stream(
            HTTPRequest(.get, server.address()),
            StreamedBodies(
                next: { _ in 0 },
                onHead: {
                    status = $0.status
                    return true
                }, onPiece: { _ in true }))
        #expect(status == 200)
    }

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

@Suite("Lookup of names without threads")
struct NameLookupTests {
    @Test(
        "looks up the proxy, if any, and the host if there is none, SOCKS leaves it to the client, or hosts are excepted",
        arguments: [
            ("http", nil, false), ("https", nil, false), ("socks5h", nil, false), ("socks4a", nil, false),
            ("socks", nil, true), ("socks4", nil, true), ("socks5", nil, true), ("SOCKS5", nil, true),
            ("http", "no_proxy", true), ("http", "NO_PROXY", true), (nil, nil, true),
        ] as [(String?, String?, Bool)])
    func found(scheme: String?, exceptions: String?, findsHost: Bool) {
        let settings = TransportConfiguration(proxy: scheme.map { "\($0)://127.0.0.2:3128" })
        let lookup = NameLookup(for: settings) { $0 == exceptions ? "example.com" : nil }
        lookup.find(HTTPSAddress(host: "127.0.0.1", port: 443, path: "/"))
        let expected = [findsHost ? "127.0.0.1:443" : nil, scheme.map { _ in "127.0.0.2:3128" }]
        #expect(lookup.found == Set(expected.compactMap(\.self)))
    }
}
