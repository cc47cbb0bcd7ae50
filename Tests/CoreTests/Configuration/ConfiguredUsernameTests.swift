import CredentialCore
import Testing

@Suite("Account in git's configuration")
struct ConfiguredUsernameTests {
    private func configured(_ lines: [(url: String?, name: String?)], _ host: String = "github.com")
        -> ConfiguredUsername
    {
        let entries = lines.map { line in
            OriginatedEntry(
                scope: "global", origin: "/f",
                entry: ConfigurationEntry(
                    section: "credential", subsection: line.url, key: "username", value: line.name))
        }
        return ConfiguredUsername(entries, for: HostName(name: host))
    }

    @Test("takes the last line that covers the host, however general")
    func last() {
        #expect(configured([]).name == nil)
        #expect(configured([("https://github.com", "a"), (nil, "b")]).name == "b")
        #expect(configured([(nil, "b"), ("github.com", "a")]).name == "a")
        #expect(
            configured([("https://github.com", "a"), ("https://h.example", "b"), ("https://x@github.com", "c")]).name
                == "a")
        #expect(configured([("https://github.com", "a"), ("https://github.com", nil)]).name == "a")
    }

    @Test("takes a later line for a part of the host")
    func parts() {
        let found = configured([
            ("https://github.com/old", "o"), ("https://github.com", "a"), ("https://github.com/acme", "b"),
            ("https://h.example/acme", "c"),
        ])
        #expect(found.overridden.map(\.entry.value) == ["o"] && found.exceptions.map(\.entry.value) == ["b"])
        #expect(configured([("https://github.com/acme", "b")]).exceptions.count == 1)
    }
}
