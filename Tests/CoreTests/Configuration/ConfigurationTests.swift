import CredentialCore
import Testing

@Suite("Settings for a host")
struct ConfigurationTests {
    /// Returns the winning value of `credential.key`, with each URL as its own value; `nil` is the key without a URL.
    private func winner(_ urls: [String?], for host: String, path: String = "") throws -> String? {
        let entries = urls.map {
            ConfigurationEntry(section: "credential", subsection: $0, key: "key", value: $0 ?? "plain")
        }
        let name = try #require(HostName(Array(host.utf8)))
        return Configuration(entries, for: name, path: Array(path.utf8)).value("credential", "key")
    }

    @Test(
        "prefers the closest URL in any order",
        arguments: [
            (["https://github.com", "https://*.com", nil], "https://github.com"),
            ([nil, "https://*.com", "https://github.com"], "https://github.com"),
            (["https://github.com/acme", "https://github.com"], "https://github.com/acme"),
            (["https://github.com/acme/a", "https://github.com/acme"], "https://github.com/acme/a"),
            (["https://*.com/acme/a", "https://github.com"], "https://github.com"), (["https://", nil], "https://"),
        ] as [([String?], String)])
    func closest(urls: [String?], expected: String) throws {
        #expect(try winner(urls, for: "github.com", path: "acme/a") == expected)
    }

    @Test("prefers the last of equal URLs")
    func last() {
        let entries = ["1", "2"].map {
            ConfigurationEntry(section: "http", subsection: "https://h", key: "proxy", value: $0)
        }
        #expect(Configuration(entries, for: HostName(name: "h")).value("http", "proxy") == "2")
    }

    @Test(
        "ignores a URL of another host",
        arguments: [
            "http://github.com", "https://github.com:8443", "https://evil.com", "https://github.com.evil.org",
            "https://*.github.com", "https://*", "https://github.com/acme/widg", "https://github.com/other",
            "https://ithub.com",
            "ssh://github.com", "https://git*.com", "https://*.*.com", "https://github.com:0", "https://git hub.com",
        ])
    func foreign(url: String) throws { #expect(try winner([url], for: "github.com", path: "acme/widgets.git") == nil) }

    @Test(
        "ignores letter case, port 443, a final slash and missing parts of a URL",
        arguments: [
            "https://github.com", "HTTPS://GitHub.COM", "https://github.com:443", "https://github.com/", "github.com",
            "https://*.com", "*.com", "https://", "https://me@github.com", "https://github.com/acme",
            "https://github.com/acme/", "https://github.com/acme/widgets.git", "github.com/acme",
        ])
    func forgiven(url: String) throws {
        #expect(try winner([url], for: "GitHub.com:443", path: "acme/widgets.git") == url)
    }

    @Test("ignores a URL with a path if the request has none")
    func pathless() throws { #expect(try winner(["https://github.com/acme"], for: "github.com") == nil) }

    @Test("reads a key without a URL, and the last one counts")
    func plain() {
        let entries = [
            ConfigurationEntry(section: "credential", key: "interactive", value: "true"),
            ConfigurationEntry(section: "credential", key: "interactive", value: nil),
            ConfigurationEntry(section: "credential", subsection: "https://h", key: "interactive", value: "never"),
        ]
        #expect(Configuration(entries, for: HostName(name: "h")).plainValue("credential", "interactive") == "true")
    }

    @Test(
        "reads a setting with a destination only for a URL with a single host",
        arguments: [
            (nil, false), ("https://", false), ("https:///acme", false), ("https://*.example", false),
            ("https://ghe.*", false), ("*.example", false), ("", false), ("https://ghe.example", true),
            ("https://GHE.example:443/acme", true), ("ghe.example", true), ("https://me@ghe.example/", true),
        ] as [(String?, Bool)])
    func concreteHost(url: String?, counts: Bool) {
        let entries = [ConfigurationEntry(section: "credential", subsection: url, key: "key", value: "v")]
        let configuration = Configuration(
            entries, for: HostName(name: "ghe.example"), path: Array("acme/widgets.git".utf8))
        #expect((configuration.hostValue("credential", "key") == "v") == counts)
    }
}
