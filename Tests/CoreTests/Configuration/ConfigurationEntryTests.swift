import CredentialCore
import Testing

@Suite("Entries of git's configuration")
struct ConfigurationEntryTests {
    /// Returns the output of `git config --list --show-scope -z` for these pairs of scope and line.
    private func list(_ entries: (scope: String, line: String)...) -> [UInt8] {
        entries.flatMap { Array("\($0.scope)\0\($0.line)\0".utf8) }
    }

    private static let silence = ConfigurationEntry(section: "credential", key: "interactive", value: "false")

    private func parse(_ line: String) throws -> ConfigurationEntry? {
        try ConfigurationEntry.parse(list(("global", line))).first
    }

    @Test("splits a line into section, URL, key and value")
    func parts() throws {
        #expect(try parse("credential.interactive\nfalse") == Self.silence)
        #expect(
            try parse("credential.https://ghe.example:8443/a.b.oauthclientid\nIv1.x")
                == ConfigurationEntry(
                    section: "credential", subsection: "https://ghe.example:8443/a.b", key: "oauthclientid",
                    value: "Iv1.x"))
    }

    @Test("distinguishes a key without `=` from an empty value, and keeps line breaks and dots in a value")
    func values() throws {
        #expect(try parse("http.sslverify")?.value == .some(nil))
        #expect(try parse("http.proxy\n")?.value == "")
        let entry = try parse("credential.helper\n!f() {\n  a.b\n}; f")
        #expect(entry?.key == "helper" && entry?.value == "!f() {\n  a.b\n}; f")
    }

    @Test("leaves out a repository's entries, and keeps the person's in git's order")
    func scopes() throws {
        let entries = try ConfigurationEntry.parse(
            list(
                ("system", "credential.https://h.key\n1"), ("global", "credential.https://h.key\n2"),
                ("local", "credential.https://h.key\n3"), ("worktree", "credential.https://h.key\n4"),
                ("unknown", "credential.https://h.key\n5"), ("command", "credential.https://h.key\n6")))
        #expect(entries.map(\.value) == ["1", "2", "6"])
    }

    @Test("does not read a value as another scope, and skips unknown sections")
    func injection() throws {
        #expect(try ConfigurationEntry.parse(list(("local", "a.b\nglobal"), ("local", "global.c\nx"))).isEmpty)
        let odd = Array("global\0nodots\nx\0global\0a.b\n".utf8) + [0xff, 0] + list(("global", "http.d\ny"))
        #expect(try ConfigurationEntry.parse(odd) == [ConfigurationEntry(section: "http", key: "d", value: "y")])
        #expect(try ConfigurationEntry.parse([]).isEmpty)
    }

    @Test(
        "refuses a list that is cut off",
        arguments: ["global", "global\0http.proxy\nhttp://p", "global\0a.b\0global\0"])
    func cut(list: String) {
        #expect(throws: ConfigurationError.failed) { try ConfigurationEntry.parse(Array(list.utf8)) }
    }

    @Test("reports a line of the person's that is not UTF-8, and ignores a repository's")
    func notText() throws {
        let value = Array("http.https://h.example.proxy\nhttp://me:".utf8) + [0xe9, 0]
        let url = Array("credential.https://caf".utf8) + [0xe9] + Array(".example.provider\ngithub\0".utf8)
        for scope in ["system", "global", "command"] {
            #expect(throws: ConfigurationError.notText(key: "http.proxy")) {
                try ConfigurationEntry.parse(Array("\(scope)\0".utf8) + value)
            }
            #expect(throws: ConfigurationError.notText(key: "credential.provider")) {
                try ConfigurationEntry.parse(Array("\(scope)\0".utf8) + url)
            }
        }
        #expect(try ConfigurationEntry.parse(Array("local\0".utf8) + value).isEmpty)
    }

    @Test("keeps only the person's entries and a prohibition in a flood of a repository's lines")
    func flood() throws {
        var list = list(("global", "http.proxy\nhttp://p"))
        for line in [
            "credential.provider\ngithub", "credential.interactive\nfalse",
            "color.ui\n\(String(repeating: "x", count: 99))",
        ] { list += Array(repeatElement(Array("local\0\(line)\0".utf8), count: 20_000).joined()) }
        let proxy = ConfigurationEntry(section: "http", key: "proxy", value: "http://p")
        #expect(try ConfigurationEntry.parse(list) == [proxy, Self.silence])
    }

    @Test("keeps only core.askPass of the section core, only the person's, and in any encoding")
    func askPass() throws {
        let lines = list(
            ("local", "core.askpass\n/evil"), ("system", "core.pager\nless"), ("global", "core.askpass\n/bin/ask"))
        let legacy = Array("global\0core.askpass\n/caf".utf8) + [0xe9, 0]
        let entries = try ConfigurationEntry.parse(lines + legacy)
        #expect(entries.map(\.name) == ["core.askpass", "core.askpass"])
        #expect(entries.first?.value == "/bin/ask" && entries.last?.value?.isEmpty == false)
    }

    @Test("keeps only a repository's prohibition to ask", arguments: ["local", "worktree"])
    func silence(scope: String) throws {
        let lines = list(
            (scope, "credential.interactive\nfalse"), (scope, "credential.https://github.com.interactive\nfalse"),
            (scope, "credential.provider\ngithub"), (scope, "http.proxy\nhttp://evil.example"))
        #expect(try ConfigurationEntry.parse(lines) == [Self.silence])
    }

    @Test(
        "keeps a prohibition against a repository's own permission",
        arguments: ["local", "worktree"], ["true", "auto", "always", "1", "x"])
    func loosening(scope: String, value: String) throws {
        func prohibition(_ lines: (scope: String, line: String)...) throws -> Interactivity.Prohibition? {
            let entries = try ConfigurationEntry.parse(lines.flatMap { list($0) })
            return Interactivity.prohibition(Configuration(entries, for: HostName(name: "")), environment: { _ in nil })
        }
        let own = (scope: scope, line: "credential.interactive\n\(value)")
        let silent = "credential.interactive\nfalse"
        #expect(try prohibition(("global", silent), own) != nil)
        #expect(try prohibition(("system", silent), own, (scope, "credential.interactive")) != nil)
        #expect(try prohibition((scope, silent), own) != nil)
        // The last line of the person's own files counts, as in git.
        #expect(try prohibition(("system", silent), ("global", "credential.interactive\n\(value)")) == nil)
        #expect(try prohibition(("global", silent), own, ("command", "credential.interactive\ntrue")) == nil)
    }
}
