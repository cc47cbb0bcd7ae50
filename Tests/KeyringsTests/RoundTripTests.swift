import CredentialCore
import Keyrings
import Staging
import Testing

@Suite("Saved, read and removed items")
struct RoundTripTests {
    @Test("finds a saved secret byte for byte, whatever the bytes")
    func roundTrip() async throws {
        let session = try await Session()
        await #expect(processExitsWith: .success) { [environment = session.environment as [String: String]] in
            Session.enter(environment)
            let keyring = headlessKeyring()
            let texts: [[UInt8]] = [
                Array("token\npassword_expiry_utc=1\noauth_refresh_token=r".utf8), [], [0], [1, 0, 2, 0x0a, 0],
                [0xff, 0xfe, 0xc3], Array(repeating: 0x61, count: 2 << 20),
            ]
            for (index, text) in texts.enumerated() {
                let attributes = try attributes("host\(index).example")
                try keyring.save(Secret(text), under: attributes)
                let items = try keyring.items(having: attributes)
                #expect(items.count == 1 && items.first?.secret == Secret(text))
                #expect(items.first?.attributes == attributes)
                #expect(items.first?.schemaName == Schema.gitPassword.rawValue)
                #expect((items.first?.modified ?? 0) > 1_500_000_000)
            }
        }
    }

    @Test("finds items with all requested attributes and perhaps more, such as a path")
    func supersets() async throws {
        let session = try await Session()
        await #expect(processExitsWith: .success) { [environment = session.environment as [String: String]] in
            Session.enter(environment)
            let keyring = headlessKeyring()
            let all = [
                try attributes("ghe.example"), try attributes("ghe.example:8443"),
                try attributes("ghe.example", path: "a/b.git"), try attributes("ghe.example", user: ""),
            ]
            for (index, attributes) in all.enumerated() { try keyring.save(secret("\(index)"), under: attributes) }
            let found = try keyring.items(having: try attributes("ghe.example", user: nil))
            #expect(Set(found.map(\.attributes)) == Set(all))
            #expect(found.count == all.count)
            let ported = try keyring.items(having: try attributes("ghe.example:8443", user: nil))
            #expect(ported.map(\.attributes) == [all[1]])
            let nameless = try keyring.items(having: try attributes("ghe.example", user: ""))
            #expect(nameless.map(\.secret) == [secret("3")])
            #expect(try keyring.items(having: try attributes("other.example")).isEmpty)
        }
    }

    @Test("replaces an item only if its secret is still the one that was read")
    func replace() async throws {
        let session = try await Session()
        await #expect(processExitsWith: .success) { [environment = session.environment as [String: String]] in
            Session.enter(environment)
            try expectReplacement(in: headlessKeyring())
        }
    }

    @Test("changes an item in place when it is saved again, removes it alone, and accepts that it is already gone")
    func saveAgain() async throws {
        let session = try await Session()
        await #expect(processExitsWith: .success) { [environment = session.environment as [String: String]] in
            let (keyring, plain) = try entered(environment)
            let ported = try attributes("\(ScriptedBusService.host):8443")
            try keyring.save(secret("neighbour"), under: ported)
            try keyring.save(secret("first"), under: plain)
            let before = try keyring.items(having: plain).first { $0.attributes == plain }
            try keyring.save(secret("second"), under: plain)
            let after = try keyring.items(having: plain)
            #expect(after.count == 2)
            #expect(after.first { $0.attributes == plain }?.path == before?.path)
            #expect(after.first { $0.attributes == plain }?.secret == secret("second"))
            #expect(after.first { $0.attributes == ported }?.secret == secret("neighbour"))
            let item = try #require(after.first { $0.attributes == plain })
            try keyring.remove(item)
            #expect(try keyring.items(having: plain).map(\.attributes) == [ported])
            try keyring.remove(item)
        }
    }

    @Test("finds and saves no text that D-Bus cannot carry")
    func inexpressible() async throws {
        let session = try await Session()
        await #expect(processExitsWith: .success) { [environment = session.environment as [String: String]] in
            Session.enter(environment)
            let keyring = headlessKeyring()
            var plain = try attributes("ghe.example", user: "a")
            // A C string would end at the NUL of the first text.
            try keyring.save(secret("token"), under: plain)
            for user: [UInt8] in [[0x61, 0], [0xff], [0xc3]] {
                plain.user = user
                #expect(try keyring.items(having: plain).isEmpty)
                #expect(throws: KeyringError.unstorable) { try keyring.save(secret("token"), under: plain) }
            }
        }
    }
}

extension LibsecretHelper {
    /// The schema of its items; older versions search for no other.
    fileprivate var schema: Schema { isCurrent ? .gitPassword : .networkPassword }
}

/// The properties of the item at `path`, sorted, without those that always differ.
private func properties(of path: String) throws -> [String] {
    let answer = try RunningProgram.run([
        "gdbus", "call", "--session", "-d", "org.freedesktop.secrets", "-o", path, "-m",
        "org.freedesktop.DBus.Properties.GetAll", "org.freedesktop.Secret.Item",
    ])
    try #require(answer.status == 0)
    return answer.output.components(separatedBy: CharacterSet(charactersIn: "{},()<>\n"))
        .map { $0.trimmingCharacters(in: .whitespaces) }
        .filter { !$0.isEmpty && !$0.contains("uint64") && !$0.hasPrefix("'Created'") && !$0.hasPrefix("'Modified'") }
        .sorted()
}

@Suite("Items shared with git's own helper")
struct GitHelperTests {
    /// Requests of git, as the fields that an item is stored under.
    static let cases: [(host: String, user: String, path: String?)] = [
        ("ghe.example", "octocat", nil), ("ghe.example:8443", "octocat", "a/b.git"), ("ghe.example", "", nil),
        ("ghe.example", "J\u{fc}rgen", "x y"),
    ]

    @Test("writes the same item as git's helper, except for the old schema", arguments: LibsecretHelper.all)
    func identical(helper: LibsecretHelper) async throws {
        let session = try await Session()
        await #expect(processExitsWith: .success) {
            [environment = session.environment as [String: String], helper = helper as LibsecretHelper] in
            Session.enter(environment)
            let schema = helper.schema.rawValue
            let keyring = headlessKeyring()
            for (host, user, path) in Self.cases {
                let attributes = try attributes(host, user: user, path: path)
                var request = "protocol=https\nhost=\(host)\nusername=\(user)\npassword=token\n"
                if let path { request += "path=\(path)\n" }
                try RunningProgram.run([helper.path, "store"], input: request)
                let theirs = try #require(try keyring.items(having: attributes).first)
                let expected = try properties(of: theirs.path)
                try keyring.remove(theirs)
                try keyring.save(secret("token"), under: attributes)
                let ours = try #require(try keyring.items(having: attributes).first)
                let found = try properties(of: ours.path)
                #expect(found == expected.map { $0.replacing(schema, with: Schema.gitPassword.rawValue) })
                #expect(expected.contains { $0.contains("Git: https://\(host)/") })
                try keyring.remove(ours)
            }
        }
    }

    @Test("leaves one item after a save: removes the old schema's item and duplicates, keeps others")
    func twins() async throws {
        let session = try await Session()
        await #expect(processExitsWith: .success) { [environment = session.environment as [String: String]] in
            let (keyring, wanted) = try entered(environment)
            // A distinct attribute for each, since gnome-keyring would otherwise replace the item.
            func store(_ text: String, _ more: String...) throws {
                let place = ["protocol", "https", "server", ScriptedBusService.host, "user", "octocat"]
                try RunningProgram.run(["secret-tool", "store", "--label=x"] + place + more, input: text)
            }
            try store("old", "xdg:schema", Schema.networkPassword.rawValue, "n", "1")
            try store("first", "xdg:schema", Schema.gitPassword.rawValue, "n", "2")
            try store("second", "xdg:schema", Schema.gitPassword.rawValue, "n", "3")
            try store("foreign", "xdg:schema", "org.example.Other", "n", "4")
            try store("ported", "xdg:schema", Schema.gitPassword.rawValue, "port", "8443", "n", "5")
            #expect(try keyring.items(having: wanted).count == 5)
            try keyring.save(secret("new"), under: wanted)
            let left = try keyring.items(having: wanted)
            #expect(Set(left.map(\.schemaName)) == [Schema.gitPassword.rawValue, "org.example.Other"])
            #expect(left.filter { $0.attributes == wanted && $0.schemaName != "org.example.Other" }.count == 1)
            #expect(left.contains { $0.secret == secret("new") && $0.schemaName == Schema.gitPassword.rawValue })
            #expect(left.contains { $0.secret == secret("foreign") })
            #expect(left.contains { $0.secret == secret("ported") })
        }
    }
}
