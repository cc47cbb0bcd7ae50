import CredentialCore
import CurlTransport
import Staging
import Testing

@testable import Providers

@Suite("Trust in servers")
struct TrustTests {
    @Test(
        "refuses a certificate that is self-signed, expired, not valid yet or for another name, and sends no request",
        arguments: [
            (ServerCertificate.selfSigned, TransportError.untrusted), (.otherName, .untrusted),
            (.expired, .outsideValidity(isExpired: true)), (.notYetValid, .outsideValidity(isExpired: false)),
        ])
    func badCertificate(certificate: ServerCertificate, error: TransportError) throws {
        let server = try ScriptedServer(certificate: certificate)
        #expect(failure(of: server) == error)
        #expect(server.requests.isEmpty)
    }

    @Test("refuses a server without TLS, and sends no request")
    func noTLS() throws { #expect(failure(of: try ScriptedServer(.plain)) == .untrusted) }

    @Test("refuses the test authority unless it is configured")
    func stranger() throws {
        #expect(failure(of: try ScriptedServer(), settings: TransportConfiguration(proxy: "")) == .untrusted)
    }

    @Test("names the setting whose certificates are not the server's")
    func otherAuthority() throws {
        let (server, other) = (try ScriptedServer(), try ScriptedServer())
        var settings = other.trusted()
        settings.caSetting = "GIT_SSL_CAINFO"
        #expect(failure(of: server, settings: settings) == .untrustedBy(setting: "GIT_SSL_CAINFO"))
        #expect(server.requests.isEmpty && other.connections == 0)
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
        #expect(throws: TransportError.clientCertificate(.perhapsWanted)) { try server.get() }
        #expect(server.requests.isEmpty)
    }
}

/// A client certificate with an encrypted key, made by openssl, and a server that demands one.
@Suite("Client certificates")
final class ClientCertificateTests {
    private let folder = FileManager.default.temporaryDirectory.path + "/client-\(UUID().uuidString)"
    private let server: ScriptedServer
    private var file: String { folder + "/c.pem" }
    private var key: String { folder + "/k.pem" }
    private var protected: ClientCertificate { ClientCertificate(file: file, key: key, isProtected: true) }

    init() throws {
        server = try ScriptedServer(.mutualTLS)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try openssl(
            "req", "-x509", "-newkey", "rsa:2048", "-subj", "/CN=mona", "-days", "9", "-passout", "pass:pw", "-keyout",
            key, "-out", file)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func openssl(_ arguments: String...) throws {
        let made = try RunningProgram.run(["openssl"] + arguments)
        #expect(made.status == 0, "\(made.errors)")
    }

    /// Sends a request with a certificate, for which a password is stored, and returns its error.
    private func failure(_ certificate: ClientCertificate?, _ password: String? = nil) -> TransportError? {
        var settings = server.trusted()
        settings.clientCertificate = certificate
        return CurlTransportTests.failure(of: server, settings: settings) { request in
            #expect(request.protocol == Array("cert".utf8) && request.host.isEmpty && request.username == [])
            return request.path == certificate.map { Array($0.file.utf8) } ? password.map { Secret($0.utf8) } : nil
        }
    }

    private func unusable(_ protected: String? = nil) -> TransportError {
        .clientCertificate(
            .unusable(setting: "http.sslCert", protected: protected.map { DisplayText(untrusted: $0.utf8) }))
    }

    @Test("reports that the server wants one")
    func wanted() {
        #expect(failure(nil) == .clientCertificate(.wanted))
        #expect(server.requests.isEmpty && server.connections == 1)
    }

    @Test("presents the configured one with its key and stored password, in each format")
    func presented() throws {
        let (shortFile, shortKey, both) = (folder + "/c.der", folder + "/k.der", folder + "/c.p12")
        try openssl("x509", "-in", file, "-outform", "DER", "-out", shortFile)
        try openssl("rsa", "-in", key, "-passin", "pass:pw", "-outform", "DER", "-out", shortKey)
        try openssl(
            "pkcs12", "-export", "-in", file, "-inkey", key, "-passin", "pass:pw", "-passout", "pass:all", "-out", both)
        #expect(failure(protected, "pw") == nil)
        #expect(failure(ClientCertificate(file: shortFile, type: "DER", key: shortKey, keyType: "DER")) == nil)
        let packed = ClientCertificate(file: both, type: "P12", isProtected: true)
        #expect(failure(packed, "all") == nil && server.requests.count == 3)
        #expect(failure(packed, "wrong") == unusable(both) && server.requests.count == 3)
    }

    @Test("names the file whose password is missing or wrong", arguments: [nil, "", "wrong"])
    func wrongPassword(password: String?) {
        #expect(failure(protected, password) == unusable(file) && server.requests.isEmpty)
    }

    @Test("lets OpenSSL ask nobody at the terminal")
    func noPrompt() { #expect(failure(ClientCertificate(file: file, key: key), "pw") == unusable()) }

    /// An empty PIN would count as a wrong attempt; with a PIN, OpenSSL's engine finds nothing or is not installed.
    @Test("contacts neither token nor host without a PIN", arguments: ["", "?pin-value=1234"])
    func token(pin: String) {
        let token = "pkcs11:object=none" + pin
        #expect(failure(ClientCertificate(file: token)) == unusable())
        #expect(failure(ClientCertificate(file: file, key: token)) == unusable())
        #expect(failure(ClientCertificate(file: file, key: "none", keyType: "ENG")) == unusable())
        if pin.isEmpty { #expect(server.connections == 0) }
    }

    @Test("names a file or a key that cannot be read")
    func unreadable() {
        let none = folder + "/none"
        #expect(failure(ClientCertificate(file: none)) == .misconfigured(.unreadable(.clientCertificate, none)))
        #expect(failure(ClientCertificate(file: file, key: none)) == .misconfigured(.unreadable(.clientKey, none)))
    }
}
