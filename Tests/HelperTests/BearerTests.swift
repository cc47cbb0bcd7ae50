import TestSupport
import Testing

@Suite("Credentials with a scheme")
struct BearerTests: HelperSuite {
    let helper = HelperFixture()
    private static let host = "protocol=https\nhost=git.example"
    private static let asks = host + "\ncapability[]=authtype"
    private static let bearer = "\nauthtype=Bearer\ncredential=tok"

    @Test("returns what git stored only to a git that announces authtype, and nothing of it once it expired")
    func roundTrip() throws {
        try helper.run(.store, Self.asks + Self.bearer)
        #expect(try helper.run(.get, Self.asks) == "capability[]=authtype\nauthtype=Bearer\ncredential=tok\n")
        #expect(try helper.run(.get, Self.host) == "")
        #expect(try helper.run(.get, Self.asks + "\nusername=barbaz") == "")
        // git's own helper finds an empty password, which has expired.
        #expect(
            doubles.keyring.onlyText == "\npassword_expiry_utc=1\ngitspace_authtype=Bearer\ngitspace_credential=tok")
        try helper.run(.store, Self.asks + Self.bearer + "\npassword_expiry_utc=\(RecordingClock.start + 60)")
        #expect(try helper.run(.get, Self.asks).contains("credential=tok\npassword_expiry_utc="))
        doubles.clock.advance(milliseconds: 61_000)
        #expect(try helper.run(.get, Self.asks) == "")
    }

    @Test("stores a credential with a name for that account, and keeps the password of another account")
    func accounts() throws {
        helper.brought("secret", host: "git.example", user: "alice")
        try helper.run(.store, Self.asks + Self.bearer + "\nusername=bob")
        let bobs = try helper.run(.get, Self.asks + "\nusername=bob")
        #expect(bobs == "capability[]=authtype\nauthtype=Bearer\ncredential=tok\nusername=bob\n")
        #expect(try helper.run(.get, Self.host) == "username=alice\npassword=secret\n")
        #expect(try helper.run(.get, Self.host + "\nusername=bob") == "")
        // A password that was stored later is not hidden.
        try helper.run(.erase, Self.host + "\nusername=alice")
        helper.brought("newer", host: "git.example", user: "zoe")
        #expect(try helper.run(.get, Self.host) == "username=zoe\npassword=newer\n")
    }

    @Test(
        "does not store an ephemeral credential, or one without a value or a scheme",
        arguments: [
            "\nauthtype=Bearer\ncredential=tok\nephemeral=1", "\nauthtype=Bearer", "\ncredential=tok",
            "\nauthtype=\ncredential=tok", "\nauthtype=Bearer\ncredential=",
            "\nauthtype=Bearer\nusername=a\npassword=b",
        ])
    func notStored(more: String) throws {
        try helper.run(.store, Self.asks + more)
        #expect(doubles.keyring.items.isEmpty)
    }

    @Test("erases a rejected credential only if the value is the same")
    func erase() throws {
        helper.brought("secret", host: "git.example", user: "alice")
        try helper.run(.store, Self.asks + Self.bearer + "\nusername=bob")
        for other in ["\nauthtype=Bearer\ncredential=other", "\nauthtype=Bearer", "\nauthtype=Digest\ncredential=tok"] {
            try helper.run(.erase, Self.asks + other)
            #expect(doubles.keyring.items.count == 2)
        }
        // A password with the same text is another credential.
        try helper.run(.erase, Self.host + "\nusername=bob\npassword=tok")
        try helper.run(.erase, Self.asks + "\nauthtype=Bearer\ncredential=secret")
        #expect(doubles.keyring.items.count == 2)
        try helper.run(.erase, Self.asks + "\nauthtype=bearer\ncredential=tok")
        #expect(credential(of: "bob") == nil && doubles.keyring.items.count == 1)
    }

    @Test("never changes a sign-in by a store with a scheme, or if another helper's Bearer is rejected")
    func protected() throws {
        helper.stored(expiresIn: 3_600)
        try helper.run(.store, "protocol=https\nhost=github.com\nusername=octocat\ncapability[]=authtype" + Self.bearer)
        try helper.run(.erase, "protocol=https\nhost=github.com\ncapability[]=authtype\nauthtype=Bearer\ncredential=x")
        #expect(password() == "ghu_old")
    }

    // MARK: gitspaceAuthType

    private func login() throws {
        doubles.configure("credential", "https://git.example", ["provider": "none", "gitspaceAuthType": "bearer"])
        verb.questions.answers = ["tok"]
        respond(.json("{}"))
        #expect(try verb.run("login", "git.example", "--with-token", "--username", "alice").status == .done)
    }

    @Test("returns a token with the scheme Bearer and our state, and not to an older git")
    func configured() throws {
        try login()
        let asks = "protocol=https\nhost=git.example\ncapability[]=authtype\ncapability[]=state"
        let answer = try helper.run(.get, asks)
        let given = "authtype=Bearer\ncredential=tok\ncapability[]=state\nusername=alice\nstate[]="
        #expect(answer.hasPrefix("capability[]=authtype\n" + given))
        #expect(try get(host: "git.example") == "")
        let text = doubles.keyring.onlyText
        // git sends the state back.
        let back = String(answer.dropFirst("capability[]=authtype\n".count))
        try helper.run(.store, "protocol=https\nhost=git.example\ncapability[]=authtype\n" + back)
        #expect(doubles.keyring.onlyText == text)
        try helper.run(.erase, "protocol=https\nhost=git.example\ncapability[]=authtype\n" + back)
        #expect(doubles.keyring.items.isEmpty)
    }

    @Test("Gitea takes no Bearer for git, with a client ID or without", arguments: [nil, "c"])
    func gitea(clientID: String?) throws {
        doubles.configure("credential", "https://codeberg.org", "gitspaceAuthType", "bearer")
        if let clientID { doubles.configure("credential", "https://codeberg.org", "oauthClientId", clientID) }
        verb.questions.answers = ["tok"]
        respond(.json("{\"login\":\"alice\"}"))
        #expect(try verb.run("login", "codeberg.org", "--with-token").status == .done)
        let answer = try helper.run(.get, "protocol=https\nhost=codeberg.org\ncapability[]=authtype")
        #expect(answer.hasPrefix("username=alice\npassword=tok\n"))
    }

    @Test("GitHub takes no Bearer for git, whatever is configured, and a line for all hosts is ignored")
    func gitHub() throws {
        doubles.configure("credential", "https://github.com", "gitspaceAuthType", "bearer")
        helper.approve()
        let answer = try helper.run(.get, "protocol=https\nhost=github.com\ncapability[]=authtype")
        #expect(answer.hasPrefix("username=octocat\npassword=gho_"))
        doubles.configure("credential", nil, "gitspaceAuthType", "bearer")
        let resolver = ContextResolver(with: .forTests(doubles))
        #expect(try !resolver.storeSettings(of: HostName(name: "codeberg.org")).settings.isBearer)
    }

    @Test("marks a token that expires as ephemeral, and keeps the scheme after a rejection and a refresh")
    func ephemeral() throws {
        var credential = StoredCredential(
            username: Array("alice".utf8), password: Secret("tok"), passwordExpiryUTC: RecordingClock.start + 3_600,
            oauthRefreshToken: Secret("ref"), grant: .init(clientID: "c"))
        credential.authtype = Array("Bearer".utf8)
        doubles.keyring.put(credential, for: "git.example")
        let answer = "capability[]=authtype\nauthtype=Bearer\ncredential=tok\nephemeral=1\nusername=alice\n"
        #expect(try helper.run(.get, Self.asks) == answer + "password_expiry_utc=\(RecordingClock.start + 3_600)\n")
        let rest = try #require(credential.withoutAccessToken(at: RecordingClock.start))
        let text = try #require(SecretText.encode(rest))
        let read = try #require(SecretText.parse(text, username: rest.username))
        #expect(read.authtype == credential.authtype && read.password.isEmpty && read.passwordExpiryUTC == 1)
        #expect(read.oauthRefreshToken == Secret("ref") && read.grant?.clientID == "c")
        doubles.configure("credential", "https://git.example", ["provider": "gitlab", "oauthClientId": "c"])
        doubles.clock.advance(milliseconds: 3_600_000)
        respond(GitLabAnswers.token)
        #expect(try helper.run(.get, Self.asks).contains("\nauthtype=Bearer\ncredential=de6780bc"))
    }
}
