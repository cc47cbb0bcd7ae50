import CredentialCore
import CurlTransport
import Providers
import StandIn
import Testing

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
