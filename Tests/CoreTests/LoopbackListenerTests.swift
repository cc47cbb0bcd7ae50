import CredentialCore
import Foundation
import Helper
import Providers
import Staging
import Testing
import UserInterface

/// Real connections over loopback, and a clock that only the test moves.
@Suite("The end of a sign-in in the browser, as HTTP")
final class LoopbackListenerTests {
    private var now: Int64 = 0

    private func listener(_ host: RedirectHost = .loopbackAddress, path: String = "/") throws -> LoopbackListener {
        let address = RedirectAddress(host, path: path)
        return try LoopbackListener(at: address, uptime: { [unowned self] in now })
    }

    /// What a browser sends, but for what a test changes.
    private func head(
        _ listener: LoopbackListener, _ line: String = "GET /?code=c&state=s HTTP/1.1", host: String? = nil
    ) -> String {
        "\(line)\r\nHost: \(host ?? "127.0.0.1:\(listener.port)")\r\nUser-Agent: test\r\n\r\n"
    }

    /// Looks until something has happened or the connections have been answered.
    private func event(_ listener: LoopbackListener, within turns: Int = 200) -> LoopbackListener.Event? {
        for _ in 0..<turns {
            if let event = listener.next({ !$0.starts(with: "wrong".utf8) }) { return event }
            var descriptors = listener.descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            if poll(&descriptors, nfds_t(descriptors.count), 20) == 0 { return nil }
        }
        return nil
    }

    private func query(_ listener: LoopbackListener) -> String? {
        guard case .query(let query) = event(listener) else { return nil }
        return String(decoding: query, as: UTF8.self)
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

    @Test("who comes after the browser in one turn does not push it out before it is read")
    func crowdBehind() throws {
        let listener = try listener()
        let browser = try SocketClient(toPort: listener.port)
        browser.send(Array(head(listener).utf8))
        let crowd = try (0..<16).map { _ in try SocketClient(toPort: listener.port) }
        #expect(query(listener) == "code=c&state=s" && crowd.count == 16)
    }

    @Test("localhost is listened to by both of its addresses; a machine without IPv6 has one")
    func localhost() throws {
        for (name, ipv6) in [("localhost", true), ("localhost", false), ("127.0.0.1", false)] {
            let listener = try listener(.localhost)
            let client = try SocketClient(toPort: listener.port, ipv6: ipv6 && listener.descriptors.count == 2)
            client.send(Array(head(listener, host: "\(name):\(listener.port)").utf8))
            #expect(query(listener) == "code=c&state=s", "\(name)")
        }
    }

    @Test("a port that is set is listened on, with who has it if it is taken, and again right after a sign-in")
    func fixedPort() async throws {
        var first: LoopbackListener? = try listener()
        let port = try #require(first).port
        let address = try #require(RedirectAddress(configured: "http://127.0.0.1:\(port)/cb"))
        do throws(SignInError) {
            _ = try BrowserRedirect(at: address)
            Issue.record("a port that is taken")
        } catch {
            guard case .redirectTaken(Int(port), by: let holder?) = error else { throw error }
            #expect(holder.text.contains("PID \(getpid())"), "\(holder)")
        }
        // Its connection is closed by us, and so is not forgotten for a minute.
        let client = try SocketClient(toPort: port)
        client.send(Array(head(try #require(first)).utf8))
        #expect(query(try #require(first)) == "code=c&state=s")
        first?.answer([])
        #expect(try await client.answer().hasPrefix("HTTP/1.1 200 "))
        first = nil
        let second = try LoopbackListener(at: address)
        let browser = try SocketClient(toPort: port)
        browser.send(Array(head(second, "GET /cb?code=c&state=s HTTP/1.1").utf8))
        #expect(query(second) == "code=c&state=s")
    }

    @Test("the other address of the loopback is listened on where a person has set it, and called by its name")
    func ipv6() throws {
        // A machine may have none.
        guard try listener(.localhost).descriptors.count == 2 else { return }
        let listener = try LoopbackListener(at: try #require(RedirectAddress(configured: "http://[::1]")))
        let client = try SocketClient(toPort: listener.port, ipv6: true)
        client.send(Array(head(listener, host: "[::1]:\(listener.port)").utf8))
        #expect(query(listener) == "code=c&state=s")
    }

    @Test("a server's own path leads here, and that of no other (RFC 9700, 4.4.2)")
    func ownPath() async throws {
        let listener = try listener(path: "/git.example:8443")
        for path in [
            "/", "/git.example", "/git.example:8443/", "/git.example:84433", "/Git.example:8443", "//git.example:8443",
        ] {
            let client = try SocketClient(toPort: listener.port)
            client.send(Array(head(listener, "GET \(path)?code=c&state=s HTTP/1.1").utf8))
            #expect(query(listener) == nil)
            #expect(try await client.answer().hasPrefix("HTTP/1.1 404 "), "\(path)")
        }
        let browser = try SocketClient(toPort: listener.port)
        browser.send(Array(head(listener, "GET /git.example:8443?code=c&state=s HTTP/1.1").utf8))
        #expect(query(listener) == "code=c&state=s")
    }

    @Test("a browser that speaks TLS is told apart by its first byte, and let go at once")
    func tls() async throws {
        let listener = try listener()
        let secure = try SocketClient(toPort: listener.port)
        secure.send([0x16, 0x03, 0x01, 0x02, 0x00])
        #expect(event(listener) == .tls)
        #expect(try await secure.answer().isEmpty)
        let browser = try SocketClient(toPort: listener.port)
        browser.send(Array(head(listener).utf8))
        #expect(query(listener) == "code=c&state=s")
    }
}

/// As a process of its own: CLIENT PORT HEAD connects by 127.0.0.1, or as its first word says.
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
    /// What the listener makes of a process that has connected, and sent what a browser sends.
    private func event(
        of listener: LoopbackListener, when how: String, by runner: [String] = []
    ) throws -> LoopbackListener.Event? {
        let program = try RunningProgram(
            runner + ["/usr/bin/python3", "-c", client, how, "\(listener.port)", head(listener)],
            environment: ProcessInfo.processInfo.environment, input: STDIN_FILENO)
        _ = try program.firstLine()
        return withExtendedLifetime(program) { event(listener) }
    }

    private static let query = LoopbackListener.Event.query(Array("code=c&state=s".utf8))

    @Test("another process of ours is served, by whichever kind of socket", arguments: ["once", "mapped"])
    func ours(how: String) throws {
        let listener = try listener()
        #expect(listener.knowsUsers)
        #expect(try event(of: listener, when: how) == Self.query)
    }

    @Test(
        "a browser in a sandbox of ours is served: a user namespace is no other user",
        .enabled(if: CronEnvironment.isAvailable, "needs user namespaces"), arguments: [[], ["--map-root-user"]])
    func sandbox(options: [String]) throws {
        #expect(try event(of: try listener(), when: "once", by: ["unshare", "--user"] + options) == Self.query)
    }

    /// The kernel says root of a socket that nobody has any more.
    @Test("who is gone before we look is nobody", arguments: ["closes", "resets"])
    func gone(how: String) throws {
        let listener = try listener()
        #expect(try event(of: listener, when: how) == .stranger)
        #expect(listener.descriptors.count == 1)
    }

    @Test(
        "another user is neither read nor counted", .enabled(if: geteuid() == 0, "needs root"),
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
