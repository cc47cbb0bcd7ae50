import CredentialCore
import Providers
import Testing

@Suite("A repository's address, as people paste it")
struct RepositoryAddressTests {
    @Test(
        "every usual form names the same repository",
        arguments: [
            "https://github.com/acme/widgets", "https://github.com/acme/widgets.git",
            "https://github.com/acme/widgets/",
            "HTTPS://GitHub.com/acme/widgets", "https://www.github.com/acme/widgets", "http://github.com/acme/widgets",
            "https://github.com:443/acme/widgets", "github.com/acme/widgets", "acme/widgets", "acme/widgets.git",
            "git@github.com:acme/widgets.git", "github.com:acme/widgets", "ssh://git@github.com/acme/widgets.git",
            "ssh://git@ssh.github.com:443/acme/widgets.git", "https://github.com/acme/widgets?tab=readme#usage",
        ])
    func usual(text: String) throws {
        let address = try #require(RepositoryAddress(text))
        #expect(address.host == HostName(name: "github.com"))
        #expect(address.segments == ["acme", "widgets"])
        #expect(address.username == nil)
    }

    @Test(
        "a project may lie in groups of groups; ssh on port 443 has a name of its own",
        arguments: [
            "https://gitlab.com/acme/tools/widgets.git", "git@gitlab.com:acme/tools/widgets.git",
            "ssh://git@altssh.gitlab.com:443/acme/tools/widgets.git", "gitlab.com/acme/tools/widgets",
        ])
    func nested(text: String) throws {
        let address = try #require(RepositoryAddress(text))
        #expect(address.host == HostName(name: "gitlab.com") && address.segments == ["acme", "tools", "widgets"])
    }

    @Test("a name in the address is the account; a password is dropped")
    func account() throws {
        #expect(RepositoryAddress("https://alice@github.com/acme/widgets")?.username == "alice")
        #expect(RepositoryAddress("https://alice:hunter2@github.com/acme/widgets")?.username == "alice")
        #expect(RepositoryAddress("https://evil.com@github.com/a/b")?.host == HostName(name: "github.com"))
        for text in ["www.:a/b", "www.[0/a/b"] { #expect(RepositoryAddress(text) == nil) }
        let twice = RepositoryAddress("https://www.www.git.example/a/b")
        #expect(twice?.host == HostName(name: "www.www.git.example"))
        // The Kelvin sign is no k.
        #expect(TypedAddress("git@\u{212a}de.org:a/b").host == "\u{212a}de.org")
        // To git and to a browser, the accent is the first byte of the path.
        #expect(TypedAddress("https://evil.com/\u{301}@github.com/a/b").host == "evil.com")
    }

    @Test("another host keeps its port, and a page of the repository is understood")
    func pages() throws {
        let address = try #require(RepositoryAddress("https://ghe.example:8443/acme/widgets/tree/main/src"))
        #expect(address.host == HostName(name: "ghe.example", port: 8_443))
        #expect(address.segments.prefix(2) == ["acme", "widgets"])
    }

    @Test(
        "anything else is no address",
        arguments: [
            "", "/", "acme", "https://github.com", "https://github.com/acme", "https:///acme/widgets", "file:///a/b",
            "acme/../widgets", "acme/wid gets", "acme/wid\u{1b}gets", "https://github.com/acme/w%69dgets",
            "https://github.com:0/acme/widgets", "-/..", "acme/\u{202e}widgets", "https://[::1/acme/widgets",
        ])
    func others(text: String) { #expect(RepositoryAddress(text) == nil) }
}
