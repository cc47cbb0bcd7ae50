import CredentialCore
import Testing

/// The attacks R3 and R8 to R13 of the starter corpus, and of the advisories behind it.
@Suite("Credential context")
struct CredentialContextTests {
    private func context(_ protocol: String, _ host: String) throws -> CredentialContext {
        try CredentialContext(protocol: Array(`protocol`.utf8), host: try #require(HostName(Array(host.utf8))))
    }

    @Test(
        "recognizes github.com in any letter case and with port 443",
        arguments: [
            ("https", "github.com"), ("https", "GITHUB.COM"), ("https", "GitHub.com:443"), ("HTTPS", "github.com"),
            ("https", "gist.github.com"), ("https", "GIST.github.com:443"),
        ])
    func gitHub(protocol: String, host: String) throws {
        let known = try #require(SignInHost(builtIn: HostName(name: "github.com")))
        let context = try context(`protocol`, host)
        #expect(context.signInHost == known && context.host == known.name && context.protocol == Array("https".utf8))
    }

    @Test("recognizes gitlab.com", arguments: ["gitlab.com", "GitLab.COM:443"])
    func gitLab(host: String) throws {
        let context = try context("https", host)
        #expect(context.signInHost?.providerID == .gitlab && context.host == HostName(name: "gitlab.com"))
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
