import CredentialCore
import Testing

@testable import Providers

@Suite("Network settings")
struct TransportConfigurationTests {
    private func read(_ keys: [String: String] = [:], environment: [String: String] = [:]) -> TransportConfiguration {
        let entries = keys.map { ConfigurationEntry(section: "http", key: $0.key.lowercased(), value: $0.value) }
        return TransportConfiguration(Configuration(entries, for: HostName(name: "h"))) { environment[$0] }
    }

    @Test("has no values without settings, and takes an empty proxy as no proxy")
    func nothing() {
        let configuration = read()
        #expect(configuration.proxy == nil && configuration.caFile == nil && configuration.caDirectory == nil)
        #expect(read(["proxy": ""]).proxy == "")
        #expect(read(["proxy": "http://proxy:3128"]).proxy == "http://proxy:3128")
    }

    @Test("names the setting of the proxy: git's closest key, or else libcurl's first variable")
    func proxySetting() {
        #expect(read().proxySetting == "http.proxy")
        #expect(read(environment: ["ALL_PROXY": "p", "HTTPS_PROXY": "q"]).proxySetting == "HTTPS_PROXY")
        #expect(read(environment: ["https_proxy": "", "all_proxy": "p"]).proxySetting == "all_proxy")
        #expect(read(environment: ["HTTPS_PROXY": "p", "https_proxy": "q"]).proxySetting == "https_proxy")
        let entries = [
            ConfigurationEntry(section: "http", subsection: "https://h", key: "proxy", value: "x"),
            ConfigurationEntry(section: "http", key: "proxy", value: "y"),
        ]
        let configuration = TransportConfiguration(Configuration(entries, for: HostName(name: "h"))) { _ in "z" }
        #expect(configuration.proxy == "x" && configuration.proxySetting == "http.https://h.proxy")
    }

    @Test(
        "prefers git's variable to its configuration to OpenSSL's variable, and names the setting of the certificates",
        arguments: [
            (
                ["GIT_SSL_CAINFO": "git", "SSL_CERT_FILE": "openssl"], ["sslCAInfo": "configured"], "git",
                "GIT_SSL_CAINFO"
            ),
            (["SSL_CERT_FILE": "openssl"], ["sslCAInfo": "configured"], "configured", "http.sslcainfo"),
            (["SSL_CERT_FILE": "openssl"], [:], "openssl", "SSL_CERT_FILE"), ([:], [:], nil, nil),
            (["GIT_SSL_CAINFO": ""], [:], nil, nil),
        ] as [([String: String], [String: String], String?, String?)])
    func precedence(environment: [String: String], keys: [String: String], expected: String?, setting: String?) {
        let configuration = read(keys, environment: environment)
        #expect(configuration.caFile == expected && configuration.caSetting?.text == setting)
    }

    @Test("reads the directory of certificates in the same order")
    func directory() {
        #expect(read(["sslCAPath": "/certs"]).caDirectory == "/certs")
        #expect(read(["sslCAPath": "/certs"], environment: ["GIT_SSL_CAPATH": "/other"]).caDirectory == "/other")
        #expect(read(environment: ["SSL_CERT_DIR": "/openssl"]).caDirectory == "/openssl")
    }

    @Test("looks up the password of a name without one, wherever the proxy is set")
    func proxyLogin() throws {
        let login = try #require(read(["proxy": "socks5h://mona%2F@p.example:1080"]).proxyLogin)
        #expect(login.address == "socks5h://p.example:1080" && login.username == "mona/")
        let request = try #require(login.request)
        #expect(request.protocol == Array("socks5h".utf8) && request.host == Array("p.example:1080".utf8))
        #expect(request.username == Array("mona/".utf8))
        #expect(read(environment: ["https_proxy": "mona@p"]).proxyLogin?.address == "http://p")
        #expect(read(["proxy": ""], environment: ["https_proxy": "mona@p"]).proxyLogin == nil)
        let passwords = ["http://mona:x@p", "http://mona:@p", "http://mo@na:x@p"]
        for proxy in passwords + ["http://p", "http://@p", "p", "http://mo%0ahost=na@p"] {
            #expect(read(["proxy": proxy]).proxyLogin == nil, "\(proxy)")
        }
    }

    @Test("reads a client certificate, its key, and whether its password is looked up, as git does")
    func clientCertificate() throws {
        #expect(read(["sslKey": "/k"]).clientCertificate == nil)
        #expect(read(["sslCert": "/c"]).clientCertificate == ClientCertificate(file: "/c", setting: "http.sslcert"))
        let keys = ["sslCert": "/c", "sslKey": "/k", "sslCertPasswordProtected": "yes"]
        let certificate = try #require(read(keys).clientCertificate)
        #expect(certificate == ClientCertificate(file: "/c", key: "/k", isProtected: true, setting: "http.sslcert"))
        let request = try #require(certificate.request)
        #expect(request.protocol == Array("cert".utf8) && request.host.isEmpty)
        #expect(request.path == Array("/c".utf8) && request.username == [])
        let variables = ["GIT_SSL_CERT": "/d", "GIT_SSL_KEY": "/e", "GIT_SSL_CERT_PASSWORD_PROTECTED": ""]
        #expect(
            read(keys, environment: variables).clientCertificate
                == ClientCertificate(file: "/d", key: "/e", isProtected: true, setting: "GIT_SSL_CERT"))
        let types = ClientCertificate(file: "/c", type: "DER", key: "/k", keyType: "ENG", setting: "http.sslcert")
        let typed = ["sslCert": "/c", "sslCertType": "DER", "sslKey": "/k", "sslKeyType": "ENG"]
        #expect(read(typed).clientCertificate == types)
        let others = ["GIT_SSL_CERT_TYPE": "P12", "GIT_SSL_KEY_TYPE": "PEM"]
        let other = read(typed, environment: others).clientCertificate
        #expect(other?.type == "P12" && other?.keyType == "PEM")
        for (file, isProtected) in [("/c\nhost=h", "1"), ("/c", "false")] {
            let certificate = read(["sslCert": file, "sslCertPasswordProtected": isProtected]).clientCertificate
            #expect(certificate != nil && certificate?.request == nil)
        }
    }

    @Test("cannot switch off the verification of certificates")
    func verification() {
        #expect("\(read(["sslVerify": "false"], environment: ["GIT_SSL_NO_VERIFY": "1"]))" == "\(read())")
    }
}
