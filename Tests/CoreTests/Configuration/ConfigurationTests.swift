import CredentialCore
import Foundation
import System
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

@Suite("Account in git's configuration")
struct ConfiguredUsernameTests {
    private func configured(_ lines: [(url: String?, name: String?)], owner: String? = nil) -> ConfiguredUsername {
        let entries = lines.map { line in
            OriginatedEntry(
                scope: "global", origin: "/f",
                entry: ConfigurationEntry(
                    section: "credential", subsection: line.url, key: "username", value: line.name))
        }
        return ConfiguredUsername(entries, for: HostName(name: "github.com"), owner: owner)
    }

    @Test("takes the last line that covers the host, however general")
    func last() {
        #expect(configured([]).name == nil)
        #expect(configured([("https://github.com", "a"), (nil, "b")]).name == "b")
        #expect(configured([(nil, "b"), ("github.com", "a")]).name == "a")
        #expect(
            configured([("https://github.com", "a"), ("https://h.example", "b"), ("https://x@github.com", "c")]).name
                == "a")
        #expect(configured([("https://github.com", "a"), ("https://github.com", nil)]).name == "a")
    }

    @Test("takes a later line for a part of the host")
    func parts() {
        let found = configured([
            ("https://github.com/old", "o"), ("https://github.com", "a"), ("https://github.com/acme", "b"),
            ("https://h.example/acme", "c"),
        ])
        #expect(found.overridden.map(\.entry.value) == ["o"] && found.exceptions.map(\.entry.value) == ["b"])
        #expect(configured([("https://github.com/acme", "b")]).exceptions.count == 1)
        let below = configured([("https://github.com/acme/x", "b"), ("https://github.com/acme-x", "c")], owner: "acme")
        #expect(below.exceptions.map(\.entry.value) == ["b"])
    }
}

/// Compares our matching with the output of `git config --get-urlmatch`.
@Suite("URL matching compared with git's")
struct GitURLMatchTests {
    private let folder = TestFolder()

    /// The patterns of one file, each with itself as value, and the hosts and paths to ask for.
    static let cases: [(urls: [String], asked: [String])] = [
        (
            ["https://github.com", "https://*.com", "https://github.com/acme", "https://github.com/acme/a"],
            [
                "github.com", "github.com/acme", "github.com/acme/a", "github.com/acme/ab", "github.com/acm",
                "GitHub.com", "gitlab.com", "gitlab.org", "github.com:443", "github.com:8443", "a.github.com",
            ]
        ),
        (
            ["https://*.example.com", "https://ghe.*.com", "https://ghe.example.com/x", "https://*.*.com"],
            ["ghe.example.com", "ghe.example.com/x", "ghe.other.com", "a.example.com", "a.b.com", "example.com"]
        ),
        (
            ["https://*.example/a/b", "https://ghe.example/a", "https://ghe.example"],
            ["ghe.example/a/b", "ghe.example/a", "ghe.example", "x.example/a/b", "x.example/a"]
        ),
        (
            ["https://h.example:8443", "https://h.example", "HTTPS://H.EXAMPLE:443/p/", "http://h.example"],
            ["h.example", "h.example:8443", "h.example:443", "h.example/p", "h.example/p/q", "h.example:444"]
        ), (["https://b.example", "https://*.example"], ["b.example", "c.example"]),
        (["https://*.example", "https://b.example"], ["b.example", "c.example"]),
    ]

    @Test("selects the same value as git for every host", arguments: cases)
    func agreement(urls: [String], asked: [String]) throws {
        let lines = urls.map { "[credential \"\($0)\"]\n\tkey = \($0)\n" }.joined() + "[credential]\n\tother = 1\n"
        try Data(lines.utf8).write(to: URL(filePath: folder.path + "/config"))
        let git = ["env", "-i", "PATH=/usr/bin:/bin", "git", "config", "--file", folder.path + "/config"]
        let entries = urls.map { ConfigurationEntry(section: "credential", subsection: $0, key: "key", value: $0) }
        for place in asked {
            let parts = place.split(separator: "/", maxSplits: 1)
            let host = try #require(HostName(Array(parts[0].utf8)))
            let path = parts.count > 1 ? Array(parts[1].utf8) : []
            let ours = Configuration(entries, for: host, path: path).value("credential", "key")
            // git fails if it finds no value.
            let command = git + ["--get-urlmatch", "credential.key", "https://\(place)"]
            let theirs = ChildProcess.output(of: command, within: 120_000)
            #expect(ours.map { Array(($0 + "\n").utf8) } == theirs, "for https://\(place)")
        }
    }
}
