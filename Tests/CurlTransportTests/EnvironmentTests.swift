import CredentialCore
import CurlTransport
import Foundation
import Providers
import StandIn
import Testing

/// The environment belongs to the whole process, so each test has a process of its own.
@Suite("What the environment may and may not do")
struct EnvironmentTests {
    @Test("https_proxy names the proxy")
    func proxyVariable() async {
        await #expect(processExitsWith: .success) {
            let server = try ScriptedServer()
            let proxy = try ScriptedServer(.proxy(to: server))
            setenv("https_proxy", "http://127.0.0.1:\(proxy.port)", 1)
            for name in ["no_proxy", "NO_PROXY"] { unsetenv(name) }
            #expect(failure(of: server, settings: server.trusted(proxy: nil)) == nil)
            #expect(proxy.requests.count == 1)
        }
    }

    @Test("no_proxy excepts a host")
    func noProxyVariable() async {
        await #expect(processExitsWith: .success) {
            let server = try ScriptedServer()
            let proxy = try ScriptedServer(.proxy(to: server))
            setenv("https_proxy", "http://127.0.0.1:\(proxy.port)", 1)
            setenv("no_proxy", "example.com,127.0.0.1", 1)
            #expect(failure(of: server, settings: server.trusted(proxy: nil)) == nil)
            #expect(proxy.connections == 0)
        }
    }

    @Test("an empty proxy setting overrides https_proxy")
    func emptySetting() async {
        await #expect(processExitsWith: .success) {
            let server = try ScriptedServer()
            let proxy = try ScriptedServer(.proxy(to: server))
            setenv("https_proxy", "http://127.0.0.1:\(proxy.port)", 1)
            #expect(failure(of: server) == nil)
            #expect(proxy.connections == 0)
        }
    }

    @Test("~/.netrc, SSLKEYLOGFILE and the variables that switch verification off have no effect")
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
            let request = try #require(server.requests.first)
            #expect(request.headers["authorization"] == nil)
            #expect(!FileManager.default.fileExists(atPath: keyLog))
            #expect(failure(of: stranger, settings: server.trusted()) == .untrusted)
        }
    }

    @Test("TLS 1.1 is not spoken, even where OPENSSL_CONF permits it")
    func oldTLS() async {
        await #expect(processExitsWith: .success) {
            let configuration = URL.temporaryDirectory.appending(path: "openssl-\(getpid()).cnf")
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
