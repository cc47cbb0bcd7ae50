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
