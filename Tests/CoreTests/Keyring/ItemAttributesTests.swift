import CredentialCore
import TestSupport
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

@Suite("Programs that provide a keyring")
struct KeyringProgramTests {
    @Test("KeePassXC and KWallet can ask in a window of their own, and no other program can")
    func ownWindow() {
        let names = ["keepassxc", ".keepassxc-wrapped", "kwalletd6", "ksecretd", "gnome-keyring-daemon", "oo7-daemon"]
        #expect(names.filter { KeyringProgram($0).asksInOwnWindow } == Array(names.dropLast(2)))
    }
}

@Suite("Items of an app's installation")
struct InstallationItemTests {
    private func isServed(
        _ asked: String?, object: String?, owner: String? = "acme", _ paths: ItemQuery.Paths
    ) -> Bool {
        let host = HostName(name: "h")
        let https = Array("https".utf8)
        let line = owner.map { "\ngitspace_installation=\($0)" } ?? ""
        let item = Item(
            path: "/1",
            attributes: ItemAttributes(
                protocol: https, host: host, user: [0x75], object: object.map { Array($0.utf8) }),
            schemaName: nil, secret: Secret("ghs_x\(line)"))
        var query = ItemQuery(protocol: https, host: host, user: nil, path: asked.map { Array($0.utf8) }, paths: paths)
        query.fallsBackToPaths = true
        let matches = query.matching([item]).compactMap(StoredMatch.init)
        // The item must be found alone and beside another one.
        let two = query.matching([item, item]).compactMap(StoredMatch.init).ranked(for: query, at: 0)
        let alone = matches.ranked(for: query, at: 0)
        #expect(alone.isEmpty == two.isEmpty)
        return !alone.isEmpty
    }

    private static let modes: [ItemQuery.Paths] = [.exact, .wholeHostServesPath]

    @Test("serves its owner's repositories in any letter case, and paths below them", arguments: modes)
    func own(paths: ItemQuery.Paths) {
        for asked in ["acme/x", "acme/x.git", "ACME/x.git/info/lfs", "acme", "acme/"] {
            #expect(isServed(asked, object: "acme", paths) && isServed(asked, object: nil, paths), "\(asked)")
        }
        #expect(isServed("acme/X.git/info/lfs", object: "acme/x", paths))
    }

    @Test("serves no other owner, and no request without a path", arguments: modes)
    func others(paths: ItemQuery.Paths) {
        for asked in ["beta/x", "acme2/x", "acm/x", "x/acme", "beta/acme/x", "/"] {
            #expect(!isServed(asked, object: "acme", paths) && !isServed(asked, object: nil, paths), "\(asked)")
        }
        for asked in ["acme/y", "acme/xx", "acme", "beta/x"] { #expect(!isServed(asked, object: "acme/x", paths)) }
        #expect(!isServed(nil, object: "acme", paths) && isServed(nil, object: nil, paths))
    }

    @Test("an ordinary item serves its own path only", arguments: modes)
    func ordinary(paths: ItemQuery.Paths) {
        #expect(!isServed("acme/x", object: "acme", owner: nil, paths))
        #expect(isServed("acme", object: "acme", owner: nil, paths))
    }

    @Test("erase finds every item without a path, and those that serve the path with one")
    func wildcard() {
        #expect(isServed(nil, object: "acme", .wildcard) && isServed("acme/x", object: "acme", .wildcard))
        #expect(!isServed("beta/x", object: "acme", .wildcard))
    }

    @Test("writes and reads its lines, which make an item a grant")
    func lines() throws {
        let credential = StoredCredential(
            username: [0x75], password: Secret("ghs_x"),
            grant: .init(clientID: nil, installation: "acme", exhaustedAt: 7))
        let text = try #require(SecretText.encode(credential))
        #expect(text.text == "ghs_x\ngitspace_installation=acme\ngitspace_exhausted=7")
        let read = try #require(SecretText.parse(text, username: [0x75]))
        #expect(read.grant == credential.grant && read.isRefreshable && read.isProtected(at: 0))
    }
}
