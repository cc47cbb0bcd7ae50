import CredentialCore
import Foundation
import System
import Testing

/// Compares our matching with the output of `git config --get-urlmatch`.
@Suite("URL matching compared with git's")
struct GitURLMatchTests {
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
        let file = try ConfigurationFile(
            urls.map { "[credential \"\($0)\"]\n\tkey = \($0)\n" }.joined() + "[credential]\n\tother = 1\n")
        let entries = urls.map { ConfigurationEntry(section: "credential", subsection: $0, key: "key", value: $0) }
        for place in asked {
            let parts = place.split(separator: "/", maxSplits: 1)
            let host = try #require(HostName(Array(parts[0].utf8)))
            let path = parts.count > 1 ? Array(parts[1].utf8) : []
            let ours = Configuration(entries, for: host, path: path).value("credential", "key")
            #expect(ours == file.gitsValue(of: "credential.key", for: "https://\(place)"), "for https://\(place)")
        }
    }
}

/// A configuration file that git reads instead of any other.
private final class ConfigurationFile {
    private let folder = TestFolder()
    private let path: String

    init(_ text: String) throws {
        path = folder.path + "/config"
        try Data(text.utf8).write(to: URL(filePath: path))
    }

    /// Returns git's value, or `nil` if git finds none.
    func gitsValue(of key: String, for url: String) -> String? {
        let command = ["env", "-i", "PATH=/usr/bin:/bin", "git", "config", "--file", path, "--get-urlmatch", key, url]
        return ChildProcess.output(of: command, within: 120_000).map { output in
            String(decoding: output.dropLast(), as: UTF8.self)
        }
    }
}
