import CredentialCore
import Providers
import Testing

@testable import CurlTransport

@Suite("Lookup of names without threads")
struct NameLookupTests {
    /// Looks up a host on the way of a proxy, and returns what was found.
    private func found(by proxy: String?, exceptions: String? = nil) throws -> Set<String> {
        let lookup = NameLookup(for: TransportConfiguration(proxy: proxy)) { $0 == exceptions ? "example.com" : nil }
        lookup.find(HTTPSAddress(host: "127.0.0.1", port: 443, path: "/"))
        return lookup.found
    }

    @Test("looks up only the proxy if that finds the host", arguments: ["http", "https", "socks5h", "socks4a"])
    func remote(scheme: String) throws { #expect(try found(by: "\(scheme)://127.0.0.2:3128") == ["127.0.0.2:3128"]) }

    @Test(
        "looks up the host too if SOCKS leaves that to the client", arguments: ["socks", "socks4", "socks5", "SOCKS5"])
    func local(scheme: String) throws {
        #expect(try found(by: "\(scheme)://127.0.0.2:3128") == ["127.0.0.1:443", "127.0.0.2:3128"])
    }

    @Test("looks up the host too if the environment excepts hosts", arguments: ["no_proxy", "NO_PROXY"])
    func exceptions(variable: String) throws {
        #expect(try found(by: "http://127.0.0.2:3128", exceptions: variable) == ["127.0.0.1:443", "127.0.0.2:3128"])
    }

    @Test("looks up the host alone without a proxy")
    func direct() throws { #expect(try found(by: nil) == ["127.0.0.1:443"]) }
}
