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
        "refuses a port that is no plain number from 1 to 65535, a port alone, and bytes of other parts of an address",
        arguments: [
            "github.com:0", "github.com:00443", "github.com:0443", "github.com:65536", "github.com:65979",
            "github.com:99999", "github.com:99999999999999999999", "github.com:443:443", "github.com:+443",
            "github.com:-1", "github.com:４４３", "github.com:abc", "github.com:44 3", "github.com:0x1bb", "::1",
            "[::1]:0", "[::1]x", "[::1", "[::1]8080", ":", ":443", ":8080", "github.com/", "github.com?x",
            "github.com#x", "me@github.com", "github.com:443@evil.com", "evil.com\\", "git hub.com", "github.com\t",
            "github.com\n", "github.com\r", "github.com\0", "github.com\u{7f}", "\u{1b}[2K",
        ])
    func refused(text: String) { #expect(HostName(Array(text.utf8)) == nil) }

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

    @Test("compares hosts byte by byte, and reads an empty port as none")
    func equality() {
        for name in ["github.com", "[::1]"] { #expect(HostName(Array((name + ":").utf8)) == HostName(name: name)) }
        #expect(HostName(Array("github.com".utf8)) == HostName(name: "github.com"))
        #expect(HostName(Array("GitHub.com".utf8)) != HostName(name: "github.com"))
        #expect(HostName(name: "h", port: 443) != HostName(name: "h"))
        // Unicode takes both as the same character; to us, they are two keys.
        #expect(HostName(name: "caf\u{e9}") != HostName(name: "cafe\u{301}"))
    }
}

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
        "appends a path to the existing one, and percent-encodes what a terminal would act on",
        arguments: [
            ("/", "https://h/user"), ("/api/v3", "https://h/api/v3/user"), ("/api/v3/", "https://h/api/v3/user"),
            ("/a b\u{1b}", "https://h/a%20b%1B/user"),
        ])
    func appending(path: String, expected: String) {
        #expect(HTTPSAddress(host: "h", path: path).appending("/user").text == expected)
    }
}

/// The attacks R3 and R8 to R13 of the starter corpus, and of the advisories behind it.
@Suite("Credential context")
struct CredentialContextTests {
    private func context(_ protocol: String, _ host: String) throws -> CredentialContext {
        try CredentialContext(protocol: Array(`protocol`.utf8), host: try #require(HostName(Array(host.utf8))))
    }

    @Test(
        "recognizes github.com and gitlab.com in any letter case and with port 443",
        arguments: [
            ("https", "github.com"), ("https", "GITHUB.COM"), ("https", "GitHub.com:443"), ("HTTPS", "github.com"),
            ("https", "gist.github.com"), ("https", "GIST.github.com:443"), ("https", "gitlab.com"),
            ("https", "GitLab.COM:443"),
        ])
    func known(protocol: String, host: String) throws {
        let provider: ProviderID = host.lowercased().hasPrefix("gitlab") ? .gitlab : .github
        let known = try #require(SignInHost(builtIn: HostName(name: provider.rawValue + ".com")))
        let context = try context(`protocol`, host)
        #expect(context.signInHost == known && known.providerID == provider)
        #expect(context.host == known.name && context.protocol == Array("https".utf8))
    }

    @Test(
        "takes a name that only resembles a known one as unknown",
        arguments: [
            "github.com.evil.org", "evilgithub.com", "github.com.", ".github.com", "www.github.com", "api.github.com",
            "github.co", "github.community", "github%2ecom", "%67ithub.com", "gıthub.com", "github。com", "ｇithub.com",
            "github.com\u{200b}", "github-com", "xn--gthub-n4a.com", "gist.github.com.evil.org", "localhost", "[::1]",
            "gitlab.org", "www.gitlab.com", "gitlab.com.evil.org", "a.gist.github.com", "\u{ad}github.com",
        ])
    func strangers(host: String) throws {
        let name = try #require(HostName(Array(host.utf8)))
        let context = try context("https", host)
        #expect(context.signInHost == nil && context.host == name)
    }

    @Test("keeps the spelling of an unknown host as its key")
    func spelling() throws {
        #expect(try context("https", "GitLab.ORG:443").host == HostName(name: "GitLab.ORG", port: 443))
        #expect(try context("smtp", "Mail.Example:25").host == HostName(name: "Mail.Example", port: 25))
    }

    @Test(
        "refuses a known name over anything but https, or on another port, as a downgrade",
        arguments: [
            ("http", "github.com"), ("HTTP", "GitHub.com"), ("ftp", "github.com"), ("cert", "github.com"),
            ("https ", "github.com"), ("httpſ", "github.com"), ("http", "gist.github.com"), ("http", "acme.ghe.com"),
            ("http", "gitlab.com"), ("HTTP", "GitLab.com"), ("https", "github.com:8443"), ("https", "github.com:80"),
            ("https", "github.com:22"), ("https", "GIST.github.com:444"), ("https", "acme.ghe.com:8443"),
            ("https", "gitlab.com:80"),
        ])
    func otherProtocol(protocol: String, host: String) throws {
        #expect(throws: RequestError.downgrade) { try context(`protocol`, host) }
    }
}

@Suite("Hosts with sign-ins")
struct SignInHostTests {
    private func builtIn(_ text: String) -> SignInHost? {
        HostName(Array(text.utf8)).flatMap(SignInHost.init(builtIn:))
    }

    private func configured(_ text: String) -> SignInHost? {
        HostName(Array(text.utf8)).flatMap { SignInHost(configured: $0, provider: .github) }
    }

    @Test("uses the account and the token of github.com for gists")
    func gist() throws {
        let gist = try #require(builtIn("gist.github.com"))
        #expect(gist == builtIn("github.com") && gist.isBuiltIn)
        #expect(gist.displayName == "github.com" && gist.origin.text == "https://github.com/")
    }

    @Test(
        "recognizes one label before ghe.com, with pages of its own",
        arguments: [
            ("acme.ghe.com", "acme.ghe.com"), ("ACME.GHE.com:443", "acme.ghe.com"), ("a-1.ghe.com", "a-1.ghe.com"),
        ])
    func enterpriseCloud(text: String, name: String) throws {
        let host = try #require(builtIn(text))
        #expect(host.displayName.text == name && host.origin.text == "https://\(name)/")
    }

    @Test(
        "refuses any other name that ends in ghe.com",
        arguments: [
            "ghe.com", ".ghe.com", "a.b.ghe.com", "-a.ghe.com", "a-.ghe.com", "a_b.ghe.com", "évil.ghe.com",
            "a.ghe.com.evil.org", "aghe.com", "a.ghe.com.", "%61.ghe.com",
            String(repeating: "a", count: 64) + ".ghe.com",
        ])
    func notEnterpriseCloud(text: String) { #expect(builtIn(text) == nil) }

    @Test(
        "keeps the port of a configured host",
        arguments: [
            ("ghe.example", "https://ghe.example/"), ("GHE.Example:443", "https://ghe.example/"),
            ("ghe.example:8443", "https://ghe.example:8443/"), ("[::1]:8443", "https://[::1]:8443/"),
            ("ghe_x.example", "https://ghe_x.example/"), ("ghe.example:", "https://ghe.example/"),
        ])
    func enterpriseServer(text: String, origin: String) throws {
        let host = try #require(configured(text))
        #expect(host.origin.text == origin && !host.isBuiltIn)
    }

    @Test("refuses a name that cannot be part of an address", arguments: ["büro.example", "a%41", "", "a|b"])
    func unusable(text: String) { #expect(configured(text) == nil) }
}
