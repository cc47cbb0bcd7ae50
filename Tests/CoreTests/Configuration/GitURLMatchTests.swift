import CredentialCore
import Glibc
import System
import Testing

/// Compares our matching with the output of `git config --get-urlmatch`.
@Suite("URL matching compared with git's")
struct GitURLMatchTests {
    /// The patterns of one file, each with itself as value, and the hosts and paths to ask for.
    struct Case: Sendable, CustomTestStringConvertible {
        let urls: [String]
        let asked: [String]

        var testDescription: String { "\(urls)" }
    }

    static let cases = [
        Case(
            urls: ["https://github.com", "https://*.com", "https://github.com/acme", "https://github.com/acme/a"],
            asked: [
                "github.com", "github.com/acme", "github.com/acme/a", "github.com/acme/ab", "github.com/acm",
                "GitHub.com",
                "gitlab.com", "gitlab.org", "github.com:443", "github.com:8443", "a.github.com",
            ]),
        Case(
            urls: ["https://*.example.com", "https://ghe.*.com", "https://ghe.example.com/x", "https://*.*.com"],
            asked: ["ghe.example.com", "ghe.example.com/x", "ghe.other.com", "a.example.com", "a.b.com", "example.com"]),
        Case(
            urls: ["https://*.example/a/b", "https://ghe.example/a", "https://ghe.example"],
            asked: ["ghe.example/a/b", "ghe.example/a", "ghe.example", "x.example/a/b", "x.example/a"]),
        Case(
            urls: ["https://h.example:8443", "https://h.example", "HTTPS://H.EXAMPLE:443/p/", "http://h.example"],
            asked: ["h.example", "h.example:8443", "h.example:443", "h.example/p", "h.example/p/q", "h.example:444"]),
        Case(urls: ["https://b.example", "https://*.example"], asked: ["b.example", "c.example"]),
        Case(urls: ["https://*.example", "https://b.example"], asked: ["b.example", "c.example"]),
    ]

    @Test("selects the same value as git for every host", arguments: cases)
    func agreement(with matching: Case) throws {
        let file = try ConfigurationFile(
            matching.urls.map { "[credential \"\($0)\"]\n\tkey = \($0)\n" }.joined() + "[credential]\n\tother = 1\n")
        let entries = matching.urls.map {
            ConfigurationEntry(section: "credential", subsection: $0, key: "key", value: $0)
        }
        for asked in matching.asked {
            let parts = asked.split(separator: "/", maxSplits: 1)
            let host = try #require(HostName(Array(parts[0].utf8)))
            let path = parts.count > 1 ? Array(parts[1].utf8) : []
            let ours = Configuration(entries, for: host, path: path).value("credential", "key")
            #expect(ours == file.gitsValue(of: "credential.key", for: "https://\(asked)"), "for https://\(asked)")
        }
    }
}

/// A configuration file that git reads instead of any other.
private final class ConfigurationFile {
    private let path: String

    init(_ text: String) throws {
        var template = Array("/tmp/gitspace-tests-XXXXXX\0".utf8CString)
        let descriptor = mkstemp(&template)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        path = String(decoding: template.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        try #require(write(descriptor, text, text.utf8.count) == text.utf8.count)
    }

    deinit { unlink(path) }

    /// Returns git's value, or `nil` if git finds none.
    func gitsValue(of key: String, for url: String) -> String? {
        let command = ["env", "-i", "PATH=/usr/bin:/bin", "git", "config", "--file", path, "--get-urlmatch", key, url]
        return ChildProcess.output(of: command, within: 120_000).map { output in
            String(decoding: output.dropLast(), as: UTF8.self)
        }
    }
}
