import Glibc
import Staging
import Synchronization
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
        let github = try StandIn()
        #expect(try await send(bytes, to: github).hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
        #expect(github.requests.isEmpty)
    }

    @Test("answers pipelined requests in order: with a length, in chunks, with bare line feeds")
    func pipeline() async throws {
        let github = try StandIn()
        let byLength = "POST /a HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"
        let inChunks =
            "POST /b HTTP/1.1\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n"
            + "5;why=not\r\nhello\r\n1\r\n!\r\n0\r\nTrailer: x\r\n\r\n"
        let last = "GET /api/v3/meta HTTP/1.1\nUser-Agent:  me \t\nConnection: close\n\n"
        let answers = try await send(byLength + inChunks + last + "GET /unread HTTP/1.1\r\n\r\n", to: github)
        #expect(github.requests.map(\.request.bodyText) == ["abc", "hello!", ""])
        #expect(github.requests.last?.request.headers["user-agent"] == "me")
        #expect(answers.split(separator: "HTTP/1.1 ").map { $0.prefix(3) } == ["404", "100", "404", "200"])
    }
}

/// An inherited copy of a socket keeps a stopped stand-in's port open, and its next client waits forever.
@Suite("Descriptors inherited by child processes")
struct InheritanceTests {
    @Test("gives a child its standard input, output and error, and no socket")
    func child() async throws {
        let github = try StandIn()
        let descriptors = try await run(["sh", "-c", "ls -l /proc/$$/fd"]).output
        #expect(descriptors.contains("0 -> ") && !descriptors.contains("socket:"))
        await github.stop()
    }

    @Test("opens every socket close-on-exec, including those of clients")
    func closeOnExec() async throws {
        let github = try StandIn()
        let flags = Mutex<[Int32]>([])
        // Look while the client is connected.
        let look = { @Sendable (body: String) in
            flags.withLock { $0 = Self.socketFlags() }
            return body
        }
        github.answer(.meta, with: .edited(look))
        #expect(try await Client(github: github).curl("https://api.github.com/meta").status == "200")
        // The sockets of the server, the proxy and the client.
        let found = flags.withLock { $0 }
        #expect(found.count >= 3 && found.allSatisfy { $0 & FD_CLOEXEC != 0 }, "\(found)")
        await github.stop()
    }

    /// The F_GETFD flags of every open socket of this process.
    private static func socketFlags() -> [Int32] {
        (0..<Int32(1_024)).compactMap { descriptor in
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
            let flags = fcntl(descriptor, F_GETFD)
            return flags < 0 ? nil : flags
        }
    }
}

@Suite("Control by scripts")
struct ControlTests {
    @Test("registers apps, issues tokens, counts, and lists every secret by the control port")
    func controlPort() async throws {
        let github = try StandIn()
        let control = try ControlPort(for: github)
        let client = Client(github: github)
        func post(_ command: String) async throws -> (body: String, status: String) {
            try await client.curl("--noproxy", "*", "--request", "POST", control.address + command)
        }
        func get(_ report: String) async throws -> String {
            try await client.curl("--noproxy", "*", control.address + report).body
        }

        #expect(try await post("/app?client_id=abc&interval=1&lifetime=60").status == "200")
        #expect(try await post("/repo?owner=acme&name=private").status == "200")
        #expect(try await post("/token?login=hubot").status == "400")
        #expect(try await post("/nonsense").status == "404")
        let pair = try await post("/token?login=hubot&client_id=abc").body
        #expect(pair.hasPrefix("ACCESS_TOKEN=ghu_") && pair.contains("\nREFRESH_TOKEN=ghr_"))
        _ = try await client.post("https://github.com/login/device/code", "client_id=abc")
        #expect(try await get("/counts") == "DEVICE_CODES=1\nTOKEN_GRANTS=0\nREFRESHES=0\nREUSES=0\nGIT_REQUESTS=0\n")
        #expect(try await get("/secrets").split(separator: "\n").map(String.init) == github.issuedSecrets)
    }

    @Test("prints its settings as an executable, and leaves nothing behind when standard input ends")
    func executable() async throws {
        let program = BuiltFiles.folder + "stand-in"
        let result = try await run([program, "--interval", "1"])
        #expect(result.status == 0, "\(result.errors)")
        let pairs = result.output.split(whereSeparator: \.isWhitespace).map { $0.split(separator: "=") }
        #expect(
            pairs.map { $0.first } == ["PORT", "PROXY", "CA", "CONTROL", "CLIENT_ID_OAUTH_APP", "CLIENT_ID_GITHUB_APP"])
        let caFile = try #require(pairs.first { $0.first == "CA" }?.last)
        #expect(!FileManager.default.fileExists(atPath: String(caFile)))
        #expect(try await run([program, "--nonsense", "1"]).status == 64)
    }
}
