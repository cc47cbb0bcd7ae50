import CredentialCore
import FrontDoor
import Testing

@Suite("The front door's `get`")
struct GetDecisionTests {
    private let door = Door()

    private func get(_ more: String..., host: String = "github.com") -> String? {
        door.answer(.get, (["protocol=https", "host=\(host)"] + more).joined(separator: "\n"))
    }

    @Test(
        "answers with a fresh credential of a known host at once, without our own lines, without reading configuration",
        arguments: ["github.com", "gitlab.com"])
    func hit(host: String) throws {
        let grant = "\ngitspace_client_id=Iv1.0"
        door.items = [try Door.item("token\npassword_expiry_utc=\(Door.now + 301)" + grant, host: host)]
        #expect(get(host: host) == "username=octocat\npassword=token\npassword_expiry_utc=\(Door.now + 301)\n")
        door.items = [try Door.item("token\noauth_refresh_token=ghr_0\(grant)\ngitspace_scope=repo", host: host)]
        #expect(get(host: host) == "username=octocat\npassword=token\n")
        #expect(door.configurationReads == 0)
    }

    @Test(
        "hands a token that expires soon to the full program",
        arguments: [
            (299, nil, nil, false), (300, nil, nil, true), (0, nil, nil, false), (-5, nil, nil, false),
            (299, "60", nil, true), (299, "24h", nil, false), (300, "24h", nil, true), (601, "11m", 28_800, false),
            (72, nil, 290, true), (71, nil, 290, false),
        ] as [(Int64, String?, Int64?, Bool)])
    func expiring(seconds: Int64, minValidity: String?, lifetime: Int64?, isAnswered: Bool) throws {
        let issued = lifetime.map { "\ngitspace_client_id=Iv1.0\ngitspace_issued=\(Door.now + seconds - $0)" }
        door.items = [try Door.item("token\npassword_expiry_utc=\(Door.now + seconds)\(issued ?? "")")]
        door.variables["GITSPACE_MIN_VALIDITY"] = minValidity
        #expect((get() != nil) == isAnswered)
    }

    @Test("hands a locked, slow or faulty keyring to the full program")
    func unsearchable() {
        door.items = nil
        #expect(get() == nil)
        #expect(get(host: "unknown.example") == nil)
    }

    @Test("answers at once with the right one of several accounts")
    func severalAccounts() throws {
        let grant = "\ngitspace_client_id=Iv1.0"
        door.items = [
            try Door.item("evil", user: "a\nquit=1"), try Door.item("typed", user: "mallory", created: 1),
            try Door.item("two" + grant, user: "monalisa", created: 3), try Door.item("one" + grant, created: 2),
        ]
        #expect(get()?.contains("password=one") == true)
        #expect(get("username=monalisa")?.contains("password=two") == true)
        #expect(get("username=mallory")?.contains("password=typed") == true)
        #expect(door.configurationReads == 0)
    }

    @Test("hands over only if there are several accounts and a hint at one of them")
    func hint() throws {
        let hint = "wwwauth[]=Basic realm=\"GitHub\", Domain_Hint=\"acme\""
        let grant = "\ngitspace_client_id=Iv1.0"
        door.items = [try Door.item("one" + grant)]
        #expect(get(hint)?.contains("password=one") == true)
        door.items?.append(try Door.item("two" + grant, user: "mona_acme", created: 3))
        #expect(get(hint) == nil)
        #expect(get("username=octocat", hint)?.contains("one") == true)
        #expect(get("wwwauth[]=Basic realm=\"GitHub\"")?.contains("password=one") == true)
        #expect(get("wwwauth[]=Basic realm=\"_hin", "wwwauth[]=_")?.isEmpty == false)
    }

    @Test("hands over a password of another program, for a path and no account, since an app may be configured")
    func pathAlone() throws {
        door.items = [try Door.item("typed")]
        #expect(get("path=acme/private.git") == nil)
        #expect(get("path=acme/private.git", "username=octocat") != nil)
        door.items = [try Door.item("one\ngitspace_client_id=Iv1.0")]
        #expect(get("path=acme/private.git") != nil)
    }

    @Test("hands over if one of several items is unreadable, since it may be the right one")
    func unreadableAmongSeveral() throws {
        door.items = [try Door.item("one"), try Door.item("t\rwo", user: "monalisa")]
        #expect(get() == nil)
        door.items = [try Door.item("one"), try Door.item(nil, user: "monalisa")]
        #expect(get() == nil)
    }

    @Test(
        "hands over an item without a usable token, or with one that git cannot receive",
        arguments: [[], Array("\ngitspace_client_id=Iv1.0".utf8), [0x74, 0x0d], [0x74, 0], [0xff, 0x41]] as [[UInt8]])
    func unsound(secret: [UInt8]) throws {
        let item = try Door.item("")
        door.items = [
            Item(path: item.path, attributes: item.attributes, schemaName: item.schemaName, secret: Secret(secret))
        ]
        #expect(get() == nil)
    }

    @Test("hands over every request while a refused token is remembered")
    func refused() throws {
        door.items = [try Door.item("token")]
        #expect(get() != nil)
        door.hasRefusedTokens = true
        #expect(get() == nil)
    }

    @Test("prefers a grant for the whole host to an item for a path", arguments: ["github.com", "ghe.example"])
    func pathItem(host: String) throws {
        door.items = [
            try Door.item("evil", user: "mallory", host: host, path: "octo/public.git"),
            try Door.item("token\ngitspace_client_id=Iv1.0", host: host),
        ]
        for more in ["", "path=octo/public.git"] { #expect(get(more, host: host)?.contains("password=token") == true) }
    }

    @Test("uses a path's token for its path, and for a request without a path if there is no other")
    func pathToken() throws {
        door.items = [try Door.item("path", path: "acme/private")]
        #expect(get()?.contains("password=path") == true)
        let named = "username=octocat"
        #expect(get(named, "path=acme/private")?.contains("path") == true)
        #expect(get(named, "path=acme/other") == nil)
        door.items?.append(try Door.item("host"))
        #expect(get()?.contains("password=host") == true)
    }

    @Test("finds a name in another case by a second search, only where we sign in and only after a miss")
    func nameCase() throws {
        door.items = [try Door.item("one", user: "Octo-Cat"), try Door.item("two", user: "hubot")]
        let octocat = Array("Octo-Cat".utf8)
        #expect(get("username=Octo-Cat")?.contains("one") == true)
        #expect(door.searches.map(\.user) == [octocat])
        #expect(get("username=octo-cat") == "username=Octo-Cat\npassword=one\n")
        #expect(door.searches.map(\.user) == [octocat, Array("octo-cat".utf8), nil])
        #expect(get("username=octo") == nil)
        // Without a name, or where names are case-sensitive, there is no second search.
        door.items = []
        let before = door.searches.count
        #expect(get() == nil)
        #expect(get("username=octo-cat", host: "plain.example") == "")
        #expect(door.searches.count == before + 2)
    }

    @Test("ignores items of another port or host", arguments: ["github.com:8443", "github.example"])
    func others(host: String) throws {
        door.items = [try Door.item("other", host: host)]
        #expect(get() == nil)
        door.items?.append(try Door.item("token"))
        #expect(get()?.contains("password=token") == true)
    }

    @Test("answers a miss for an unconfigured host with nothing, and hands over one that may be a known host's")
    func miss() {
        #expect(get() == nil && get(host: "gitlab.com") == nil && door.configurationReads == 0)
        #expect(get(host: "unknown.example") == "" && door.configurationReads == 1)
        // git's configuration cannot be read.
        door.entries = nil
        #expect(get(host: "unknown.example") == nil)
    }

    @Test(
        "hands over a miss for a configured host, unless it is a plain store, or with another store",
        arguments: [
            ("https://git.example", "provider", "github"), ("https://git.example", "gitspacestore", "cache"),
            ("https://git.example", "provider", "GitLab"), ("https://git.example", "provider", "oidc"),
            ("https://git.example", "provider", "something-else"), ("https://git.example", "provider", "none"),
            (nil, "gitspacestore", "cache"), (nil, "gitspacecollection", "work"),
        ] as [(String?, String, String)])
    func missOfConfiguredHost(subsection: String?, key: String, value: String) {
        door.entries = [ConfigurationEntry(section: "credential", subsection: subsection, key: key, value: value)]
        #expect(get(host: "git.example") == (value == "none" ? "" : nil))
        #expect(get(host: "unknown.example") == (subsection == nil ? nil : ""))
    }

    @Test("hands over a miss for a configured path alone")
    func missOfConfiguredPath() {
        let section = "https://git.example/acme"
        door.entries = [
            ConfigurationEntry(section: "credential", subsection: section, key: "provider", value: "github")
        ]
        #expect(get("path=acme/private.git", host: "git.example") == nil)
        #expect(get("path=other/public.git", host: "git.example") == "")
    }

    @Test("hands over a miss while git's cache holds credentials, and answers a hit at once")
    func memory() throws {
        door.hasMemory = true
        #expect(get(host: "unknown.example") == nil)
        #expect(door.configurationReads == 0)
        door.items = [try Door.item("pw", host: "unknown.example")]
        #expect(get(host: "unknown.example") == "username=octocat\npassword=pw\n")
    }

    @Test(
        "hands over an invalid request without reading the keyring",
        arguments: ["host=github.com\r", "host=github.com:x", "host=", "nothing"])
    func refused(line: String) {
        #expect(door.answer(.get, "protocol=https", line) == nil)
        #expect(door.answer(.get, "protocol=http", "host=github.com") == nil)
        #expect(door.searches.isEmpty)
    }

    @Test("hands over other operations, whatever the keyring holds", arguments: [Operation.erase, .capability])
    func others(operation: Operation) throws {
        door.items = [try Door.item("token")]
        #expect(
            door.answer(operation, "protocol=https", "host=github.com", "username=octocat", "password=token") == nil)
        #expect(door.searches.isEmpty && door.configurationReads == 0)
    }
}
