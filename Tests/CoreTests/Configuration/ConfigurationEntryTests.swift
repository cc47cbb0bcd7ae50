import CredentialCore
import Testing

@Suite("git's configuration, as git lists it")
struct ConfigurationEntryTests {
    /// The output of `git config --list --show-scope -z` for these pairs of scope and line.
    private func list(_ entries: (scope: String, line: String)...) -> [UInt8] {
        entries.flatMap { Array("\($0.scope)\0\($0.line)\0".utf8) }
    }

    private func parse(_ line: String) -> ConfigurationEntry? {
        ConfigurationEntry.parse(list(("global", line))).first
    }

    @Test("a line is section, perhaps a URL, key and value")
    func parts() {
        #expect(
            parse("credential.interactive\nfalse")
                == ConfigurationEntry(section: "credential", key: "interactive", value: "false"))
        #expect(
            parse("credential.https://ghe.example:8443/a.b.oauthclientid\nIv1.x")
                == ConfigurationEntry(
                    section: "credential", subsection: "https://ghe.example:8443/a.b", key: "oauthclientid",
                    value: "Iv1.x"))
    }

    @Test("a key without `=` has no value, one with nothing behind it an empty one")
    func values() {
        #expect(parse("http.sslverify")?.value == .some(nil))
        #expect(parse("http.proxy\n")?.value == "")
    }

    @Test("a value may have lines and dots of its own")
    func multiline() {
        let entry = parse("credential.helper\n!f() {\n  a.b\n}; f")
        #expect(entry?.key == "helper")
        #expect(entry?.value == "!f() {\n  a.b\n}; f")
    }

    @Test("what a repository's own files say is left out; what the person said stays, in git's order")
    func scopes() {
        let entries = ConfigurationEntry.parse(
            list(
                ("system", "credential.https://h.key\n1"), ("global", "credential.https://h.key\n2"),
                ("local", "credential.https://h.key\n3"), ("worktree", "credential.https://h.key\n4"),
                ("unknown", "credential.https://h.key\n5"), ("command", "credential.https://h.key\n6")))
        #expect(entries.map(\.value) == ["1", "2", "6"])
    }

    @Test("a value cannot pass itself off as another scope")
    func injection() {
        let entries = ConfigurationEntry.parse(list(("local", "a.b\nglobal"), ("local", "global.c\nx")))
        #expect(entries.isEmpty)
    }

    @Test("names that are none, and bytes that are no text, are passed over")
    func oddities() {
        let odd = Array("global\0nodots\nx\0global\0a.b\n".utf8) + [0xff, 0] + list(("global", "c.d\ny"))
        #expect(ConfigurationEntry.parse(odd) == [ConfigurationEntry(section: "c", key: "d", value: "y")])
        #expect(ConfigurationEntry.parse([]).isEmpty)
        #expect(ConfigurationEntry.parse(Array("global".utf8)).isEmpty)
    }

    @Test("a repository may say that nobody is to be asked, and nothing else", arguments: ["local", "worktree"])
    func silence(scope: String) {
        let list =
            [
                "\(scope)\0credential.interactive\nfalse", "\(scope)\0credential.https://github.com.interactive\nfalse",
                "\(scope)\0credential.provider\ngithub", "\(scope)\0http.proxy\nhttp://evil.example",
            ].joined(separator: "\0") + "\0"
        #expect(
            ConfigurationEntry.parse(Array(list.utf8))
                == [ConfigurationEntry(section: "credential", key: "interactive", value: "false")])
    }
}
