import TestSupport
import Testing

/// The service finds more items than a request means; these tests are about the selection from them.
@Suite("Items that match a request")
struct ItemQueryTests {
    private func query(
        _ host: String, user: String? = nil, path: String? = nil, _ paths: ItemQuery.Paths = .exact
    ) -> ItemQuery {
        ItemQuery(
            protocol: Array("https".utf8), host: HostName(Array(host.utf8)) ?? HostName(name: ""),
            user: user.map { Array($0.utf8) }, path: path.map { Array($0.utf8) }, paths: paths)
    }

    private func item(
        _ name: String, _ attributes: [String: String], schema: String? = "org.git.Password", created: UInt64 = 1,
        isLocked: Bool = false, secret: String = "password"
    ) -> Item {
        let usual = ["protocol": "https", "server": "h", "user": "u"].merging(attributes) { $1 }
        return Item(
            path: name,
            attributes: ItemAttributes(named: usual.filter { $0.value != "-" }.map { ($0.key, Array($0.value.utf8)) }),
            schemaName: schema, created: created, secret: isLocked ? nil : Secret(secret))
    }

    private func ranked(_ query: ItemQuery, _ items: Item...) -> [String] { ranked(query, items) }

    private func ranked(_ query: ItemQuery, _ items: [Item]) -> [String] {
        query.matching(items).compactMap(StoredMatch.init).ranked(for: query, at: 1_000).map(\.item.path)
    }

    @Test("requires the request's own port, where no port equals only no port")
    func ports() {
        let items = [item("plain", [:]), item("8443", ["port": "8443"]), item("443", ["port": "443"])]
        #expect(ranked(query("h"), items) == ["plain"])
        #expect(ranked(query("h:8443"), items) == ["8443"])
        #expect(ranked(query("h:443"), items) == ["443"])
        #expect(ranked(query("h:80"), items).isEmpty)
        // A wildcard for paths is none for ports (git's own helper deletes `h:8443` as well).
        #expect(ranked(query("h", .wildcard), items) == ["plain"])
        // git's helper would read this as port 443.
        #expect(ranked(query("h:443"), item("0443", ["port": "0443"]), item("65979", ["port": "65979"])).isEmpty)
    }

    @Test("compares protocol, server and user byte by byte")
    func names() {
        #expect(
            ranked(
                query("h", user: "u"), item("right", [:]), item("http", ["protocol": "http"]),
                item("H", ["server": "H"]), item("h.evil", ["server": "h.evil"]), item("U", ["user": "U"]),
                item("empty", ["user": ""])) == ["right"])
        #expect(ranked(query("h", user: ""), item("u", [:]), item("empty", ["user": ""])) == ["empty"])
    }

    @Test("finds every user's item if the request has no user")
    func anyUser() { #expect(ranked(query("h"), item("a", ["user": "a"]), item("b", ["user": "b"])).count == 2) }

    @Test("ignores an item that was planted with fewer attributes", arguments: ["protocol", "server", "user"])
    func planted(missing: String) { #expect(ranked(query("h"), item("planted", [missing: "-"])).isEmpty) }

    @Test("finds items of any schema as git's helper does, and prefers git's own")
    func schemas() {
        #expect(
            ranked(
                query("h"), item("generic", [:], schema: "org.freedesktop.Secret.Generic"),
                item("old", [:], schema: "org.gnome.keyring.NetworkPassword"), item("none", [:], schema: nil),
                item("new", [:])) == ["new", "generic", "old", "none"])
    }

    @Test("ranks an item of the older schema last if the newer one has it too")
    func replaced() {
        let old = "org.gnome.keyring.NetworkPassword"
        #expect(
            ranked(
                query("h"), item("old", [:], schema: old, created: 1), item("b", ["user": "b"], created: 5),
                item("new", [:], created: 7), item("only old", ["user": "c"], schema: old, created: 6)) == [
                    "b", "only old", "new", "old",
                ])
    }

    private static let grant = "token\ngitspace_client_id=Iv1.0"

    @Test("ranks usable grants first, then other items, then expired ones")
    func standing() {
        #expect(
            ranked(
                query("h"), item("typed", ["user": "a"], created: 1),
                item("ended", ["user": "b"], created: 1, secret: Self.grant + "\npassword_expiry_utc=999"),
                item(
                    "renewable", ["user": "c"], created: 3,
                    secret: Self.grant + "\npassword_expiry_utc=1\noauth_refresh_token=ghr"),
                item("live", ["user": "d"], created: 4, secret: Self.grant),
                item("typed and ended", ["user": "e"], secret: "token\npassword_expiry_utc=999")) == [
                    "renewable", "live", "typed", "ended", "typed and ended",
                ])
    }

    @Test("ranks equal accounts by their own age, else by the keyring's, else by name")
    func age() {
        let items = [
            item("third", ["user": "y"], created: 9, secret: Self.grant + "\ngitspace_since=9"),
            item("first", ["user": "z"], created: 900, secret: Self.grant + "\ngitspace_since=7"),
            item("fourth", ["user": "z"], created: 9, secret: Self.grant),
            item("second", ["user": "a"], created: 8, secret: Self.grant),
        ]
        #expect(ranked(query("h"), items) == ["first", "second", "third", "fourth"])
        #expect(ranked(query("h"), items.reversed()) == ["first", "second", "third", "fourth"])
    }

    @Test("finds locked items")
    func locked() { #expect(query("h").matching([item("locked", [:], isLocked: true)]).map(\.path) == ["locked"]) }

    @Test("ignores an item whose name no request can have", arguments: ["a\nhost=evil", "a\r", "\u{1b}[2J", "a\u{7f}"])
    func plantedName(name: String) {
        #expect(ranked(query("h"), item("planted", ["user": name]), item("own", [:])) == ["own"])
        #expect(query("h").matching([item("planted", ["user": name])]).isEmpty)
    }

    @Test("ranks a grant, which is for the whole host, before an item for the path")
    func grantAndPath() {
        let grant = item("grant", [:], created: 9, secret: Self.grant)
        let items = [item("path", ["object": "a"]), item("whole", ["user": "w"]), grant]
        for paths in [ItemQuery.Paths.exact, .wholeHostServesPath] {
            #expect(ranked(query("h", path: "a", paths), items).first == "grant")
            #expect(ranked(query("h", paths), items).first == "grant")
        }
        #expect(ranked(query("h", path: "a"), items) == ["grant", "path"])
        // A locked item that most likely serves no path is not unlocked.
        #expect(query("h", path: "a").matching([item("locked", [:], isLocked: true)]).isEmpty)
    }

    @Test("ranks an installation's item for the exact path before its owner's")
    func installations() {
        let secret = "ghs_x\ngitspace_installation=acme"
        let items = [
            item("owner", ["object": "acme"], created: 1, secret: secret),
            item("repository", ["object": "acme/x"], created: 2, secret: secret),
        ]
        #expect(ranked(query("h", path: "acme/x"), items) == ["repository", "owner"])
        #expect(ranked(query("h", path: "acme/y"), items) == ["owner"])
    }

    @Test(
        "finds the exact path, the whole host's item, or every path, each only where the meaning of a path allows it",
        arguments: [
            (.exact, "a", ["a"]), (.exact, "c", []), (.exact, nil, ["whole"]), (.wholeHostServesPath, "c", ["whole"]),
            (.wholeHostServesPath, "a", ["a", "whole"]), (.wholeHostServesPath, nil, ["whole"]),
            // Erase finds any path if the request has none.
            (.wildcard, "a", ["a"]), (.wildcard, nil, ["a", "b", "whole"]),
        ] as [(ItemQuery.Paths, String?, [String])])
    func paths(paths: ItemQuery.Paths, path: String?, names: [String]) {
        let items = [item("whole", [:], created: 9), item("a", ["object": "a"]), item("b", ["object": "b"])]
        let query = query("h", path: path, paths)
        let found = ranked(query, items)
        #expect((paths == .wildcard ? found.sorted() : found) == names)
        #expect(query.search.object == (paths == .wildcard ? path.map { Array($0.utf8) } : nil))
    }

    @Test("finds a path's item without a path only as a fallback of get")
    func noPath() {
        let items = [item("a", ["object": "a"], created: 9), item("whole", [:])]
        for paths in [ItemQuery.Paths.exact, .wholeHostServesPath] {
            var query = query("h", paths)
            #expect(ranked(query, [items[0]]).isEmpty)
            query.fallsBackToPaths = true
            #expect(ranked(query, items) == ["whole"] && ranked(query, [items[0]]) == ["a"])
        }
    }

    @Test("ignores the case of ASCII letters on hosts with sign-ins, and keeps locked items that hide their name")
    func nameCase() {
        let items = ["Octo-Cat", "octo-cat", "octo_cat", "octo-cats", "?"].map { item($0, ["user": $0]) }
        let query = ItemQuery(
            protocol: Array("https".utf8), host: HostName(name: "h"), user: Array("OCTO-CAT".utf8), path: nil,
            paths: .exact, ignoresCase: true)
        #expect(Set(ranked(query, items)) == ["Octo-Cat", "octo-cat"])
        #expect(query.search.user == nil && query.exactSearch.user == Array("OCTO-CAT".utf8))
        #expect(ranked(self.query("h", user: "OCTO-CAT"), items).isEmpty)
        #expect(self.query("h", user: "u").search.user == Array("u".utf8))
        let hidden = item("hidden", ["user": "?"], isLocked: true)
        #expect(query.matching([hidden]).count == 1 && self.query("h", user: "u").matching([hidden]).isEmpty)
        // A path may be hidden too.
        let path = item("path", ["object": "?"], isLocked: true)
        #expect(self.query("h", path: "a").matching([path, item("open", ["object": "?"])]).map(\.path) == ["path"])
    }

    @Test("does not return one IPv6 host's password to another")
    func ipv6() {
        let items = [item("a", ["server": "[fe80::a]"]), item("b", ["server": "[fe80::b]"])]
        #expect(ranked(query("[fe80::b]"), items) == ["b"])
    }
}
