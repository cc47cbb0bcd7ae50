import TestSupport
import Testing

/// git stores the password of a URL even if no server asked for it, so a `store` may come from a repository.
@Suite("store")
struct StoreTests: HelperSuite {
    let helper = HelperFixture()
    private var saves: Int { doubles.keyring.calls.filter { $0 == .save }.count }

    private func store(
        _ password: String, as user: String = "octocat", host: String = "github.com", path: String? = nil,
        _ more: String = ""
    ) throws { try helper.run(.store, used(password, as: user, host: host, path: path) + more) }

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
        try store("", as: "", host: "sso.example")
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
        try store("ghp_1", "\npassword_expiry_utc=1900000000")
        #expect(doubles.keyring.onlyText == "ghp_1\npassword_expiry_utc=1900000000\noauth_refresh_token=ghr_new")
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
        try store("typed", as: "hubot", "\ncapability[]=state\nstate[]=\(helper.mark("ghu_old"))")
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
        try store("p1", as: "user1", host: "h.example")
        try store("p2", as: "user2", host: "h.example")
        try store("p3", as: "user1", host: "h.example", path: "a.git")
        #expect(doubles.keyring.items.count == 3)
        try store("p4", as: "user1", host: "h.example")
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

    // MARK: Passwords that a repository's URLs bring

    @Test(
        "keeps a grant that is valid or can be renewed, and prints how to replace it",
        arguments: [(3_600, "ghr_old"), (3_600, nil), (-10, "ghr_old"), (nil, nil)] as [(Int64?, String?)],
        [nil, "octo/public.git"])
    func grant(state: (Int64?, String?), path: String?) throws {
        helper.stored(expiresIn: state.0, refreshToken: state.1)
        let before = doubles.keyring.onlyText
        try store("garbage", path: path)
        #expect(doubles.keyring.onlyText == before && saves == 0)
        #expect(notices == [.signInKept(host: "github.com", account: "octocat")] && doubles.errors.isEmpty)
    }

    @Test("keeps a grant of a configured host, with or without a path", arguments: [nil, "a.git"])
    func configuredHost(path: String?) throws {
        doubles.configure("credential", "https://ghe.example", "provider", "github")
        helper.stored(expiresIn: 3_600, host: "ghe.example")
        let before = doubles.keyring.onlyText
        try store("garbage", host: "ghe.example", path: path)
        #expect(doubles.keyring.onlyText == before)
        // The grant stays even if the configuration is gone, because the item itself says that it is a sign-in.
        doubles.configuration = []
        try store("garbage", host: "ghe.example", path: path)
        #expect(doubles.keyring.onlyText == before)
    }

    @Test("keeps a grant whose token was refused but can be renewed")
    func refusedGrant() throws {
        helper.stored(expiresIn: 3_600)
        try helper.run(.erase, used("ghu_old") + "\nstate[]=\(helper.mark("ghu_old"))")
        let before = doubles.keyring.onlyText
        try store("garbage")
        #expect(doubles.keyring.onlyText == before)
    }

    @Test("does not overwrite an item that cannot be read, or unlock a locked one, which may be a grant")
    func unreadable() throws {
        helper.stored(text: "gho\r")
        try store("garbage")
        #expect(saves == 0 && doubles.errors == [.notSaved(.keyring(.denied))])
        helper.stored(expiresIn: 3_600)
        doubles.keyring.isLocked = true
        try store("garbage")
        #expect(!doubles.keyring.calls.contains(.unlock) && saves == 0)
        #expect(doubles.errors.last == .notSaved(.keyring(.locked)))
    }

    @Test("stores nothing without the account's lock, because a sign-in may be about to save")
    func noLock() throws {
        doubles.locks.fault = .impossible
        try store("ghp_typed")
        #expect(saves == 0 && doubles.errors == [.notSaved(.lockImpossible)])
        try store("p", host: "plain.example")
        #expect(doubles.keyring.onlyText == "p")
    }

    @Test("keeps a grant that was saved while store waited for the lock")
    func savedMeanwhile() throws {
        doubles.locks.whenAcquired = { helper.stored(expiresIn: 3_600) }
        try store("garbage")
        #expect(password() == "ghu_old")
        #expect(saves == 0)
    }

    @Test(
        "stores another account's token, and never returns it to a request without a name", arguments: [nil, "x.git"])
    func outranking(path: String?) throws {
        helper.stored(expiresIn: -10)
        try store("ghp_mallory", as: "mallory", path: path)
        respond(GitHubAnswers.gitHubAppToken)
        #expect(try get().hasPrefix("username=octocat\n"))
        #expect(try get(path: "x.git").hasPrefix("username=octocat\n"))
        #expect(try get(as: "mallory").contains("ghp_mallory") == true)
    }

    @Test("returns no planted token while the grant is locked")
    func outrankingLocked() throws {
        helper.stored(expiresIn: 3_600)
        doubles.keyring.isLocked = true
        doubles.keyring.unlocking = .locked
        doubles.keyring.unlocked = [Array("mallory".utf8)]
        helper.brought("ghp_mallory", user: "mallory")
        #expect(try get() == "quit=1\n" && doubles.errors == [.keyring(.locked)])
        // The token is returned for its own name; a plain store's token is returned as before.
        #expect(try get(as: "mallory").contains("ghp_mallory"))
        helper.brought("p", host: "plain.example", user: "mallory")
        helper.brought("q", host: "plain.example")
        #expect(try get(host: "plain.example").contains("password=p"))
    }

    @Test("keeps the account for requests without a name after a renewal and a new sign-in")
    func stable() throws {
        helper.stored(expiresIn: 3_600, user: "alice")
        helper.stored(expiresIn: -10, user: "octocat")
        respond(GitHubAnswers.gitHubAppToken)
        _ = try get(as: "octocat")
        #expect(try get().hasPrefix("username=alice\n"))
        #expect(doubles.keyring.items.count == 2)
        // alice's token is renewed, and her account stays the first.
        helper.stored(expiresIn: -10, user: "alice")
        respond(GitHubAnswers.gitHubAppToken)
        #expect(try get().hasPrefix("username=alice\n"))
    }
}
