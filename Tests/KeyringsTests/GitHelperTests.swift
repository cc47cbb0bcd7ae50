import CredentialCore
import Keyrings
import Staging
import Testing

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
            Session.enter(environment)
            let keyring = headlessKeyring()
            let wanted = try attributes("ghe.example")
            // A distinct attribute for each, since gnome-keyring would otherwise replace the item.
            func store(_ text: String, _ more: String...) throws {
                let arguments = [
                    "secret-tool", "store", "--label=x", "protocol", "https", "server", "ghe.example", "user",
                    "octocat",
                ]
                try RunningProgram.run(arguments + more, input: text)
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
