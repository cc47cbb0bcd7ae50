import CredentialCore
import TestSupport
import Testing

/// What the service returns for a search is more than was asked for; these are the items that are left.
@Suite("Which items a request means")
struct ItemQueryTests {
    private func query(
        _ host: String, user: String? = nil, path: String? = nil, _ paths: ItemQuery.Paths = .exact
    ) -> ItemQuery {
        ItemQuery(
            protocol: Array("https".utf8), host: HostName(Array(host.utf8)) ?? HostName(name: ""),
            user: user.map { Array($0.utf8) }, path: path.map { Array($0.utf8) }, paths: paths)
    }

    private func item(
        _ name: String, _ attributes: [String: String], schema: String? = "org.git.Password", modified: UInt64 = 1,
        isLocked: Bool = false
    ) -> Item {
        let usual = ["protocol": "https", "server": "h", "user": "u"].merging(attributes) { $1 }
        return Item(
            path: name,
            attributes: ItemAttributes(named: usual.filter { $0.value != "-" }.map { ($0.key, Array($0.value.utf8)) }),
            schemaName: schema, modified: modified, secret: isLocked ? nil : Secret(name))
    }

    private func ranked(_ query: ItemQuery, _ items: Item...) -> [String] { query.ranked(items).map(\.path) }

    @Test("the port must be the request's own: absent equals only absent")
    func ports() {
        let items = [item("plain", [:]), item("8443", ["port": "8443"]), item("443", ["port": "443"])]
        #expect(query("h").ranked(items).map(\.path) == ["plain"])
        #expect(query("h:8443").ranked(items).map(\.path) == ["8443"])
        #expect(query("h:443").ranked(items).map(\.path) == ["443"])
        #expect(query("h:80").ranked(items).isEmpty)
        // git's helper would read this as port 443.
        #expect(ranked(query("h:443"), item("0443", ["port": "0443"]), item("65979", ["port": "65979"])).isEmpty)
    }

    @Test("protocol, server and user must be equal to the byte")
    func names() {
        #expect(
            ranked(
                query("h", user: "u"), item("right", [:]), item("http", ["protocol": "http"]),
                item("H", ["server": "H"]),
                item("h.evil", ["server": "h.evil"]), item("U", ["user": "U"]), item("empty", ["user": ""])) == [
                    "right"
                ])
        #expect(ranked(query("h", user: ""), item("u", [:]), item("empty", ["user": ""])) == ["empty"])
    }

    @Test("asked for nobody in particular, every user counts")
    func anyUser() {
        #expect(ranked(query("h"), item("a", ["user": "a"]), item("b", ["user": "b"])).count == 2)
    }

    @Test("an item that somebody planted with fewer attributes is nobody's", arguments: ["protocol", "server", "user"])
    func planted(missing: String) {
        #expect(ranked(query("h"), item("planted", [missing: "-"])).isEmpty)
    }

    @Test("another program's schema is not ours to read; none at all is not held against an item")
    func schemas() {
        #expect(
            ranked(
                query("h"), item("new", [:]), item("old", [:], schema: "org.gnome.keyring.NetworkPassword"),
                item("none", [:], schema: nil), item("other", [:], schema: "org.gnome.keyring.Note")) == [
                    "new", "none", "old",
                ])
    }

    @Test("the newer schema comes first, then what was changed last, then the name on the bus")
    func ranking() {
        let old = "org.gnome.keyring.NetworkPassword"
        #expect(
            ranked(
                query("h"), item("old, newest", [:], schema: old, modified: 9), item("b", [:], modified: 5),
                item("a", [:], modified: 5), item("c", [:], modified: 7), item("old", [:], schema: old, modified: 8))
                == ["c", "a", "b", "old, newest", "old"])
    }

    @Test("locked items are found like any other")
    func locked() {
        #expect(ranked(query("h"), item("locked", [:], isLocked: true)) == ["locked"])
    }

    @Test("with a path, only that path will do")
    func exactPath() {
        let items = [item("whole", [:]), item("a", ["object": "a"]), item("b", ["object": "b"])]
        #expect(query("h", path: "a").ranked(items).map(\.path) == ["a"])
        #expect(query("h", path: "c").ranked(items).isEmpty)
        #expect(query("h", path: "a").search.object == Array("a".utf8))
    }

    @Test("without one, the whole host wins, and a path will do where there is nothing else")
    func noPath() {
        let items = [item("a", ["object": "a"], modified: 9), item("whole", [:])]
        #expect(query("h").ranked(items).map(\.path) == ["whole"])
        #expect(query("h").ranked([items[0]]).map(\.path) == ["a"])
    }

    @Test("where a token is for the whole host, it serves every path on it")
    func wholeHost() {
        let items = [item("whole", [:], modified: 9), item("a", ["object": "a"]), item("b", ["object": "b"])]
        let query = { (path: String?) in self.query("h", path: path, .wholeHostServesPath) }
        #expect(query("a").ranked(items).map(\.path) == ["a", "whole"])
        #expect(query("c").ranked(items).map(\.path) == ["whole"])
        #expect(query(nil).ranked(items).map(\.path) == ["whole"])
        #expect(query("a").search.object == nil)
    }

    @Test("to erase, an absent path matches anything, and a present one only itself")
    func wildcard() {
        let items = [item("whole", [:]), item("a", ["object": "a"]), item("b", ["object": "b"])]
        #expect(Set(query("h", .wildcard).ranked(items).map(\.path)) == ["whole", "a", "b"])
        #expect(query("h", path: "a", .wildcard).ranked(items).map(\.path) == ["a"])
        // A wildcard for paths is none for ports (git's own helper deletes `h:8443` as well).
        #expect(query("h", .wildcard).ranked([item("8443", ["port": "8443"])]).isEmpty)
    }

    @Test("IPv6 hosts do not get each other's password")
    func ipv6() {
        let items = [item("a", ["server": "[fe80::a]"]), item("b", ["server": "[fe80::b]"])]
        #expect(query("[fe80::b]").ranked(items).map(\.path) == ["b"])
    }
}
