import CredentialCore
import Helper
import Providers
import Staging
import System
import Testing
import UserInterface

/// Real connections over the loopback, with a clock that the test moves.
@Suite("HTTP listener of a browser sign-in")
final class LoopbackListenerTests {
    private enum Event: Equatable {
        /// The fields of a browser's answer.
        case query(String)
        case https(String)
        case stranger

        init(_ event: RedirectEvent) {
            switch event {
            case .answer(let fields):
                let parts = ["code", "state", "iss"].compactMap { name in
                    fields[name].map { "\(name)=\(String(decoding: $0, as: UTF8.self))" }
                }
                self = .query(parts.joined(separator: "&"))
            case .https(let origin): self = .https(origin.text)
            case .stranger: self = .stranger
            }
        }
    }

    private var now: Int64 = 0

    private func listener(_ host: RedirectHost = .loopbackAddress, path: String = "/") throws -> LoopbackListener {
        try LoopbackListener(at: RedirectAddress(host, path: path), uptime: { [unowned self] in now })
    }

    /// Returns a browser's request head, except for what the test changes.
    private func head(
        _ listener: LoopbackListener, _ line: String = "GET /?code=c&state=s HTTP/1.1", host: String? = nil
    ) -> String { "\(line)\r\nHost: \(host ?? "127.0.0.1:\(listener.port)")\r\nUser-Agent: test\r\n\r\n" }

    /// Polls until an event happens or the connections have been answered.
    private func event(_ listener: LoopbackListener, within turns: Int = 200) -> Event? {
        for _ in 0..<turns {
            if let event = listener.next({ $0["wrong"] == nil }) { return Event(event) }
            var descriptors = listener.descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            if poll(&descriptors, nfds_t(descriptors.count), 20) == 0 { return nil }
        }
        return nil
    }

    private func query(_ listener: LoopbackListener) -> String? {
        if case .query(let query) = event(listener) { query } else { nil }
    }

    /// Connects, and sends the head of a request.
    private func connect(
        to listener: LoopbackListener, _ line: String = "GET /?code=c&state=s HTTP/1.1", host: String? = nil,
        ipv6: Bool = false
    ) throws -> SocketClient {
        let client = try SocketClient(toPort: listener.port, ipv6: ipv6)
        client.send(Array(head(listener, line, host: host).utf8))
        return client
    }

    /// Whether the listener takes a browser's request.
    private func takes(
        _ listener: LoopbackListener, _ line: String = "GET /?code=c&state=s HTTP/1.1", host: String? = nil,
        ipv6: Bool = false
    ) throws -> Bool {
        let browser = try connect(to: listener, line, host: host, ipv6: ipv6)
        return withExtendedLifetime(browser) { query(listener) == "code=c&state=s" }
    }

    @Test("takes one request with code, state and issuer, and returns one page that may load nothing")
    func one() async throws {
        let listener = try listener()
        let client = try connect(to: listener, "GET /?code=c&state=s&iss=https%3A%2F%2Fid.example HTTP/1.1")
        #expect(query(listener) == "code=c&state=s&iss=https://id.example")
        // The listener then accepts nothing else.
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
        "returns 404 for any other request, and goes on",
        arguments: [
            "POST /?code=c&state=s HTTP/1.1", "HEAD /?code=c&state=s HTTP/1.1", "GET /callback?code=c&state=s HTTP/1.1",
            "GET / HTTP/1.1", "GET http://127.0.0.1/?code=c&state=s HTTP/1.1", "GET /?wrong HTTP/1.1",
            "GET  /?code=c&state=s HTTP/1.1", "GET /favicon.ico HTTP/1.1", "nonsense", "GET /?code=c HTTP/2",
            "GET /?code=c&state=s HTTP/1.1\nX: y", "GET /?code=c&state=s HTTP/1.1\r\nX: y\rz",
        ])
    func others(line: String) async throws {
        let listener = try listener()
        let stranger = try connect(to: listener, line.replacing("/?wrong", with: "/?wrong=1"))
        #expect(query(listener) == nil)
        #expect(try await stranger.answer().hasPrefix("HTTP/1.1 404 Not Found\r\n"))
        #expect(try takes(listener))
    }

    @Test("refuses a page that reaches it by another host name", arguments: ["rebound.example", "localhost", ""])
    func rebinding(name: String) async throws {
        let listener = try listener()
        for host in ["\(name):\(listener.port)", name, "127.0.0.1", "127.0.0.1:\(listener.port)\r\nHost: \(name)"] {
            let client = try connect(to: listener, host: host)
            #expect(query(listener) == nil)
            #expect(try await client.answer().hasPrefix("HTTP/1.1 404 "), "\(host)")
        }
    }

    @Test("joins a request in pieces, and closes an endless head or an idle connection")
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

    @Test("accepts the browser beside many idle connections")
    func crowd() throws {
        let listener = try listener()
        var crowd: [SocketClient] = []
        for _ in 0..<40 {
            crowd.append(try SocketClient(toPort: listener.port))
            _ = listener.next { _ in false }
            // Sixteen connections, and the listening sockets.
            #expect(listener.descriptors.count <= 17)
        }
        #expect(try takes(listener))
        #expect(crowd.count == 40)
    }

    @Test("reads the browser's request in spite of many connections in the same turn")
    func crowdBehind() throws {
        let listener = try listener()
        let browser = try connect(to: listener)
        let crowd = try (0..<16).map { _ in try SocketClient(toPort: listener.port) }
        #expect(query(listener) == "code=c&state=s" && crowd.count == 16 && browser.isRead)
    }

    @Test("listens on both addresses of localhost, or on one without IPv6")
    func localhost() throws {
        for (name, ipv6) in [("localhost", true), ("localhost", false), ("127.0.0.1", false)] {
            let listener = try listener(.localhost)
            let ipv6 = ipv6 && listener.descriptors.count == 2
            #expect(try takes(listener, host: "\(name):\(listener.port)", ipv6: ipv6), "\(name)")
        }
    }

    @Test("listens on a configured port, names the process that has it, and can use it again at once")
    func fixedPort() async throws {
        var first: LoopbackListener? = try listener()
        let port = try #require(first).port
        let address = try #require(RedirectAddress(configured: "http://127.0.0.1:\(port)/cb"))
        do throws(SignInError) {
            _ = try LoopbackListener(at: address)
            Issue.record("a port that is taken")
        } catch {
            guard case .redirectTaken(Int(port), by: let holder?) = error else { throw error }
            #expect(holder.text.contains("PID \(getpid())"), "\(holder)")
        }
        // The listener closes the connection itself, yet its port is free at once.
        let client = try connect(to: try #require(first))
        #expect(query(try #require(first)) == "code=c&state=s")
        first?.answer([])
        #expect(try await client.answer().hasPrefix("HTTP/1.1 200 "))
        first = nil
        // A program that another test starts has the port until it runs; a closed connection would keep it for a minute.
        let second = try await eventually("the port", within: .seconds(20)) { try? LoopbackListener(at: address) }
        #expect(try takes(second, "GET /cb?code=c&state=s HTTP/1.1"))
    }

    @Test("listens on the configured other address of the loopback, and reports localhost's port as taken then")
    func ipv6() throws {
        guard try listener(.localhost).descriptors.count == 2 else { return Skipped.note("::1", because: "not here") }
        let listener = try LoopbackListener(at: try #require(RedirectAddress(configured: "http://[::1]")))
        // A browser that asks for localhost might reach this listener in place of the other.
        let localhost = try #require(RedirectAddress(configured: "http://localhost:\(listener.port)"))
        let holder = PeerUser.listening(at: listener.port).map { DisplayText(untrusted: $0.utf8) }
        let taken = SignInError.redirectTaken(port: Int(listener.port), by: holder)
        #expect(throws: taken) { try LoopbackListener(at: localhost) }
        #expect(try takes(listener, host: "[::1]:\(listener.port)", ipv6: true))
    }

    @Test("accepts a server's own path, and no other server's (RFC 9700, 4.4.2)")
    func ownPath() async throws {
        let listener = try listener(path: "/git.example:8443")
        for path in [
            "/", "/git.example", "/git.example:8443/", "/git.example:84433", "/Git.example:8443", "//git.example:8443",
        ] {
            let client = try connect(to: listener, "GET \(path)?code=c&state=s HTTP/1.1")
            #expect(query(listener) == nil)
            #expect(try await client.answer().hasPrefix("HTTP/1.1 404 "), "\(path)")
        }
        #expect(try takes(listener, "GET /git.example:8443?code=c&state=s HTTP/1.1"))
    }

    @Test("recognizes a browser that speaks TLS by its first byte, and closes the connection at once")
    func tls() async throws {
        let listener = try listener()
        let secure = try SocketClient(toPort: listener.port)
        secure.send([0x16, 0x03, 0x01, 0x02, 0x00])
        #expect(event(listener) == .https("http://127.0.0.1:\(listener.port)"))
        #expect(try await secure.answer().isEmpty)
        #expect(try takes(listener))
    }
}

/// A Python program that connects to a port of 127.0.0.1 as a separate process, and sends a request head.
///
/// Its first argument is the kind of connection: once, many, mapped, closes or resets.
private let client = """
    import signal, socket, struct, sys
    how, port, head = sys.argv[1], int(sys.argv[2]), sys.argv[3].encode()
    sockets = [socket.socket(socket.AF_INET6 if how == "mapped" else socket.AF_INET) for _ in range(40 if how == "many" else 1)]
    for each in sockets:
        each.connect(("::ffff:127.0.0.1" if how == "mapped" else "127.0.0.1", port))
        each.sendall(head)
    if how == "resets":
        each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    if how in ("closes", "resets"):
        each.close()
    print(how, flush=True)
    signal.pause()
    """

extension LoopbackListenerTests {
    /// Returns the listener's event for a process that has connected and sent a browser's request.
    private func event(of listener: LoopbackListener, when how: String, by runner: [String] = []) throws -> Event? {
        let program = try RunningProgram(
            runner + ["/usr/bin/python3", "-c", client, how, "\(listener.port)", head(listener)],
            environment: ProcessInfo.processInfo.environment, input: STDIN_FILENO)
        _ = try program.firstLine()
        return withExtendedLifetime(program) { event(listener) }
    }

    private static let query = Event.query("code=c&state=s")

    /// The kernel reports root as the owner of a closed socket.
    @Test(
        "accepts another process of ours, by either kind of socket, unless its connection is closed before the check",
        arguments: [("once", true), ("mapped", true), ("closes", false), ("resets", false)])
    func ours(how: String, isAccepted: Bool) throws {
        let listener = try listener()
        #expect(listener.hearsBrowser)
        #expect(try event(of: listener, when: how) == (isAccepted ? Self.query : .stranger))
        #expect(isAccepted || listener.descriptors.count == 1)
    }

    @Test(
        "accepts a browser in a sandbox of ours with its own user namespace",
        .enabled(if: CronEnvironment.isAvailable, "needs user namespaces"), arguments: [[], ["--map-root-user"]])
    func sandbox(options: [String]) throws {
        #expect(try event(of: try listener(), when: "once", by: ["unshare", "--user"] + options) == Self.query)
    }

    @Test(
        "ignores another user's connections", .enabled(if: geteuid() == 0, "needs root"),
        arguments: ["once", "many", "mapped", "closes", "resets"], ["12345", "65534"])
    func anotherUser(how: String, user: String) throws {
        let listener = try listener()
        let idle = try SocketClient(toPort: listener.port)
        #expect(event(listener) == nil && listener.descriptors.count == 2)
        let runner = ["setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups"]
        #expect(try event(of: listener, when: how, by: runner) == .stranger)
        while event(listener) == .stranger {}
        #expect(listener.descriptors.count == 2)
        idle.send(Array(head(listener).utf8))
        #expect(query(listener) == "code=c&state=s")
    }
}
