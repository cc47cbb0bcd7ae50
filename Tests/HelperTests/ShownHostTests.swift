import TestSupport
import Testing

@Suite("Malformed hosts in verbs' output")
struct ShownHostTests: HelperSuite {
    let helper = HelperFixture()

    /// A host in a request of git's, with a character that reverses text and one that ends a shell's command.
    private static let host = "a\u{202e}\u{9b};id"
    private static let shown: DisplayText = "a\\xe2\\x80\\xae\\xc2\\x9b;id"

    @Test("login, refresh, logout and check print no control character")
    func shown() throws {
        _ = try verb.run("login", Self.host)
        _ = try verb.run("refresh", Self.host)
        _ = try verb.run("logout", Self.host, "--all")
        #expect(
            doubles.errors == [
                .internationalName(Self.shown), .internationalName(Self.shown), .nothingToRemove(host: Self.shown, nil),
            ])
        let finding = try verb.check("https://\(Self.host)/a/b")
        #expect(finding["text"] == UserFacingError.internationalName(Self.shown).text.english)
        #expect(finding["host"] == Self.shown.text)
    }

    @Test("logout removes its credentials, and prints the host escaped")
    func removed() throws {
        try helper.run(.store, "protocol=https\nhost=\(Self.host)\nusername=u\npassword=p")
        #expect(try verb.run("logout", Self.host).text.first?.contains(Self.shown.text) == true)
        #expect(doubles.keyring.items.isEmpty)
    }
}
