import CredentialCore
import Testing

@Suite("https addresses")
struct HTTPSAddressTests {
    @Test(
        "rebuilds an address from its parts",
        arguments: [
            ("https://github.com/login/device", "https://github.com/login/device"),
            ("HTTPS://GitHub.com:443/Login", "https://github.com/Login"),
            ("https://ghe.example:8443", "https://ghe.example:8443/"),
            ("https://github.com?a=b", "https://github.com/?a=b"),
            ("https://github.com/a?b=c/d%20e", "https://github.com/a?b=c/d%20e"),
            ("https://[::1]:8443/x", "https://[::1]:8443/x"), ("https://127.0.0.1/", "https://127.0.0.1/"),
            ("https://github.com:/x", "https://github.com/x"), ("https://git_lab.example/", "https://git_lab.example/"),
        ])
    func rebuilt(text: String, expected: String) throws {
        #expect(try #require(HTTPSAddress(parsing: text)).text == expected)
    }

    /// The attacks of a hostile `verification_uri` (S10), and addresses that URL parsers read differently.
    @Test(
        "refuses any other text",
        arguments: [
            "", "http://github.com/", "https:/github.com", "https:github.com", "//github.com", "github.com", "https://",
            "https:///x", "https://github.com@evil.example/", "https://github.com:443@evil.example/",
            "https://github.com\\@evil.example/", "https://evil.example\\@github.com/", "https://github.com/\\x",
            "javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "-h", "--version", "ftp://github.com/",
            "https://github.com/\u{1b}[2K", "https://github.com/a\nb", "https://github.com/a b", " https://github.com/",
            "https://github.com/ ", "https://github.com/\t", "https://github.com/\u{7f}", "https://github.com/é",
            "https://github.com/#fragment", "https://github.com/\"x", "https://github.com/<x>",
            "https://github.com/`x`", "https://github.com:0/", "https://github.com:99999/", "https://github.com:+443/",
            "https://git%68ub.com/", "https://gıthub.com/", "https://[::1/", "https://[]/", "https://[::1]x/",
            "https://:443/", "https://user:password@github.com/", "https ://github.com/",
        ])
    func refused(text: String) { #expect(HTTPSAddress(parsing: text) == nil) }

    @Test("refuses more than 2,048 bytes, however long the text")
    func length() {
        let start = "https://github.com/"
        let longest = start + String(repeating: "x", count: 2_048 - start.utf8.count)
        #expect(HTTPSAddress(parsing: longest)?.text == longest)
        #expect(HTTPSAddress(parsing: longest + "x") == nil)
        #expect(HTTPSAddress(parsing: start + String(repeating: "x", count: 1_000_000)) == nil)
    }

    @Test(
        "compares host and port of two origins",
        arguments: [
            ("https://github.com/login", true), ("https://GITHUB.com:443/x", true), ("https://github.com:8443/", false),
            ("https://gist.github.com/", false), ("https://github.com./", false),
            ("https://evil.example/github.com", false),
        ])
    func origin(text: String, isSame: Bool) throws {
        let address = try #require(HTTPSAddress(parsing: text))
        #expect(address.isSameOrigin(as: HTTPSAddress(host: "github.com")) == isSame)
    }

    @Test(
        "appends a path to the existing one",
        arguments: [
            ("/", "https://h/user"), ("/api/v3", "https://h/api/v3/user"), ("/api/v3/", "https://h/api/v3/user"),
        ])
    func appending(path: String, expected: String) {
        #expect(HTTPSAddress(host: "h", path: path).appending("/user").text == expected)
    }
}
