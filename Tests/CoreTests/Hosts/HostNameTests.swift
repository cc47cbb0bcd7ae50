import CredentialCore
import Testing

@Suite("Host names")
struct HostNameTests {
    @Test(
        "splits a host into a name and a port, which follows the brackets of an IPv6 address",
        arguments: [
            ("github.com", "github.com", nil), ("GitHub.com", "GitHub.com", nil), ("github.com.", "github.com.", nil),
            ("ghe.example:8443", "ghe.example", 8_443), ("h:1", "h", 1), ("h:65535", "h", 65_535), ("", "", nil),
            ("github%2ecom", "github%2ecom", nil), ("bücher.example", "bücher.example", nil), ("h_x", "h_x", nil),
            ("[::1]", "[::1]", nil), ("[::1]:8080", "[::1]", 8_080), ("[fe80::a]", "[fe80::a]", nil),
        ] as [(String, String, UInt16?)])
    func split(text: String, name: String, port: UInt16?) throws {
        let host = try #require(HostName(Array(text.utf8)))
        #expect(host.name == Array(name.utf8) && host.port == port && host.text == Array(text.utf8))
    }

    @Test(
        "refuses a port that is not 1 to 65535 in plain digits, or has no name before it",
        arguments: [
            "github.com:0", "github.com:00443", "github.com:0443", "github.com:65536", "github.com:65979",
            "github.com:99999", "github.com:99999999999999999999", "github.com:443:443", "github.com:+443",
            "github.com:-1", "github.com:４４３", "github.com:abc", "github.com:44 3", "github.com:0x1bb", "::1",
            "[::1]:0", "[::1]x", "[::1", "[::1]8080", ":", ":443", ":8080",
        ])
    func port(text: String) { #expect(HostName(Array(text.utf8)) == nil) }

    @Test(
        "refuses bytes that belong to another part of an address",
        arguments: [
            "github.com/", "github.com?x", "github.com#x", "me@github.com", "github.com:443@evil.com", "evil.com\\",
            "git hub.com", "github.com\t", "github.com\n", "github.com\r", "github.com\0", "github.com\u{7f}",
            "\u{1b}[2K",
        ])
    func foreignBytes(text: String) { #expect(HostName(Array(text.utf8)) == nil) }

    @Test("reads an empty port as none", arguments: ["github.com", "[::1]"])
    func emptyPort(name: String) throws {
        let host = try #require(HostName(Array((name + ":").utf8)))
        #expect(host == HostName(name: name))
    }

    @Test(
        "folds ASCII letters and drops port 443 in the canonical form",
        arguments: [
            ("GitHub.COM", "github.com"), ("GITHUB.com:443", "github.com"), ("GHE.Example:8443", "ghe.example:8443"),
            ("BÜCHER.example", "bÜcher.example"), ("\u{212a}.example", "\u{212a}.example"),
            ("github.com.", "github.com."),
        ])
    func canonical(text: String, expected: String) throws {
        let host = try #require(HostName(Array(text.utf8)))
        #expect(String(decoding: host.canonicalForHTTPS.text, as: UTF8.self) == expected)
    }

    @Test("compares hosts byte by byte")
    func equality() {
        #expect(HostName(Array("github.com".utf8)) == HostName(name: "github.com"))
        #expect(HostName(Array("GitHub.com".utf8)) != HostName(name: "github.com"))
        #expect(HostName(name: "h", port: 443) != HostName(name: "h"))
        // Unicode takes both as the same character; to us, they are two keys.
        #expect(HostName(name: "caf\u{e9}") != HostName(name: "cafe\u{301}"))
    }
}
