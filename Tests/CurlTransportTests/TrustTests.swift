import CredentialCore
import CurlTransport
import OAuth
import Testing

@Suite("Whom we trust")
struct TrustTests {
    @Test(
        "a certificate that is self-signed, for another name or expired gets no request",
        arguments: [TestCertificates.Kind.selfSigned, .wrongName, .expired])
    func badCertificate(kind: TestCertificates.Kind) throws {
        let server = try ScriptedServer(certificate: kind)
        #expect(failure(of: server) == .untrusted)
        #expect(try server.finish().requests.isEmpty)
    }

    @Test("a server without TLS gets no request")
    func noTLS() throws {
        #expect(failure(of: try ScriptedServer(.plain)) == .untrusted)
    }

    @Test("without a configured certificate, the test authority is a stranger")
    func stranger() throws {
        #expect(failure(of: try ScriptedServer(), settings: TransportSettings(proxy: "")) == .untrusted)
    }

    @Test("a configured directory of hash links is trusted")
    func directory() throws {
        let settings = TransportSettings(proxy: "", caPath: TestCertificates.hashedDirectory)
        #expect(failure(of: try ScriptedServer(), settings: settings) == nil)
    }

    @Test(
        "the system's certificates serve from the directory, and from the bundle if the directory knows no better",
        arguments: [
            (TestCertificates.hashedDirectory, nil, nil),
            (TestCertificates.emptyDirectory, TestCertificates.authority, nil),
            (TestCertificates.emptyDirectory, nil, .untrusted),
        ] as [(String, String?, TransportError?)])
    func systemTrust(directory: String, bundle: String?, expected: TransportError?) throws {
        let server = try ScriptedServer()
        let transport = CurlTransport(
            settings: TransportSettings(proxy: "", noProxy: ""),
            systemTrust: SystemTrust(bundle: bundle, directory: directory, isDirectoryHashed: true))
        var failure: TransportError?
        do throws(TransportError) {
            _ = try transport.send(HTTPRequest(.post, server.address(), body: .form(Secret("a=1".utf8))))
        } catch {
            failure = error
        }
        #expect(failure == expected)
        #expect(try server.finish().requests.count == (expected == nil ? 1 : 0))
    }

    @Test("where a hashed directory serves, an unusable bundle is not even read")
    func bundleSpared() throws {
        let server = try ScriptedServer()
        let transport = CurlTransport(
            settings: TransportSettings(proxy: "", noProxy: ""),
            systemTrust: SystemTrust(
                bundle: "/nonexistent.pem", directory: TestCertificates.hashedDirectory, isDirectoryHashed: true))
        #expect(try transport.send(HTTPRequest(.get, server.address())).status == 200)
    }
}
