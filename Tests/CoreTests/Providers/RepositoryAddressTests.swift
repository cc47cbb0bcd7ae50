import CredentialCore
import Providers
import Testing

@Suite("Pasted addresses of repositories")
struct RepositoryAddressTests {
    @Test(
        "reads every usual form of the same repository",
        arguments: [
            "https://github.com/acme/widgets", "https://github.com/acme/widgets.git",
            "https://github.com/acme/widgets/",
            "HTTPS://GitHub.com/acme/widgets", "https://www.github.com/acme/widgets", "http://github.com/acme/widgets",
            "https://github.com:443/acme/widgets", "github.com/acme/widgets", "acme/widgets", "acme/widgets.git",
            "https://github.com/acme/w%69dgets", "git@github.com:acme/widgets.git", "github.com:acme/widgets",
            "ssh://git@github.com/acme/widgets.git",
            "ssh://git@ssh.github.com:443/acme/widgets.git", "https://github.com/acme/widgets?tab=readme#usage",
        ])
    func usual(text: String) throws {
        let address = try #require(RepositoryAddress(text))
        #expect(address.host == HostName(name: "github.com"))
        #expect(address.segments == ["acme", "widgets"])
        #expect(address.username == nil)
    }

    @Test(
        "reads a project in groups of groups, and the host's own name for SSH on port 443",
        arguments: [
            "https://gitlab.com/acme/tools/widgets.git", "git@gitlab.com:acme/tools/widgets.git",
            "ssh://git@altssh.gitlab.com:443/acme/tools/widgets.git", "gitlab.com/acme/tools/widgets",
        ])
    func nested(text: String) throws {
        let address = try #require(RepositoryAddress(text))
        #expect(address.host == HostName(name: "gitlab.com") && address.segments == ["acme", "tools", "widgets"])
    }

    @Test(
        "accepts a path of one part on hosts that are not built in",
        arguments: [
            "https://git.example/one.git", "git.example/one", "git@git.example:one.git", "ssh://git@git.example/one",
        ])
    func onePart(text: String) throws {
        let address = try #require(RepositoryAddress(text))
        #expect(address.host == HostName(name: "git.example") && address.segments == ["one"])
    }

    @Test(
        "has one spelling for a name with other signs",
        arguments: [
            (["a/c++", "a/c%2B%2B", "a/c%2b+.git"], "a/c%2B%2B"), (["a/b%20c"], "a/b%20c"),
            (["a/user@x", "a/user%40x"], "a/user%40x"), (["x,y/~z", "x%2cy/%7Ez"], "x%2Cy/~z"),
            (["a/Größe", "a/Gr%c3%b6%C3%9fe"], "a/Gr%C3%B6%C3%9Fe"), (["a/b(c)"], "a/b%28c%29"),
        ])
    func signs(spellings: [String], path: String) throws {
        for spelling in spellings {
            let address = try #require(RepositoryAddress("https://git.example/\(spelling)"))
            #expect(address.segments.joined(separator: "/") == path)
            #expect(address.url.utf8.allSatisfy { ASCII.isPlain([$0], with: ":/.%-_~") })
        }
        #expect(RepositoryAddress("https://git.example/a/b%20c.git")?.requestPath == Array("a/b c.git".utf8))
    }

    @Test("reads an address with or without the known host, and a path of one part")
    func onHost() {
        func read(_ text: String, on host: String = "git.example") -> String? {
            RepositoryAddress(text, on: HostName(name: host))?.url
        }
        for text in ["a/b", "git.example/a/b", "https://git.example/a/b", "git@git.example:a/b"] {
            #expect(read(text) == "https://git.example/a/b")
        }
        #expect(read("one.git") == "https://git.example/one.git")
        #expect(read("my.group/app") == "https://git.example/my.group/app")
        // The caller refuses another host.
        #expect(read("https://github.com/a/b") == "https://github.com/a/b")
        #expect(read("acme", on: "github.com") == nil && read("") == nil && read("a/../b") == nil)
    }

    @Test("takes the name in the address as the account, and drops a password")
    func account() throws {
        #expect(RepositoryAddress("https://alice@github.com/acme/widgets")?.username == "alice")
        #expect(RepositoryAddress("https://alice:hunter2@github.com/acme/widgets")?.username == "alice")
        #expect(RepositoryAddress("https://evil.com@github.com/a/b")?.host == HostName(name: "github.com"))
        // A command with this name would start a program if it is pasted.
        let odd = try #require(RepositoryAddress("https://a;id@github.com/acme/widgets"))
        #expect(odd.username == nil && odd.rawUsername == "a;id")
        for text in ["www.:a/b", "www.[0/a/b"] { #expect(RepositoryAddress(text) == nil) }
        let twice = RepositoryAddress("https://www.www.git.example/a/b")
        #expect(twice?.host == HostName(name: "www.www.git.example"))
        // The Kelvin sign is no k.
        #expect(TypedAddress("git@\u{212a}de.org:a/b").host == "\u{212a}de.org")
        // git and a browser take the accent as the first byte of the path.
        #expect(TypedAddress("https://evil.com/\u{301}@github.com/a/b").host == "evil.com")
    }

    @Test("keeps the port of another host, and cuts a page's address to its repository")
    func pages() throws {
        let address = try #require(RepositoryAddress("https://ghe.example:8443/acme/widgets/tree/main/src"))
        #expect(address.host == HostName(name: "ghe.example", port: 8_443))
        #expect(address.segments.prefix(2) == ["acme", "widgets"])
    }

    @Test(
        "refuses any other text",
        arguments: [
            "", "/", "acme", "https://github.com", "https://github.com/acme", "https:///acme/widgets", "file:///a/b",
            "acme/../widgets", "acme/wid gets", "acme/wid\u{1b}gets", "acme/wid%1bgets",
            "https://github.com:0/acme/widgets", "https://github.com/.git", "https://git.example/.git",
            "https://git.example/a%2fb", "https://git.example/a%252fb", "https://git.example/%2e%2e/a",
            "https://git.example/a%ff", "https://git.example/a%", "https://git.example/a%e2%80%ae", "git.example/a;b",
            "https://git.example/a%20$(b)", "git@git.example:a%20b", "-/..", "acme/\u{202e}widgets",
            "https://[::1/acme/widgets", "acme/..git", "acme/...git",
        ])
    func others(text: String) { #expect(RepositoryAddress(text) == nil) }
}
