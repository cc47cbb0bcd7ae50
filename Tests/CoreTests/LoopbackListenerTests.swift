import Foundation
import Staging
import Testing
import UserInterface

/// Real connections over loopback, and a clock that only the test moves.
@Suite("The end of a sign-in in the browser, as HTTP")
final class LoopbackListenerTests {
    private var now: Int64 = 0

    private func listener(_ name: String = "127.0.0.1", alsoIPv6: Bool = false) throws -> LoopbackListener {
        let listener = LoopbackListener(name: name, alsoIPv6: alsoIPv6, uptime: { [unowned self] in now })
        return try #require(listener)
    }

    /// What a browser sends, but for what a test changes.
    private func head(
        _ listener: LoopbackListener, _ line: String = "GET /?code=c&state=s HTTP/1.1", host: String? = nil
    ) -> String {
        "\(line)\r\nHost: \(host ?? "127.0.0.1:\(listener.port)")\r\nUser-Agent: test\r\n\r\n"
    }

    /// Looks until a query is there or the connections have been answered.
    private func query(_ listener: LoopbackListener, within turns: Int = 200) -> String? {
        for _ in 0..<turns {
            if let query = listener.next({ !$0.starts(with: "wrong".utf8) }) {
                return String(decoding: query, as: UTF8.self)
            }
            var descriptors = listener.descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            if poll(&descriptors, nfds_t(descriptors.count), 20) == 0 { return nil }
        }
        return nil
    }

    @Test("one request is taken, and answered by one page that may fetch nothing")
    func one() async throws {
        let listener = try listener()
        let client = try SocketClient(toPort: listener.port)
        client.send(Array(head(listener).utf8))
        #expect(query(listener) == "code=c&state=s")
        // Nothing else is listened to.
        #expect(listener.descriptors.isEmpty)
        #expect(throws: NeverHappened.self) { try SocketClient(toPort: listener.port) }
        listener.answer(Array("<p>done".utf8))
        let answer = try await client.answer()
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.hasSuffix("\r\n\r\n<p>done"), "\(answer)")
        for header in [
            "Content-Type: text/html; charset=utf-8", "Content-Length: 7", "Cache-Control: no-store",
            "Referrer-Policy: no-referrer", "Connection: close",
            "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; ",
        ] { #expect(answer.contains("\r\n\(header)"), "\(header)") }
    }

    @Test(
        "anything else gets 404, and the listener goes on",
        arguments: [
            "POST /?code=c&state=s HTTP/1.1", "HEAD /?code=c&state=s HTTP/1.1", "GET /callback?code=c&state=s HTTP/1.1",
            "GET / HTTP/1.1", "GET http://127.0.0.1/?code=c&state=s HTTP/1.1", "GET /?wrong HTTP/1.1",
            "GET  /?code=c&state=s HTTP/1.1", "GET /favicon.ico HTTP/1.1", "nonsense", "GET /?code=c HTTP/2",
        ])
    func others(line: String) async throws {
        let listener = try listener()
        let stranger = try SocketClient(toPort: listener.port)
        stranger.send(Array(head(listener, line.replacing("/?wrong", with: "/?wrong=1")).utf8))
        #expect(query(listener) == nil)
        #expect(try await stranger.answer().hasPrefix("HTTP/1.1 404 Not Found\r\n"))
        let browser = try SocketClient(toPort: listener.port)
        browser.send(Array(head(listener).utf8))
        #expect(query(listener) == "code=c&state=s")
    }

    @Test(
        "a page that was led here by a name of its own is not served", arguments: ["rebound.example", "localhost", ""])
    func rebinding(name: String) async throws {
        let listener = try listener()
        for host in ["\(name):\(listener.port)", name, "127.0.0.1", "127.0.0.1:\(listener.port)\r\nHost: \(name)"] {
            let client = try SocketClient(toPort: listener.port)
            client.send(Array(head(listener, host: host).utf8))
            #expect(query(listener) == nil)
            #expect(try await client.answer().hasPrefix("HTTP/1.1 404 "), "\(host)")
        }
    }

    @Test("a request in pieces is put together; a head without end, and silence, are closed")
    func slow() async throws {
        let listener = try listener()
        let endless = try SocketClient(toPort: listener.port)
        endless.send(Array(("GET /?code=c HTTP/1.1\r\nX: " + String(repeating: "x", count: 70_000)).utf8))
        let silent = try SocketClient(toPort: listener.port)
        let browser = try SocketClient(toPort: listener.port)
        let (beginning, end) = ("GET /?code=c&sta", String(head(listener).dropFirst("GET /?code=c&sta".count)))
        browser.send(Array(beginning.utf8))
        #expect(query(listener) == nil)
        now += 4_999
        #expect(query(listener) == nil)
        #expect(try await endless.answer().isEmpty)
        browser.send(Array(end.utf8))
        #expect(query(listener) == "code=c&state=s")
        _ = silent

        let other = try self.listener()
        let idle = try SocketClient(toPort: other.port)
        #expect(query(other) == nil)
        now += 5_000
        #expect(query(other) == nil)
        #expect(try await idle.answer().isEmpty)
    }

    @Test("many connections that say nothing do not keep the browser away")
    func crowd() throws {
        let listener = try listener()
        var crowd: [SocketClient] = []
        for _ in 0..<40 {
            crowd.append(try SocketClient(toPort: listener.port))
            _ = listener.next { _ in false }
            // Sixteen, and what is listened on.
            #expect(listener.descriptors.count <= 17)
        }
        let browser = try SocketClient(toPort: listener.port)
        browser.send(Array(head(listener).utf8))
        #expect(query(listener) == "code=c&state=s")
        #expect(crowd.count == 40)
    }

    @Test("localhost is listened to by both of its addresses; a machine without IPv6 has one")
    func localhost() throws {
        let listener = try listener("localhost", alsoIPv6: true)
        let client = try SocketClient(toPort: listener.port, ipv6: listener.descriptors.count == 2)
        client.send(Array(head(listener, host: "localhost:\(listener.port)").utf8))
        #expect(query(listener) == "code=c&state=s")
    }
}
