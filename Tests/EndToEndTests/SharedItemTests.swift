import Staging
import Testing

/// Our items are those of git's libsecret helper, so a person can change from one to the other.
@Suite("Items shared with git's libsecret helper")
struct SharedItemTests {
    /// Requests of every shape that an item can have.
    private static let places = [
        "protocol=https\nhost=git.example.test\nusername=monalisa\n",
        "protocol=https\nhost=git.example.test:8443\nusername=monalisa\n",
        "protocol=smtp\nhost=mail.example.test:587\nusername=mona@example.test\n",
        "protocol=https\nhost=git.example.test\npath=a/b.git\nusername=\n",
        "protocol=https\nhost=github.com\nusername=monalisa\n",
    ]

    @Test("get returns an item that git's helper stored", arguments: LibsecretHelper.all)
    func theirs(helper: LibsecretHelper) async throws {
        let session = try await Session()
        let secrets = helper.isCurrent ? Self.secrets : "password=pass=word\n"
        for place in Self.places {
            _ = try await session.run([helper.path, "store"], input: place + secrets)
            let answer = try await session.run([BuiltFiles.helper, "get"], input: place)
            #expect(lines(answer.output) == lines(Self.username(in: place) + secrets), "\(answer.errors)")
        }
    }

    @Test("git's helper returns an item that we stored", arguments: LibsecretHelper.current)
    func ours(helper: LibsecretHelper) async throws {
        let session = try await Session()
        for place in Self.places {
            _ = try await session.run([BuiltFiles.helper, "store"], input: place + Self.secrets)
            let answer = try await session.run([helper.path, "get"], input: place)
            #expect(lines(answer.output) == lines(Self.username(in: place) + Self.secrets), "\(answer.errors)")
        }
    }

    @Test("each helper replaces and erases the other's item", arguments: LibsecretHelper.current)
    func bothWays(helper: LibsecretHelper) async throws {
        let session = try await Session()
        let place = Self.places[0]
        for (program, password) in [(helper.path, "first"), (BuiltFiles.helper, "second"), (helper.path, "third")] {
            _ = try await session.run([program, "store"], input: place + "password=\(password)\n")
            let answer = try await session.run([BuiltFiles.helper, "get"], input: place)
            #expect(answer.output.contains("password=\(password)\n"))
        }
        _ = try await session.run([BuiltFiles.helper, "erase"], input: place)
        #expect(try await session.items().isEmpty)
        _ = try await session.run([BuiltFiles.helper, "store"], input: place + "password=fourth\n")
        _ = try await session.run([helper.path, "erase"], input: place)
        #expect(try await session.items().isEmpty)
    }

    @Test("store replaces the item of an older helper of git's, and erase removes it", arguments: LibsecretHelper.all)
    func succession(helper: LibsecretHelper) async throws {
        let session = try await Session()
        let place = Self.places[0]
        _ = try await session.run([helper.path, "store"], input: place + "password=first\n")
        _ = try await session.run([BuiltFiles.helper, "store"], input: place + "password=second\n")
        let items = try await session.items()
        #expect(items.map(\.password) == ["second"])
        #expect(items.first?.attributes["xdg:schema"] == "org.git.Password")

        _ = try await session.run([BuiltFiles.helper, "erase"], input: place)
        _ = try await session.run([helper.path, "store"], input: place + "password=third\n")
        _ = try await session.run([BuiltFiles.helper, "erase"], input: place + "password=third\n")
        #expect(try await session.items().isEmpty)
    }

    @Test(
        "get returns another program's item with git's attributes, and erase removes it by its exact password",
        arguments: ["org.freedesktop.Secret.Generic", "org.example.Other", ""])
    func otherSchema(name: String) async throws {
        let session = try await Session()
        let place = Self.places[1]
        var attributes = ["protocol": "https", "server": "git.example.test", "port": "8443", "user": "monalisa"]
        if !name.isEmpty { attributes["xdg:schema"] = name }
        try await session.put(KeyringItem(label: "x", attributes: attributes, secret: "a-password"))
        for program in [BuiltFiles.helper, BuiltFiles.helper + "-full"] {
            let answer = try await session.run([program, "get"], input: place)
            #expect(answer.output.contains("password=a-password\n"), "\(answer.errors)")
        }
        _ = try await session.run([BuiltFiles.helper, "erase"], input: place + "password=another\n")
        #expect(try await session.items().map(\.password) == ["a-password"])
        _ = try await session.run([BuiltFiles.helper, "erase"], input: place + "password=a-password\n")
        #expect(try await session.items().isEmpty)
    }

    private static let secrets = """
        password=pass=word
        password_expiry_utc=9999999999
        oauth_refresh_token=a-refresh-token

        """

    private static func username(in place: String) -> String {
        place.split(separator: "\n").filter { $0.hasPrefix("username=") }.joined() + "\n"
    }

    /// Returns the lines as a set, because their order does not matter.
    private func lines(_ text: String) -> Set<Substring> { Set(text.split(separator: "\n")) }
}
