import CredentialCore
import Testing

@Suite("Attributes of an item")
struct ItemAttributesTests {
    private func attributes(_ host: String, user: String? = nil, path: String? = nil) throws -> ItemAttributes {
        ItemAttributes(
            protocol: Array("https".utf8), host: try #require(HostName(Array(host.utf8))),
            user: user.map { Array($0.utf8) }, object: path.map { Array($0.utf8) })
    }

    private func text(_ attributes: ItemAttributes) -> [String: String] {
        Dictionary(uniqueKeysWithValues: attributes.named.map { ($0.name, String(decoding: $0.value, as: UTF8.self)) })
    }

    @Test("has the names of git's own helper, for nonempty values only")
    func names() throws {
        #expect(
            text(try attributes("ghe.example:8443", user: "octocat", path: "a/b.git")) == [
                "protocol": "https", "server": "ghe.example", "port": "8443", "object": "a/b.git", "user": "octocat",
            ])
        #expect(text(try attributes("github.com")) == ["protocol": "https", "server": "github.com"])
    }

    @Test("keeps an empty user, and an empty server of a client certificate")
    func empty() throws {
        #expect(text(try attributes("h", user: ""))["user"] == "")
        let certificate = ItemAttributes(
            protocol: Array("cert".utf8), host: HostName(name: ""), object: Array("a".utf8))
        #expect(text(certificate)["server"] == "")
    }

    @Test("reads back the service's attributes, and ignores those that it added")
    func parsed() throws {
        let expected = try attributes("ghe.example:8443", user: "octocat", path: "a/b.git")
        let added = [("xdg:schema", Array("org.git.Password".utf8)), ("kwallet:folder", Array("x".utf8))]
        #expect(ItemAttributes(named: expected.named + added) == expected)
    }

    @Test(
        "has the label that git's helper writes",
        arguments: [
            ("github.com", nil, "Git: https://github.com/"),
            ("github.com", "a/b.git", "Git: https://github.com/a/b.git"),
            ("ghe.example:8443", nil, "Git: https://ghe.example:8443/"),
            ("ghe.example:8443", "a", "Git: https://ghe.example:8443/a"),
        ] as [(String, String?, String)])
    func label(host: String, path: String?, expected: String) throws {
        #expect(String(decoding: try attributes(host, path: path).label, as: UTF8.self) == expected)
    }
}
