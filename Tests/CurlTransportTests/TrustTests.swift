import CredentialCore
import CurlTransport
import Providers
import Testing

@Suite("Whom we trust")
struct TrustTests {
    @Test(
        "a certificate that is self-signed, for another name or expired gets no request",
        arguments: [
            (TestCertificates.Kind.selfSigned, TransportError.untrusted), (.wrongName, .untrusted),
            (.expired, .untimely(isExpired: true)),
        ])
    func badCertificate(kind: TestCertificates.Kind, error: TransportError) throws {
        let server = try ScriptedServer(certificate: kind)
        #expect(failure(of: server) == error)
        #expect(try server.finish().requests.isEmpty)
    }

    @Test("a server without TLS gets no request")
    func noTLS() throws {
        #expect(failure(of: try ScriptedServer(.plain)) == .untrusted)
    }

    @Test("without a configured certificate, the test authority is a stranger")
    func stranger() throws {
        #expect(failure(of: try ScriptedServer(), settings: TransportConfiguration(proxy: "")) == .untrusted)
    }

    @Test("a configured directory of hash links is trusted")
    func directory() throws {
        let settings = TransportConfiguration(proxy: "", caDirectory: TestCertificates.hashedDirectory)
        #expect(failure(of: try ScriptedServer(), settings: settings) == nil)
    }
}
