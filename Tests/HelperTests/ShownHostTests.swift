import CredentialCore
import Helper
import Messages
import TestSupport
import Testing
import Verbs

@Suite("Hosts that are none, as verbs print them")
struct ShownHostTests {
    private let doubles = Doubles()
    private var dependencies: Dependencies { .forTests(doubles) }

    /// A host that git's requests may name: what turns text round, and what ends a command of the shell.
    private static let host = "a\u{202e}\u{9b};id"
    private static let shown: DisplayText = "a\\xe2\\x80\\xae\\xc2\\x9b;id"

    private func request() throws -> Request { try Request("protocol=https\nhost=\(Self.host)") }

    @Test("login, refresh, logout and check print nothing of them that a terminal would obey")
    func shown() throws {
        _ = try VerbFixture(doubles).run("login", about: request())
        _ = try VerbFixture(doubles).run("refresh", about: request())
        _ = try VerbFixture(doubles).run("logout", about: request(), "--all")
        #expect(
            doubles.errors == [
                .internationalName(Self.shown), .internationalName(Self.shown),
                .nothingToRemove(host: Self.shown, nil),
            ])
        let finding = try VerbFixture(doubles).check("https://\(Self.host)/a/b")
        #expect(finding["text"] == UserFacingError.internationalName(Self.shown).text.english)
        #expect(finding["host"] == Self.shown.text)
    }

    @Test("what they have stored is removed all the same, and its host printed in the same way")
    func removed() throws {
        _ = CredentialHelper(with: dependencies).answer(
            .store, try Request("protocol=https\nhost=\(Self.host)\nusername=u\npassword=p"))
        #expect(try VerbFixture(doubles).run("logout", about: request()).text.first?.contains(Self.shown.text) == true)
        #expect(doubles.keyring.items.isEmpty)
    }
}
