import Staging
import Testing

@Suite("Parsing of HTTP requests")
struct HTTPTests {
    private static let start = "GET / HTTP/1.1\r\nHost: localhost\r\n"
    /// Kept outside `@Test`: Swift 6.0 does not compile concatenated strings in its arguments.
    private static let refused = [
        "SSH-2.0-OpenSSH_9.2\r\n", "GET / HTTP/2\r\n\r\n", "GET  / HTTP/1.1\r\n\r\n", "\(start)Colon\r\n\r\n",
        "\(start)A : space before the colon\r\n\r\n", "\(start)A: line\r\n that goes on\r\n\r\n",
        "\(start)Content-Length: +1\r\n\r\na", "\(start)Content-Length: 9999999999\r\n\r\n",
        "\(start)Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "\(start)Transfer-Encoding: gzip\r\n\r\n", "\(start)Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n",
        "\(start)Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
        start + String(repeating: "A: b\r\n", count: 300) + "\r\n",
        start + "A: " + String(repeating: "b", count: 100_000) + "\r\n\r\n",
    ]

    /// Sends bytes to a stand-in without TLS, and reads until it closes the connection.
    private func send(_ bytes: String, to github: StandIn) async throws -> String {
        github.receive(.plainHTTP)
        let script = "exec 3<>/dev/tcp/127.0.0.1/$0 && cat >&3 && cat <&3"
        return try await run(["timeout", "60", "bash", "-c", script, String(github.port)], input: bytes).output
    }

    @Test("refuses malformed, ambiguous or oversized requests with 400, and does not record them", arguments: refused)
    func refusal(_ bytes: String) async throws {
        let github = try await StandIn.start()
        #expect(try await send(bytes, to: github).hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
        #expect(github.requests.isEmpty)
    }

    @Test("answers pipelined requests in order: with a length, in chunks, with bare line feeds")
    func pipeline() async throws {
        let github = try await StandIn.start()
        let byLength = "POST /a HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"
        let inChunks =
            "POST /b HTTP/1.1\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n"
            + "5;why=not\r\nhello\r\n1\r\n!\r\n0\r\nTrailer: x\r\n\r\n"
        let last = "GET /api/v3/meta HTTP/1.1\nUser-Agent:  me \t\nConnection: close\n\n"
        let answers = try await send(byLength + inChunks + last + "GET /unread HTTP/1.1\r\n\r\n", to: github)
        #expect(github.requests.map(\.request.bodyText) == ["abc", "hello!", ""])
        #expect(github.requests.last?.request.headers["user-agent"] == "me")
        let statuses = answers.split(separator: "HTTP/1.1 ").map { $0.prefix(3) }
        #expect(statuses == ["404", "100", "404", "200"])
    }
}
