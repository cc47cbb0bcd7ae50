import Foundation
import Keyring
import LibsecretKeyring
import Testing

/// git's own helper, in C.
enum GitHelper: String, Codable, CaseIterable {
    /// The one of the distribution's git; Debian 12's (2.39) still files its items under the old schema.
    case distribution
    /// The one of the newer git that Tests/Conformance/newer-git.sh fetches.
    case newer

    static var available: [GitHelper] { allCases.filter { FileManager.default.fileExists(atPath: $0.source.path) } }

    private var source: URL {
        let folder =
            switch self {
            case .distribution: URL(fileURLWithPath: "/usr/share/doc/git/")
            case .newer: Support.root.appendingPathComponent(".build/newer-git/source/")
            }
        return folder.appendingPathComponent("contrib/credential/libsecret/git-credential-libsecret.c")
    }

    /// The schema under which it files, and the only one that the older versions search.
    func schema() throws -> Schema {
        try String(contentsOf: source, encoding: .utf8).contains(Schema.gitPassword.rawValue)
            ? .gitPassword : .networkPassword
    }

    /// Builds the helper in the session's own folder.
    func build() throws -> URL {
        let helper = try sessionHome().appendingPathComponent("git-credential-libsecret")
        // Swift brings a C compiler where the system has none.
        let compile =
            "$(command -v cc || command -v clang) -O1 -o \"$1\" \"$2\" $(pkg-config --cflags --libs libsecret-1)"
        let status = try run(
            URL(fileURLWithPath: "/bin/sh"), ["-c", compile, "sh", helper.path, source.path]
        ).status
        try #require(status == 0)
        return helper
    }
}

/// What a keyring viewer shows of the item at `path`, sorted and without what differs by nature.
private func properties(of path: String) throws -> [String] {
    let answer = try run(
        URL(fileURLWithPath: "/usr/bin/gdbus"),
        [
            "call", "--session", "-d", "org.freedesktop.secrets", "-o", path, "-m",
            "org.freedesktop.DBus.Properties.GetAll", "org.freedesktop.Secret.Item",
        ])
    try #require(answer.status == 0)
    return answer.output.components(separatedBy: CharacterSet(charactersIn: "{},()<>\n"))
        .map { $0.trimmingCharacters(in: .whitespaces) }
        .filter { !$0.isEmpty && !$0.contains("uint64") && !$0.hasPrefix("'Created'") && !$0.hasPrefix("'Modified'") }
        .sorted()
}

@Suite("Sharing items with git's own helper", .enabled(if: !GitHelper.available.isEmpty))
struct GitHelperTests {
    /// Requests as git sends them, and what they are filed under.
    static let cases: [(host: String, user: String, path: String?)] = [
        ("ghe.example", "octocat", nil), ("ghe.example:8443", "octocat", "a/b.git"), ("ghe.example", "", nil),
        ("ghe.example", "J\u{fc}rgen", "x y"),
    ]

    @Test("what it stores we read, and what we save it reads", arguments: GitHelper.available)
    func bothDirections(helper: GitHelper) async throws {
        let session = try PrivateSession.withKeyring()
        await #expect(processExitsWith: .success) {
            [environment = session.environment as SessionEnvironment, helper = helper as GitHelper] in
            environment.enter()
            let schema = try helper.schema()
            let program = try helper.build()
            let keyring = headlessKeyring()
            for (index, (host, user, path)) in Self.cases.enumerated() {
                let attributes = try attributes(host, user: user, path: path)
                var request = "protocol=https\nhost=\(host)\nusername=\(user)\n"
                if let path { request += "path=\(path)\n" }
                try run(program, ["store"], stdin: request + "password=theirs\(index)\n")
                let found = try keyring.items(having: attributes).first { $0.attributes == attributes }
                #expect(found?.secret == secret("theirs\(index)"))
                #expect(found?.schemaName == schema.rawValue)

                try keyring.save(secret("ours\(index)"), under: attributes)
                let answer = try run(program, ["get"], stdin: request).output
                // A version with the old schema does not look at items of the new one, those of its successors included.
                #expect(answer.contains("password=ours\(index)\n") == (schema == .gitPassword))
                for item in try keyring.items(having: attributes) { try keyring.remove(item) }
            }
        }
    }

    @Test("an item of ours is the same as one of its, but for the old schema", arguments: GitHelper.available)
    func identical(helper: GitHelper) async throws {
        let session = try PrivateSession.withKeyring()
        await #expect(processExitsWith: .success) {
            [environment = session.environment as SessionEnvironment, helper = helper as GitHelper] in
            environment.enter()
            let schema = try helper.schema().rawValue
            let program = try helper.build()
            let keyring = headlessKeyring()
            for (host, user, path) in Self.cases {
                let attributes = try attributes(host, user: user, path: path)
                var request = "protocol=https\nhost=\(host)\nusername=\(user)\npassword=token\n"
                if let path { request += "path=\(path)\n" }
                try run(program, ["store"], stdin: request)
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

    @Test("a save leaves one item: the one of the old schema and duplicates go, others stay")
    func twins() async throws {
        let session = try PrivateSession.withKeyring()
        await #expect(processExitsWith: .success) { [environment = session.environment as SessionEnvironment] in
            environment.enter()
            let keyring = headlessKeyring()
            let wanted = try attributes("ghe.example")
            // Each with an attribute of its own, which gnome-keyring would otherwise take for the same item.
            func store(_ text: String, _ more: String...) throws {
                let arguments = ["store", "--label=x", "protocol", "https", "server", "ghe.example", "user", "octocat"]
                try run(URL(fileURLWithPath: "/usr/bin/secret-tool"), arguments + more, stdin: text)
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

    @Test("a read takes about as long as its: no wait for a timer is hidden in it")
    func speed() async throws {
        let session = try PrivateSession.withKeyring()
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            [environment = session.environment as SessionEnvironment] in
            environment.enter()
            let helper = try GitHelper.distribution.build()
            let attributes = try attributes("ghe.example")
            try headlessKeyring().save(secret("token"), under: attributes)
            var (ours, theirs): ([Double], [Double]) = ([], [])
            for _ in 0..<50 {
                ours.append(try milliseconds { _ = try headlessKeyring().items(having: attributes) })
                theirs.append(
                    try milliseconds {
                        try run(helper, ["get"], stdin: "protocol=https\nhost=ghe.example\nusername=octocat\n")
                    })
            }
            let (own, its) = (ours.sorted()[25], theirs.sorted()[25])
            print("median of 50: connecting and reading \(own) ms; git's helper, as a process, \(its) ms")
            #expect(own < 4 * its)
        }
        tell(result)
    }
}
