import CredentialCore
import CurlTransport
import Foundation
import Providers
import Staging
import StandIn
import Testing

@Suite("Whom we trust")
struct TrustTests {
    @Test(
        "a certificate that is self-signed, for another name or expired gets no request",
        arguments: [
            (ServerCertificate.selfSigned, TransportError.untrusted), (.otherName, .untrusted),
            (.expired, .outsideValidity(isExpired: true)),
        ])
    func badCertificate(certificate: ServerCertificate, error: TransportError) throws {
        let server = try ScriptedServer(certificate: certificate)
        #expect(failure(of: server) == error)
        #expect(server.requests.isEmpty)
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
        let server = try ScriptedServer()
        let directory = URL(filePath: server.caFile).deletingLastPathComponent().path
        #expect(try RunningProgram.run(["openssl", "rehash", directory]).status == 0)
        #expect(failure(of: server, settings: TransportConfiguration(proxy: "", caDirectory: directory)) == nil)
    }
}
