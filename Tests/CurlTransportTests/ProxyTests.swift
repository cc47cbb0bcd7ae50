import CLibcurl
import CredentialCore
import Providers
import Staging
import StandIn
import Testing

@testable import CurlTransport

@Suite("Proxies")
struct ProxyTests {
    init() { _ = withoutProxyExceptions }

    @Test(
        "sends CONNECT and the proxy's password to the proxy, never the token or a header field of the request",
        arguments: ["http://", "HTTP://", ""])
    func connect(scheme: String) throws {
        let server = try ScriptedServer(answers: .status(404))
        let proxy = try ScriptedServer(.proxy(to: server))
        let transport = CurlTransport(server.trusted(proxy: "\(scheme)us%40er:pass@127.0.0.1:\(proxy.port)"))
        let answer = try transport.send(
            HTTPRequest(.get, server.address(), authorization: .bearer(Secret("t0ken".utf8))))
        // The server's status, and not the proxy's.
        #expect(answer.status == 404 && answer.header("via") == nil)
        #expect(proxy.requests.map(\.method) == ["CONNECT"] && proxy.tunnels == ["127.0.0.1:\(server.port)"])
        let toProxy = try #require(proxy.requests.first)
        #expect(toProxy.headers["proxy-authorization"] == "Basic dXNAZXI6cGFzcw==")
        #expect(!toProxy.headers.contains { $0.value.contains("t0ken") } && toProxy.body.isEmpty)
        #expect(server.requests.first?.headers.contains { $0.name.hasPrefix("Proxy-") } == false)
    }

    @Test("a proxy's name and port are libcurl's reading of its address")
    func places() {
        let places = [
            ("http://proxy.example", "proxy.example:1080"), ("https://us:pass@proxy.example/", "proxy.example:443"),
            ("proxy.example:3128", "proxy.example:3128"), ("socks5h://[::1]:9", "[::1]:9"), ("", "none"),
        ]
        for (address, place) in places {
            let found = CurlLibrary.place(ofProxy: address).map { "\($0.name):\($0.port)" }
            #expect(found ?? "none" == place, "\(address)")
        }
    }

    @Test("looks up the proxy's name first, and not the host's, if it may start no thread")
    func withoutThreads() throws {
        let server = try ScriptedServer()
        let proxy = try ScriptedServer(.proxy(to: server))
        let transport = CurlTransport(server.trusted(proxy: "http://localhost:\(proxy.port)"), startsThreads: false)
        var status = 0
        try transport.stream(
            HTTPRequest(.get, server.address()),
            StreamedBodies(
                next: { _ in 0 },
                onHead: {
                    status = $0.status
                    return true
                }, onPiece: { _ in true }))
        #expect(status == 200 && proxy.tunnels == ["127.0.0.1:\(server.port)"])
    }

    @Test("names the proxy if it refuses", arguments: ["403 Forbidden", "502 Bad Gateway"])
    func refusal(status: String) throws {
        let proxy = try ScriptedServer(
            .plain, answers: .raw("HTTP/1.1 \(status)\r\nContent-Length: 0\r\n\r\n", then: .cut))
        let server = try ScriptedServer()
        let settings = server.trusted(proxy: "127.0.0.1:\(proxy.port)")
        #expect(failure(of: server, settings: settings) == .proxy(setting: "http.proxy"))
        #expect(server.connections == 0)
    }

    @Test("does not blame the proxy for a server that breaks the connection", arguments: [true, false])
    func brokenServer(isReset: Bool) throws {
        let server = try ScriptedServer(answers: .raw("", then: isReset ? .reset : .cut))
        let proxy = try ScriptedServer(.proxy(to: server))
        let settings = server.trusted(proxy: "http://127.0.0.1:\(proxy.port)")
        #expect(failure(of: server, settings: settings) == .unreachable)
        #expect(server.requests.count == 1)
    }

    @Test("sends the stored password by git's own request if the setting has only a name", arguments: ["http://", ""])
    func storedPassword(scheme: String) throws {
        let server = try ScriptedServer()
        let proxy = try ScriptedServer(.proxy(to: server, wants: "Basic dXNAZXI6cGFzcw=="))
        let settings = server.trusted(proxy: "\(scheme)us%40er@127.0.0.1:\(proxy.port)")
        let transport = CurlTransport(
            settings,
            password: { request in
                #expect(request.protocol == Array("http".utf8) && request.path == nil)
                #expect(request.host == Array("127.0.0.1:\(proxy.port)".utf8))
                return request.username == Array("us@er".utf8) ? Secret("pass".utf8) : nil
            })
        for _ in 1...2 { #expect(try transport.send(HTTPRequest(.get, server.address())).status == 200) }
        #expect(proxy.tunnels == ["127.0.0.1:\(server.port)"])
    }

    @Test("names a proxy that requires authentication, and sends it no empty password")
    func signIn() throws {
        let server = try ScriptedServer()
        let proxy = try ScriptedServer(.proxy(to: server, wants: "Basic dXNAZXI6cGFzcw=="))
        func failure(_ user: String, _ password: String? = nil) -> TransportError? {
            let settings = server.trusted(proxy: "http://\(user)127.0.0.1:\(proxy.port)")
            return CurlTransportTests.failure(of: server, settings: settings) { _ in password.map { Secret($0.utf8) } }
        }
        let login = DisplayText(trusted: "http://us%40er@127.0.0.1:\(proxy.port)")
        #expect(failure("us%40er@") == .proxySignIn(setting: "http.proxy", login: login, wasSent: false))
        #expect(failure("") == .proxySignIn(setting: "http.proxy", login: nil, wasSent: false))
        #expect(proxy.requests.allSatisfy { $0.headers["proxy-authorization"] == nil })
        #expect(failure("us%40er@", "old") == .proxySignIn(setting: "http.proxy", login: login, wasSent: true))
        #expect(failure("us%40er:old@") == .proxySignIn(setting: "http.proxy", login: nil, wasSent: false))
        #expect(server.connections == 0)
    }

    @Test("names a proxy that is unreachable or unknown", arguments: [true, false])
    func absent(exists: Bool) throws {
        let closed = try ClosedPort()
        defer { withExtendedLifetime(closed) {} }
        let proxy = exists ? "http://127.0.0.1:\(closed.number)" : "http://proxy.invalid:3128"
        let server = try ScriptedServer()
        #expect(failure(of: server, settings: server.trusted(proxy: proxy)) == .proxy(setting: "http.proxy"))
    }

    @Test("verifies an https proxy like a host", arguments: [ServerCertificate.selfSigned, .otherName])
    func httpsProxy(certificate: ServerCertificate) throws {
        let proxy = try ScriptedServer(certificate: certificate)
        let settings = proxy.trusted(proxy: "https://127.0.0.1:\(proxy.port)")
        #expect(failure(of: try ScriptedServer(), settings: settings) == .untrusted)
        #expect(proxy.requests.isEmpty)
    }

    @Test("uses a SOCKS proxy", arguments: ["socks5", "socks5h"])
    func socks(scheme: String) throws {
        let server = try ScriptedServer()
        let proxy = try ScriptedServer(.socks(to: server))
        #expect(failure(of: server, settings: server.trusted(proxy: "\(scheme)://127.0.0.1:\(proxy.port)")) == nil)
        #expect(proxy.tunnels == ["127.0.0.1:\(server.port)"])
    }
}

@Suite("Settings and trace")
struct SettingsTests {
    @Test(
        "names an unusable setting",
        arguments: [
            (TransportConfiguration(caFile: "ca.pem"), .relativePath(.certificateFile, "ca.pem")),
            (
                TransportConfiguration(caFile: "/nonexistent/ca.pem"),
                .unreadable(.certificateFile, "/nonexistent/ca.pem")
            ), (TransportConfiguration(caFile: "/tmp"), .unreadable(.certificateFile, "/tmp")),
            (TransportConfiguration(caDirectory: "/dev/null"), .unreadable(.certificateDirectory, "/dev/null")),
            (TransportConfiguration(proxy: "ftp://me:secret@proxy.example"), .proxyScheme("ftp://****@proxy.example")),
        ] as [(TransportConfiguration, Misconfiguration)])
    func unusable(settings: TransportConfiguration, reason: Misconfiguration) {
        do throws(TransportError) {
            _ = try CurlTransport(settings).send(HTTPRequest(.get, HTTPSAddress(host: "127.0.0.1")))
            Issue.record("it was used")
        } catch .misconfigured(let found) { #expect(found == reason) } catch { Issue.record(error) }
    }

    @Test("names a certificate file without certificates")
    func notCertificates() throws {
        let server = try ScriptedServer()
        let settings = TransportConfiguration(proxy: "", caFile: #filePath)
        #expect(failure(of: server, settings: settings) == .misconfigured(.certificates(#filePath)))
    }

    @Test("does not blame a certificate directory for a file that cannot be used")
    func builtInFile() throws {
        let handle = try TransferHandle()
        let settings = TransportConfiguration(caDirectory: "/certs")
        let address = HTTPSAddress(host: "h.example")
        let error = handle.error(CURLE_SSL_CACERT_BADFILE, address, settings, sentProxyPassword: false)
        #expect(error == .misconfigured(.certificates(nil)))
    }

    @Test("writes the course of a request to the trace, without secrets")
    func trace() throws {
        var lines: [String] = []
        let server = try ScriptedServer(
            answers: .answer(.text("{\"access_token\":\"s3cret\"}", headers: [Header("X-T", "s3cret")])),
            .raw("", then: .cut))
        let transport = CurlTransport(server.trusted(), trace: { lines.append($0) })
        let request = HTTPRequest(
            .post, server.address("/token?code=s3cret"), body: .form(Secret("device_code=s3cret".utf8)),
            authorization: .bearer(Secret("s3cret".utf8)))
        _ = try transport.send(request)
        _ = try? transport.send(request)
        #expect(lines.prefix(2) == ["POST https://127.0.0.1:\(server.port)/token", "status 200, 25 bytes"])
        #expect(lines.last?.hasPrefix("libcurl error 42: ") == true && !lines.joined().contains("s3cret"))
    }

    @Test("writes nothing to the trace after an answer that must be saved")
    func traceOfRefresh() throws {
        var lines: [String] = []
        let server = try ScriptedServer()
        let request = HTTPRequest(.post, server.address("/token"), isInterruptible: false)
        _ = try CurlTransport(server.trusted(), trace: { lines.append($0) }).send(request)
        #expect(lines == ["POST https://127.0.0.1:\(server.port)/token"])
    }

    @Test(
        "omits a proxy's password from the trace",
        arguments: [
            "http://me:p4ss@proxy.invalid:1", "me:p4ss@proxy.invalid", "http://me:p4'ss@:x", "http://me:p4/ss@h:y",
        ])
    func proxyPassword(proxy: String) throws {
        var lines: [String] = []
        _ = withoutProxyExceptions
        let transport = CurlTransport(TransportConfiguration(proxy: proxy), trace: { lines.append($0) })
        #expect(throws: TransportError.proxy(setting: "http.proxy")) {
            try transport.send(HTTPRequest(.get, HTTPSAddress(host: "127.0.0.1", port: 1)))
        }
        #expect(lines.count == 2 && !lines.joined().contains("p4"))
    }

    @Test("converts an internationalised name for DNS, or reports that libcurl cannot")
    func internationalName() {
        let form = CurlLibrary.asciiName(Array("B\u{fc}cher.example".utf8))
        #expect([nil, Array("xn--bcher-kva.example".utf8)].contains(form))
        #expect(CurlLibrary.asciiName([0xff, 0x2e, 0x78]) == nil && CurlLibrary.asciiName([0x61, 0]) == nil)
    }
}
