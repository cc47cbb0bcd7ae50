import CredentialCore
import CurlTransport
import Providers
import Testing

@Suite("The way through a proxy")
struct ProxyTests {
    /// Settings with this proxy, as a person would write them.
    private func settings(_ proxy: String) -> TransportConfiguration {
        _ = withoutProxyExceptions
        return TransportConfiguration(proxy: proxy, caFile: TestCertificates.authority)
    }

    @Test(
        "the proxy gets CONNECT and its own password, never the token or a field of the answer",
        arguments: ["http://", ""])
    func connect(scheme: String) throws {
        let proxy = try ScriptedServer(.plain, answers: [.tunnel])
        let server = try ScriptedServer()
        let transport = CurlTransport(settings("\(scheme)us%40er:pass@127.0.0.1:\(proxy.port)"))
        let answer = try transport.send(
            HTTPRequest(.get, server.address(), authorization: .bearer(Secret("t0ken".utf8))))
        #expect(answer.status == 200)
        #expect(answer.header("x-proxy") == nil)
        let toProxy = try proxy.finish().requests
        #expect(toProxy.count == 1)
        #expect(toProxy.first?.hasPrefix("CONNECT 127.0.0.1:\(server.port) HTTP/1.1\r\n") == true)
        #expect(toProxy.first?.contains("Proxy-Authorization: Basic dXNAZXI6cGFzcw==\r\n") == true)
        #expect(toProxy.first?.contains("t0ken") == false)
        #expect(try server.finish().requests.first?.contains("Proxy-") == false)
    }

    @Test(
        "a proxy that refuses is the proxy's fault",
        arguments: ["407 Proxy Authentication Required", "403 Forbidden", "502 Bad Gateway"])
    func refusal(status: String) throws {
        let proxy = try ScriptedServer(
            .plain, answers: [.send("HTTP/1.1 \(status)\r\nContent-Length: 0\r\n\r\n"), .close])
        let server = try ScriptedServer()
        #expect(failure(of: server, settings: settings("127.0.0.1:\(proxy.port)")) == .proxy(setting: "http.proxy"))
        #expect(try server.finish().connections == 0)
    }

    @Test("a proxy that does not listen or does not exist is the proxy's fault", arguments: [true, false])
    func absent(exists: Bool) throws {
        let closed = try ScriptedServer(.plain)
        _ = try closed.finish()
        let proxy = exists ? "http://127.0.0.1:\(closed.port)" : "http://proxy.invalid:3128"
        #expect(failure(of: try ScriptedServer(), settings: settings(proxy)) == .proxy(setting: "http.proxy"))
    }

    @Test("an https proxy is verified like a host", arguments: [TestCertificates.Kind.selfSigned, .wrongName])
    func httpsProxy(kind: TestCertificates.Kind) throws {
        let proxy = try ScriptedServer(certificate: kind, answers: [.tunnel])
        #expect(failure(of: try ScriptedServer(), settings: settings("https://127.0.0.1:\(proxy.port)")) == .untrusted)
        #expect(try proxy.finish().requests.isEmpty)
    }

    @Test("a SOCKS proxy is used as well", arguments: ["socks5", "socks5h"])
    func socks(scheme: String) throws {
        let proxy = try ScriptedServer(.socks)
        let server = try ScriptedServer()
        #expect(failure(of: server, settings: settings("\(scheme)://127.0.0.1:\(proxy.port)")) == nil)
        #expect(try proxy.finish().requests.count == 1)
    }
}
