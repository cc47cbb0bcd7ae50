import CredentialCore
import Testing

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
