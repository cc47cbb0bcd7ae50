import CredentialCore
import CurlTransport
import Foundation
import Providers
import Staging
import StandIn
import Testing

@Suite("Trust in servers")
struct TrustTests {
    @Test(
        "refuses a certificate that is self-signed, expired or for another name, and sends no request",
        arguments: [
            (ServerCertificate.selfSigned, TransportError.untrusted), (.otherName, .untrusted),
            (.expired, .outsideValidity(isExpired: true)),
        ])
    func badCertificate(certificate: ServerCertificate, error: TransportError) throws {
        let server = try ScriptedServer(certificate: certificate)
        #expect(failure(of: server) == error)
        #expect(server.requests.isEmpty)
    }

    @Test("refuses a server without TLS, and sends no request")
    func noTLS() throws {
        #expect(failure(of: try ScriptedServer(.plain)) == .untrusted)
    }

    @Test("refuses the test authority unless it is configured")
    func stranger() throws {
        #expect(failure(of: try ScriptedServer(), settings: TransportConfiguration(proxy: "")) == .untrusted)
    }

    @Test("trusts another server by that server's settings, not by the host's")
    func elsewhere() throws {
        let server = try ScriptedServer()
        var settings = TransportConfiguration(proxy: "")
        settings.others[server.address().authority] = server.trusted()
        #expect(failure(of: server, settings: settings) == nil)
        settings = server.trusted()
        settings.others[server.address().authority] = TransportConfiguration(proxy: "")
        #expect(failure(of: server, settings: settings) == .untrusted)
    }

    @Test("trusts a configured directory of hash links")
    func directory() throws {
        let server = try ScriptedServer()
        let directory = URL(filePath: server.caFile).deletingLastPathComponent().path
        #expect(try RunningProgram.run(["openssl", "rehash", directory]).status == 0)
        #expect(failure(of: server, settings: TransportConfiguration(proxy: "", caDirectory: directory)) == nil)
    }

    @Test("names a client certificate as the possible cause in TLS 1.2, whose alert is less specific")
    func clientCertificateByTLS12() throws {
        let server = try ScriptedServer(.mutualTLS12)
        #expect(throws: TransportError.clientCertificate(.perhapsWanted)) {
            try CurlTransport(server.trusted()).send(HTTPRequest(.get, server.address()))
        }
        #expect(server.requests.isEmpty)
    }

    @Test("presents the configured client certificate with its key and stored password")
    func clientCertificate() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/client-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (file, key) = (folder + "/c.pem", folder + "/k.pem")
        let made = try RunningProgram.run([
            "openssl", "req", "-x509", "-newkey", "rsa:2048", "-subj", "/CN=mona", "-days", "9", "-passout", "pass:pw",
            "-keyout", key, "-out", file,
        ])
        #expect(made.status == 0, "\(made.errors)")
        // Certificate and key in one file.
        let both = folder + "/c.p12"
        let server = try ScriptedServer(.mutualTLS)
        func failure(_ certificate: ClientCertificate?, _ password: String? = nil) -> TransportError? {
            var settings = server.trusted()
            settings.clientCertificate = certificate
            let transport = CurlTransport(
                settings,
                password: { request in
                    #expect(request.protocol == Array("cert".utf8) && request.host.isEmpty && request.username == [])
                    return request.path == certificate.map { Array($0.file.utf8) }
                        ? password.map { Secret($0.utf8) } : nil
                })
            do throws(TransportError) {
                _ = try transport.send(HTTPRequest(.get, server.address()))
                return nil
            } catch {
                return error
            }
        }
        let unusable = { TransportError.clientCertificate(.unusable(setting: "http.sslCert", protected: $0)) }
        // An empty PIN would count as a wrong attempt: without a PIN, neither token nor host is contacted.
        let token = "pkcs11:object=none"
        for certificate in [
            ClientCertificate(file: token), ClientCertificate(file: file, key: token),
            ClientCertificate(file: file, key: "none", keyType: "ENG"),
        ] { #expect(failure(certificate) == unusable(nil)) }
        #expect(failure(nil) == .clientCertificate(.wanted))
        #expect(server.requests.isEmpty && server.connections == 1)
        let protected = ClientCertificate(file: file, key: key, isProtected: true)
        #expect(failure(protected, "pw") == nil)
        #expect(server.requests.count == 1)
        let (shortFile, shortKey) = (folder + "/c.der", folder + "/k.der")
        for command in [
            ["x509", "-in", file, "-outform", "DER", "-out", shortFile],
            ["rsa", "-in", key, "-passin", "pass:pw", "-outform", "DER", "-out", shortKey],
            [
                "pkcs12", "-export", "-in", file, "-inkey", key, "-passin", "pass:pw", "-passout", "pass:all", "-out",
                both,
            ],
        ] {
            let made = try RunningProgram.run(["openssl"] + command)
            #expect(made.status == 0, "\(made.errors)")
        }
        #expect(failure(ClientCertificate(file: shortFile, type: "DER", key: shortKey, keyType: "DER")) == nil)
        #expect(server.requests.count == 2)
        let packed = ClientCertificate(file: both, type: "P12", isProtected: true)
        #expect(failure(packed, "all") == nil)
        #expect(server.requests.count == 3)
        #expect(failure(packed, "wrong") == unusable(DisplayText(trusted: both)))
        for password in [nil, "", "wrong"] as [String?] {
            #expect(failure(protected, password) == unusable(DisplayText(trusted: file)))
        }
        // OpenSSL must not prompt at the terminal.
        #expect(failure(ClientCertificate(file: file, key: key), "pw") == unusable(nil))
        // A key on a token is not a file: OpenSSL's engine finds nothing there, or is not installed.
        let none = "pkcs11:object=none?pin-value=1234"
        for certificate in [ClientCertificate(file: none), ClientCertificate(file: file, key: none)] {
            #expect(failure(certificate) == unusable(nil))
        }
        #expect(
            failure(ClientCertificate(file: folder + "/none"))
                == .misconfigured(.unreadable(.clientCertificate, folder + "/none")))
        #expect(server.requests.count == 3)
    }
}
