import CredentialCore
import CurlTransport
import Providers
import Staging
import Testing

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

    @Test("sends an interrupted request only once, although libcurl would repeat it")
    func neverTwice() throws {
        let server = try ScriptedServer(answers: .genuine, .raw("", then: .cut), .genuine)
        let transport = CurlTransport(server.trusted())
        let request = HTTPRequest(.post, server.address(), body: .form(Secret("refresh_token=once".utf8)))
        _ = try transport.send(request)
        #expect(throws: TransportError.unreachable) { try transport.send(request) }
        #expect(server.requests.count == 2)
    }

    @Test("sends an interrupted request with streamed bodies only once")
    func neverStreamedTwice() throws {
        let server = try ScriptedServer(answers: .genuine, .raw("", then: .cut), .genuine)
        let transport = CurlTransport(server.trusted())
        func send() throws(TransportError) {
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
        for address in [HTTPSAddress(host: "127.0.0.1", port: port.number), HTTPSAddress(host: "nowhere.invalid")] {
            #expect(throws: TransportError.unreachable, "\(address)") {
                try CurlTransport(TransportConfiguration(proxy: "")).send(HTTPRequest(.get, address))
            }
        }
    }
}
