import TestSupport
import Testing

@Suite("store")
struct StoreTests: HelperSuite {
    let helper = HelperFixture()
    private func store(_ password: String, user: String = "octocat", host: String = "github.com", _ more: String = "")
        throws
    { try helper.run(.store, "protocol=https\nhost=\(host)\nusername=\(user)\npassword=\(password)" + more) }

    @Test(
        "stores what git reports as accepted, for any host and protocol",
        arguments: [
            "protocol=https\nhost=example.com", "protocol=smtp\nhost=mail.example:25",
            "protocol=https\nhost=[::1]:8443", "protocol=cert\nhost=\npath=client.pem",
            "protocol=https\nhost=example.com\npath=a.git",
        ])
    func anyHost(place: String) throws {
        try helper.run(.store, place + "\nusername=me\npassword=s3cret")
        #expect(doubles.keyring.onlyText == "s3cret")
        #expect(try helper.run(.get, place) == "username=me\npassword=s3cret\n")
        // Only for an https host, the configuration can name an app.
        #expect(doubles.errors.isEmpty && (place.hasPrefix("protocol=https") || doubles.configurationReads == 0))
    }

    @Test("stores the expiry and the refresh token, and an empty name and an empty password")
    func everything() throws {
        try store("p", host: "h.example", "\npassword_expiry_utc=9999999999\noauth_refresh_token=xyzzy")
        #expect(doubles.keyring.onlyText == "p\npassword_expiry_utc=9999999999\noauth_refresh_token=xyzzy")
        try store("", user: "", host: "sso.example")
        #expect(try get(host: "sso.example") == "username=\npassword=\n")
    }

    @Test("ignores a request without a name or a password", arguments: ["username=me", "password=p", "x=y"])
    func incomplete(line: String) throws {
        try helper.run(.store, "protocol=https\nhost=example.com\n\(line)")
        #expect(doubles.journal.entries.isEmpty)
    }

    @Test("adds new attributes to a credential from outside, and changes nothing of our grant with or without them")
    func completed() throws {
        helper.stored(expiresIn: 3_600)
        let before = doubles.keyring.onlyText
        // A git before 2.41 sends none.
        for more in ["", "\npassword_expiry_utc=1\noauth_refresh_token=ghr_evil"] { try store("ghu_old", more) }
        #expect(doubles.keyring.onlyText == before && !doubles.keyring.calls.contains(.save))
        helper.brought("ghp_1")
        try store("ghp_1", "\npassword_expiry_utc=1800000000\noauth_refresh_token=ghr_new")
        let credential = try #require(self.credential())
        #expect(credential.passwordExpiryUTC == 1_800_000_000)
        #expect(credential.oauthRefreshToken?.text == "ghr_new" && credential.grant == nil)
    }

    @Test("replaces the old attributes with a new password if the old one is useless")
    func otherPassword() throws {
        helper.stored(expiresIn: -10, refreshToken: nil)
        try store("ghp_typed")
        #expect(doubles.keyring.onlyText == "ghp_typed")
    }

    @Test("does not store the token that was just replaced")
    func superseded() throws {
        helper.stored(expiresIn: -10)
        respond(GitHubAnswers.gitHubAppToken)
        _ = try get()
        let before = doubles.keyring.onlyText
        try store("ghu_old")
        #expect(doubles.keyring.onlyText == before)
    }

    @Test("calls no keyring for a credential that we have just returned, and stores another one with our state")
    func ourMark() throws {
        helper.stored(expiresIn: 3_600)
        try store("ghu_old", "\ncapability[]=state\nstate[]=\(helper.mark("ghu_old"))")
        #expect(doubles.journal.entries.isEmpty)
        try store("typed", user: "hubot", "\ncapability[]=state\nstate[]=\(helper.mark("ghu_old"))")
        #expect(password(of: "hubot") == "typed")
    }

    @Test(
        "ignores an ephemeral credential",
        arguments: [
            "\nephemeral=1", "\nephemeral=true",
            "\ncapability[]=authtype\nauthtype=Bearer\ncredential=abc\nephemeral=1",
        ])
    func ephemeral(more: String) throws {
        try store("p", more)
        #expect(doubles.journal.entries.isEmpty)
    }

    @Test("stores one item for each user and path")
    func items() throws {
        try store("p1", user: "user1", host: "h.example")
        try store("p2", user: "user2", host: "h.example")
        try helper.run(.store, "protocol=https\nhost=h.example\npath=a.git\nusername=user1\npassword=p3")
        #expect(doubles.keyring.items.count == 3)
        try store("p4", user: "user1", host: "h.example")
        #expect(doubles.keyring.items.count == 3)
        #expect(try get(as: "user1", host: "h.example").contains("p4"))
        #expect(try get(as: "user1", host: "h.example", path: "a.git").contains("p3"))
    }

    @Test("stores a known host under its own name", arguments: ["GitHub.com", "github.com:443", "gist.github.com"])
    func canonical(host: String) throws {
        try store("ghp_1", host: host)
        let labels = doubles.keyring.items.map { String(decoding: $0.attributes.label, as: UTF8.self) }
        #expect(labels == ["Git: https://github.com/"])
    }

    @Test(
        "reports a keyring error without the secret",
        arguments: [KeyringError.denied, .locked, .unresponsive(seconds: 5)])
    func trouble(error: KeyringError) throws {
        doubles.keyring.fault = error
        try store("s3cret")
        #expect(doubles.errors == [.notSaved(.keyring(error))])
        try store("s3cret", host: "plain.example")
        #expect(doubles.errors.last == .passwordNotSaved(error), "\(doubles.errors)")
    }

    @Test("refuses a password that the keyring's text cannot hold")
    func unstorable() throws {
        try store(
            String(repeating: "x", count: 65_000), "\noauth_refresh_token=" + String(repeating: "y", count: 65_000))
        #expect(doubles.errors == [.notSaved(.keyring(.unstorable))] && doubles.keyring.items.isEmpty)
    }
}
