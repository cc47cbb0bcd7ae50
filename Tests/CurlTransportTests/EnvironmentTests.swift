import CredentialCore
import CurlTransport
import Foundation
import Providers
import StandIn
import Testing

/// Each test runs in its own process, since the environment belongs to the whole process.
@Suite("Influence of the environment")
struct EnvironmentTests {
    @Test("uses the proxy of https_proxy, except for a host of no_proxy or if the proxy setting is empty")
    func proxyVariable() async {
        await #expect(processExitsWith: .success) {
            let server = try ScriptedServer()
            let proxy = try ScriptedServer(.proxy(to: server))
            setenv("https_proxy", "http://127.0.0.1:\(proxy.port)", 1)
            for name in ["no_proxy", "NO_PROXY"] { unsetenv(name) }
            #expect(failure(of: server, settings: server.trusted(proxy: "")) == nil && proxy.connections == 0)
            #expect(failure(of: server, settings: server.trusted(proxy: nil)) == nil && proxy.requests.count == 1)
            setenv("no_proxy", "example.com,127.0.0.1", 1)
            #expect(failure(of: server, settings: server.trusted(proxy: nil)) == nil && proxy.connections == 1)
        }
    }

    @Test("ignores ~/.netrc, SSLKEYLOGFILE and variables that switch off verification")
    func hostileVariables() async {
        await #expect(processExitsWith: .success) {
            let server = try ScriptedServer()
            let stranger = try ScriptedServer()
            let home = URL(filePath: stranger.caFile).deletingLastPathComponent()
            try "machine 127.0.0.1 login me password netrc-secret\n".write(
                to: home.appending(path: ".netrc"), atomically: true, encoding: .utf8)
            let keyLog = home.appending(path: "keys").path
            setenv("HOME", home.path, 1)
            setenv("SSLKEYLOGFILE", keyLog, 1)
            for name in ["GIT_SSL_NO_VERIFY", "CURL_INSECURE", "GCM_ALLOW_UNSAFE_REMOTES"] { setenv(name, "1", 1) }
            setenv("CURL_SSL_BACKEND", "gnutls", 1)
            setenv("CURL_CA_BUNDLE", stranger.caFile, 1)

            #expect(failure(of: server) == nil)
            #expect(try #require(server.requests.first).headers["authorization"] == nil)
            #expect(!FileManager.default.fileExists(atPath: keyLog))
            #expect(failure(of: stranger, settings: server.trusted()) == .untrusted)
        }
    }

    @Test("refuses TLS 1.1 even if OPENSSL_CONF permits it")
    func oldTLS() async {
        await #expect(processExitsWith: .success) {
            let configuration = URL.temporaryDirectory.appending(path: "openssl-\(UUID().uuidString).cnf")
            defer { try? FileManager.default.removeItem(at: configuration) }
            try """
            openssl_conf = all
            [all]
            ssl_conf = tls
            [tls]
            system_default = permissive
            [permissive]
            MinProtocol = TLSv1
            CipherString = ALL:@SECLEVEL=0

            """.write(to: configuration, atomically: true, encoding: .utf8)
            setenv("OPENSSL_CONF", configuration.path, 1)
            #expect(failure(of: try ScriptedServer(.oldTLS)) == .untrusted)
        }
    }
}
