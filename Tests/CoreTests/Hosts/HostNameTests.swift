import CredentialCore
import Testing

@Suite("Host names")
struct HostNameTests {
    @Test(
        "a host is a name and perhaps a port",
        arguments: [
            ("github.com", "github.com", nil), ("GitHub.com", "GitHub.com", nil), ("github.com.", "github.com.", nil),
            ("ghe.example:8443", "ghe.example", 8_443), ("h:1", "h", 1), ("h:65535", "h", 65_535), ("", "", nil),
            ("github%2ecom", "github%2ecom", nil), ("bücher.example", "bücher.example", nil), ("h_x", "h_x", nil),
        ] as [(String, String, UInt16?)])
    func split(text: String, name: String, port: UInt16?) throws {
        let host = try #require(HostName(Array(text.utf8)))
        #expect(host.name == Array(name.utf8))
        #expect(host.port == port)
        #expect(host.text == Array(text.utf8))
    }

    @Test(
        "an IPv6 address keeps its brackets, and only what follows them is a port",
        arguments: [
            ("[::1]", "[::1]", nil), ("[::1]:8080", "[::1]", 8_080), ("[fe80::a]", "[fe80::a]", nil),
            ("[fe80::b]", "[fe80::b]", nil),
        ] as [(String, String, UInt16?)])
    func ipv6(text: String, name: String, port: UInt16?) throws {
        let host = try #require(HostName(Array(text.utf8)))
        #expect(host.name == Array(name.utf8))
        #expect(host.port == port)
    }

    @Test(
        "a port is 1 to 65535 in plain digits, or the host is none",
        arguments: [
            "github.com:0", "github.com:00443", "github.com:0443", "github.com:65536",
            "github.com:65979",
            "github.com:99999", "github.com:99999999999999999999", "github.com:443:443", "github.com:+443",
            "github.com:-1",
            "github.com:４４３", "github.com:abc", "github.com:44 3", "github.com:0x1bb", "::1", "[::1]:0",
            "[::1]x",
            "[::1", "[::1]8080",
        ])
    func port(text: String) {
        #expect(HostName(Array(text.utf8)) == nil)
    }

    @Test(
        "bytes that belong to another part of an address make it none",
        arguments: [
            "github.com/", "github.com?x", "github.com#x", "me@github.com", "github.com:443@evil.com", "evil.com\\",
            "git hub.com", "github.com\t", "github.com\n", "github.com\r", "github.com\0", "github.com\u{7f}",
            "\u{1b}[2K",
        ])
    func foreignBytes(text: String) {
        #expect(HostName(Array(text.utf8)) == nil)
    }

    @Test("an empty port is none", arguments: ["github.com", "[::1]"])
    func emptyPort(name: String) throws {
        let host = try #require(HostName(Array((name + ":").utf8)))
        #expect(host == HostName(name: name))
    }

    @Test("a port without a name is no host", arguments: [":", ":443", ":8080"])
    func nameless(text: String) {
        #expect(HostName(Array(text.utf8)) == nil)
    }

    @Test(
        "the canonical form folds ASCII letters and leaves https's own port out",
        arguments: [
            ("GitHub.COM", "github.com"), ("GITHUB.com:443", "github.com"), ("GHE.Example:8443", "ghe.example:8443"),
            ("BÜCHER.example", "bÜcher.example"), ("\u{212a}.example", "\u{212a}.example"),
            ("github.com.", "github.com."),
        ])
    func canonical(text: String, expected: String) throws {
        let host = try #require(HostName(Array(text.utf8)))
        #expect(String(decoding: host.canonicalForHTTPS.text, as: UTF8.self) == expected)
    }

    @Test("hosts are compared byte by byte")
    func equality() {
        #expect(HostName(Array("github.com".utf8)) == HostName(name: "github.com"))
        #expect(HostName(Array("GitHub.com".utf8)) != HostName(name: "github.com"))
        #expect(HostName(name: "h", port: 443) != HostName(name: "h"))
        // The same character to Unicode, two keys to us.
        #expect(HostName(name: "caf\u{e9}") != HostName(name: "cafe\u{301}"))
    }
}
