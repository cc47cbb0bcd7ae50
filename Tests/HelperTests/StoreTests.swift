import CredentialCore
import Helper
import Messages
import TestSupport
import Testing

@Suite("store")
struct StoreTests {
    private let helper = HelperFixture()
    private var doubles: Doubles { helper.doubles }

    private func store(_ password: String, user: String = "octocat", host: String = "github.com", _ more: String = "")
        throws
    {
        try helper.run(.store, "protocol=https\nhost=\(host)\nusername=\(user)\npassword=\(password)" + more)
    }

    @Test(
        "what git says worked is kept, for any host and protocol",
        arguments: [
            "protocol=https\nhost=example.com", "protocol=smtp\nhost=mail.example:25",
            "protocol=https\nhost=[::1]:8443",
            "protocol=cert\nhost=\npath=client.pem", "protocol=https\nhost=example.com\npath=a.git",
        ])
    func anyHost(place: String) throws {
        try helper.run(.store, place + "\nusername=me\npassword=s3cret")
        #expect(doubles.keyring.onlyText == "s3cret")
        #expect(try helper.run(.get, place) == "username=me\npassword=s3cret\n")
        // Only of an https host may the configuration say that an app is who we are there.
        #expect(doubles.errors.isEmpty && (place.hasPrefix("protocol=https") || doubles.configurationReads == 0))
    }

    @Test("expiry and refresh token are kept with it")
    func everything() throws {
        try store("p", host: "h.example", "\npassword_expiry_utc=9999999999\noauth_refresh_token=xyzzy")
        #expect(doubles.keyring.onlyText == "p\npassword_expiry_utc=9999999999\noauth_refresh_token=xyzzy")
    }

    @Test("an empty name and an empty password are values")
    func empty() throws {
        try store("", user: "", host: "sso.example")
        #expect(try helper.run(.get, "protocol=https\nhost=sso.example") == "username=\npassword=\n")
    }

    @Test("without a name or a password there is nothing to keep", arguments: ["username=me", "password=p", "x=y"])
    func incomplete(line: String) throws {
        try helper.run(.store, "protocol=https\nhost=example.com\n\(line)")
        #expect(doubles.journal.entries.isEmpty)
    }

    @Test("the same password keeps expiry, refresh token and our own lines (git before 2.41 brings none)")
    func samePassword() throws {
        helper.stored(expiresIn: 3_600)
        let before = doubles.keyring.onlyText
        try store("ghu_old")
        #expect(doubles.keyring.onlyText == before)
        #expect(!doubles.keyring.calls.contains(.save))
    }

    @Test("what it brings in addition is added to what came from outside, and to no grant of ours")
    func completed() throws {
        helper.brought("ghp_1")
        try store("ghp_1", "\npassword_expiry_utc=1800000000\noauth_refresh_token=ghr_new")
        let credential = try #require(doubles.keyring.credential(of: "octocat"))
        #expect(credential.passwordExpiryUTC == 1_800_000_000)
        #expect(credential.oauthRefreshToken?.text == "ghr_new" && credential.grant == nil)
        helper.stored(expiresIn: 3_600)
        let before = doubles.keyring.onlyText
        try store("ghu_old", "\npassword_expiry_utc=1\noauth_refresh_token=ghr_evil")
        #expect(doubles.keyring.onlyText == before)
    }

    @Test("another password drops what belonged to the old one, where that is good for nothing any more")
    func otherPassword() throws {
        helper.stored(expiresIn: -10, refreshToken: nil)
        try store("ghp_typed")
        #expect(doubles.keyring.onlyText == "ghp_typed")
    }

    @Test("the token that was just replaced does not come back")
    func superseded() throws {
        helper.stored(expiresIn: -10)
        doubles.transport.answer(GitHubAnswers.gitHubAppToken)
        _ = try helper.get()
        let before = doubles.keyring.onlyText
        try store("ghu_old")
        #expect(doubles.keyring.onlyText == before)
    }

    @Test("what we have just handed out is there already: the keyring is not even asked")
    func ourMark() throws {
        helper.stored(expiresIn: 3_600)
        try store("ghu_old", "\ncapability[]=state\nstate[]=\(helper.mark("ghu_old"))")
        #expect(doubles.journal.entries.isEmpty)
    }

    @Test("another credential with our mark is stored")
    func foreignMark() throws {
        try store("typed", "\ncapability[]=state\nstate[]=\(helper.mark("ghu_old"))")
        #expect(doubles.keyring.onlyText == "typed")
    }

    @Test(
        "what is to be stored nowhere is not stored",
        arguments: [
            "\nephemeral=1", "\nephemeral=true",
            "\ncapability[]=authtype\nauthtype=Bearer\ncredential=abc\nephemeral=1",
        ])
    func ephemeral(more: String) throws {
        try store("p", more)
        #expect(doubles.journal.entries.isEmpty)
    }

    @Test("each user and each path has an item of its own")
    func items() throws {
        try store("p1", user: "user1", host: "h.example")
        try store("p2", user: "user2", host: "h.example")
        try helper.run(.store, "protocol=https\nhost=h.example\npath=a.git\nusername=user1\npassword=p3")
        #expect(doubles.keyring.items.count == 3)
        try store("p4", user: "user1", host: "h.example")
        #expect(doubles.keyring.items.count == 3)
        #expect(try helper.run(.get, "protocol=https\nhost=h.example\nusername=user1").contains("p4"))
        #expect(try helper.run(.get, "protocol=https\nhost=h.example\npath=a.git\nusername=user1").contains("p3"))
    }

    @Test("a known host is filed under its own name", arguments: ["GitHub.com", "github.com:443", "gist.github.com"])
    func canonical(host: String) throws {
        try store("ghp_1", host: host)
        #expect(
            doubles.keyring.items.map { String(decoding: $0.attributes.label, as: UTF8.self) } == [
                "Git: https://github.com/"
            ])
    }

    @Test(
        "a keyring in trouble is said, without a secret",
        arguments: [KeyringError.denied, .locked, .unresponsive(seconds: 5)])
    func trouble(error: KeyringError) throws {
        doubles.keyring.fault = error
        try store("s3cret")
        #expect(doubles.errors == [.notSaved(.keyring(error))])
        try store("s3cret", host: "plain.example")
        #expect(doubles.errors.last == .passwordNotSaved(error), "\(doubles.errors)")
    }

    @Test("a password that the keyring's text cannot hold is said to be none")
    func unstorable() throws {
        try store(
            String(repeating: "x", count: 65_000), "\noauth_refresh_token=" + String(repeating: "y", count: 65_000))
        #expect(doubles.errors == [.notSaved(.keyring(.unstorable))])
        #expect(doubles.keyring.items.isEmpty)
    }
}
