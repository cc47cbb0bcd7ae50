import CredentialCore
import CurlTransport
import Providers
import StandIn
import Testing

@Suite("Requests as servers receive them")
struct RequestTests {
    /// Sends a request to a server that accepts everything, and returns the received head and body.
    private func arrival(_ make: (HTTPSAddress) -> HTTPRequest) throws -> (head: [String], body: String) {
        let server = try ScriptedServer()
        _ = try CurlTransport(server.trusted()).send(make(server.address("/login?x=1")))
        let request = try #require(server.requests.first)
        let fields = request.headers.filter { $0.name != "Host" }.map { "\($0.name): \($0.value)" }
        return (["\(request.method) \(request.target)"] + fields, request.bodyText)
    }

    @Test("sends a form with our User-Agent and no other fields")
    func form() throws {
        let (head, body) = try arrival { HTTPRequest(.post, $0, body: .form(Secret("a=1&b=2".utf8))) }
        #expect(
            head == [
                "POST /login?x=1", "User-Agent: git-credential-gitspace", "Accept: application/json",
                "Content-Type: application/x-www-form-urlencoded", "Content-Length: 7",
            ])
        #expect(body == "a=1&b=2")
    }

    @Test("sends a GET with the bearer token and without a body")
    func bearer() throws {
        let (head, body) = try arrival { HTTPRequest(.get, $0, authorization: .bearer(Secret("t0ken".utf8))) }
        #expect(head.first == "GET /login?x=1" && head.contains("Authorization: Bearer t0ken"))
        #expect(!head.contains { $0.hasPrefix("Content-") } && body.isEmpty)
    }

    @Test("sends a POST with JSON, and without a body")
    func json() throws {
        let (head, body) = try arrival { HTTPRequest(.post, $0, body: .json(Secret("{}".utf8))) }
        #expect(head.first == "POST /login?x=1" && head.contains("Content-Type: application/json") && body == "{}")
        let (bare, nothing) = try arrival { HTTPRequest(.post, $0) }
        #expect(bare.first == "POST /login?x=1" && bare.contains("Content-Length: 0") && nothing.isEmpty)
    }

    @Test("sends a large body at once, without Expect: 100-continue")
    func largeBody() throws {
        let text = String(repeating: "x", count: 2_000_000)
        let (head, body) = try arrival { HTTPRequest(.post, $0, body: .form(Secret(text.utf8))) }
        #expect(!head.contains { $0.hasPrefix("Expect") })
        #expect(body == text)
    }

    @Test(
        "refuses to send a token that would start another header field",
        arguments: ["a\r\nX: y", "a\nb", "a\0b", "a\u{7f}"])
    func injection(token: String) throws {
        let server = try ScriptedServer()
        let request = HTTPRequest(.get, server.address(), authorization: .bearer(Secret(token.utf8)))
        #expect(throws: TransportError.misconfigured(.credential)) { try CurlTransport(server.trusted()).send(request) }
        #expect(server.connections == 0)
    }
}

@Suite("Responses of servers")
struct AnswerTests {
    private static func body(_ count: Int) -> ScriptedAnswer { .answer(.text(String(repeating: "x", count: count))) }

    @Test("returns status, body and header fields unchanged, names in lower case")
    func plain() throws {
        let server = try ScriptedServer(
            answers: .raw(
                "HTTP/1.1 404 Not Found\r\nX-A: \t b: c \r\nContent-length:3\r\nx-a:\r\n folded: no\r\n\r\nabc",
                then: .keepAlive))
        let answer = try server.get()
        #expect(answer.status == 404 && answer.body == Secret("abc".utf8))
        #expect(answer.headers.map(\.name) == ["x-a", "content-length", "x-a"])
        #expect(answer.headers.map { String(decoding: $0.value, as: UTF8.self) } == ["b: c", "3", ""])
    }

    @Test("ignores the fields of interim responses and trailers, and a status line among them")
    func interim() throws {
        let server = try ScriptedServer(
            answers: .raw(
                "HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\n"
                    + "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Late: 1\r\n\r\n",
                then: .keepAlive))
        let answer = try server.get()
        #expect(answer.status == 200 && answer.body == Secret("ok".utf8))
        #expect(answer.headers.map(\.name) == ["transfer-encoding"])
        let forged = try ScriptedServer(
            answers: .raw(
                "HTTP/1.1 400 No\r\nHTTP/1.1 200 x: y\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nHTTP/1.1 200 x: y\r\n\r\n",
                then: .keepAlive))
        #expect(try forged.get().status == 400)
    }

    @Test("returns a redirect without following it", arguments: [301, 302, 303, 307, 308])
    func redirect(status: Int) throws {
        let other = try ScriptedServer()
        let server = try ScriptedServer(answers: .redirect(to: other.address().text, status: status))
        #expect(try server.get().status == status && other.connections == 0)
    }

    @Test("accepts a body of exactly 64 KiB")
    func largest() throws { #expect(try ScriptedServer(answers: Self.body(65_536)).get().body.count == 65_536) }

    @Test("applies a request's higher limit to that request's body only")
    func larger() throws {
        let server = try ScriptedServer(answers: Self.body(524_288), Self.body(524_289), Self.body(65_537))
        let transport = CurlTransport(server.trusted())
        let request = HTTPRequest(.get, server.address(), largestBody: 524_288)
        #expect(try transport.send(request).body.count == 524_288)
        #expect(throws: TransportError.tooLarge) { try transport.send(request) }
        #expect(throws: TransportError.tooLarge) { try transport.send(HTTPRequest(.get, server.address())) }
        let flood = try ScriptedServer(answers: .headerFlood)
        #expect(throws: TransportError.tooLarge) {
            try CurlTransport(flood.trusted()).send(HTTPRequest(.get, flood.address(), largestBody: 524_288))
        }
    }

    @Test(
        "refuses more than 64 KiB in body or header, announced or not",
        arguments: [
            body(65_537), .endlessBody, .headerFlood,
            .raw("HTTP/1.1 200 OK\r\nX-Long: ", then: .endless(Array(repeating: UInt8(ascii: "a"), count: 16_384))),
            .raw(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n",
                then: .endless(Array(String(repeating: "X-Trailer: 0123456789\r\n", count: 1_000).utf8))),
        ])
    func tooLarge(answer: ScriptedAnswer) throws {
        #expect(failure(of: try ScriptedServer(answers: answer)) == .tooLarge)
    }

    @Test(
        "reports a response that is not HTTP as malformed",
        arguments: [
            "SSH-2.0-OpenSSH_9.2\r\n", "<html></html>\n", "HTTP/9.9 200 OK\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n",
            "HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "HTTP/1.1 200000000 OK\r\n\r\n{}",
        ])
    func malformed(answer: String) throws {
        #expect(failure(of: try ScriptedServer(answers: .raw(answer, then: .cut))) == .malformed)
    }

    @Test(
        "reports a truncated response as an error",
        arguments: [
            .hangUp, .raw("", then: .cut), .raw("", then: .reset),
            .raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this", then: .cut),
            .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", then: .cut),
        ] as [ScriptedAnswer])
    func brokenOff(answer: ScriptedAnswer) throws {
        #expect(failure(of: try ScriptedServer(answers: answer)) == .unreachable)
    }
}
