import Commands
import CredentialCore
import Helper
import Providers
import TestSupport
import Testing

@Suite("Hosts that are none, as verbs print them")
struct ShownHostTests {
    private let doubles = Doubles()
    private var dependencies: Dependencies { .forTests(doubles) }

    /// A host that git's requests may name: what turns text round, and what ends a command of the shell.
    private static let host = "a\u{202e}\u{9b};id"
    private static let shown = "a\\xe2\\x80\\xae\\xc2\\x9b;id"

    private func request() throws -> Request { try Request("protocol=https\nhost=\(Self.host)") }

    @Test("login, refresh, logout and check print nothing of them that a terminal would obey")
    func shown() throws {
        _ = Login(isForced: false, with: dependencies).run(try request())
        _ = RefreshNow(with: dependencies).run(try request())
        _ = Logout(.all, with: dependencies).run(try request(), revokes: false)
        #expect(
            doubles.errors == [
                .notForSignIn(host: Self.shown), .notForSignIn(host: Self.shown), .notSignedIn(host: Self.shown),
            ])
        let finding = Check(with: dependencies).finding(try #require(RepositoryAddress("https://\(Self.host)/a/b")))
        #expect(finding.text == UserFacingError.notForSignIn(host: Self.shown).text && finding.host == Self.shown)
    }

    @Test("what they have stored is removed all the same, and its host printed in the same way")
    func removed() throws {
        _ = CredentialHelper(with: dependencies).answer(
            .store, try Request("protocol=https\nhost=\(Self.host)\nusername=u\npassword=p"))
        #expect(Logout(.one, with: dependencies).run(try request(), revokes: false)?.host == Self.shown)
        #expect(doubles.keyring.items.isEmpty)
    }
}
