import CredentialCore
import CurlTransport
import Providers
import StandIn
import Testing

@Suite("What a server is sent")
struct RequestTests {
    /// Sends `request` to a server that agrees to everything, and returns what arrived there.
    private func arrival(_ make: (HTTPSAddress) -> HTTPRequest) throws -> (head: [String], body: String) {
        let server = try ScriptedServer()
        _ = try CurlTransport(server.trusted()).send(make(server.address("/login?x=1")))
        let request = try #require(server.requests.first)
        let fields = request.headers.filter { $0.name != "Host" }.map { "\($0.name): \($0.value)" }
        return (["\(request.method) \(request.target)"] + fields, request.bodyText)
    }

    @Test("a form goes as a form, with our name and nothing else")
    func form() throws {
        let (head, body) = try arrival { HTTPRequest(.post, $0, body: .form(Secret("a=1&b=2".utf8))) }
        #expect(
            head == [
                "POST /login?x=1", "User-Agent: git-credential-gitspace", "Accept: application/json",
                "Content-Type: application/x-www-form-urlencoded", "Content-Length: 7",
            ])
        #expect(body == "a=1&b=2")
    }

    @Test("a GET carries the bearer token and no body")
    func bearer() throws {
        let (head, body) = try arrival { HTTPRequest(.get, $0, authorization: .bearer(Secret("t0ken".utf8))) }
        #expect(head.first == "GET /login?x=1")
        #expect(head.contains("Authorization: Bearer t0ken"))
        #expect(!head.contains { $0.hasPrefix("Content-") })
        #expect(body.isEmpty)
    }

    @Test("a POST may carry JSON")
    func json() throws {
        let (head, body) = try arrival { HTTPRequest(.post, $0, body: .json(Secret("{}".utf8))) }
        #expect(head.first == "POST /login?x=1")
        #expect(head.contains("Content-Type: application/json"))
        #expect(body == "{}")
    }

    @Test("a POST may be without a body")
    func withoutBody() throws {
        let (head, body) = try arrival { HTTPRequest(.post, $0) }
        #expect(head.first == "POST /login?x=1")
        #expect(head.contains("Content-Length: 0"))
        #expect(body.isEmpty)
    }

    @Test("a large body is sent whole, without asking for permission first")
    func largeBody() throws {
        let text = String(repeating: "x", count: 2_000_000)
        let (head, body) = try arrival { HTTPRequest(.post, $0, body: .form(Secret(text.utf8))) }
        #expect(!head.contains { $0.hasPrefix("Expect") })
        #expect(body == text)
    }

    @Test(
        "a token that would start another header field is not sent",
        arguments: ["a\r\nX: y", "a\nb", "a\0b", "a\u{7f}"])
    func injection(token: String) throws {
        let server = try ScriptedServer()
        let request = HTTPRequest(.get, server.address(), authorization: .bearer(Secret(token.utf8)))
        #expect(
            throws: TransportError.misconfigured(.credential)
        ) {
            try CurlTransport(server.trusted()).send(request)
        }
        #expect(server.connections == 0)
    }
}
