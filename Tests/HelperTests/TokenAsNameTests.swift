import TestSupport
import Testing

@Suite("Tokens in place of an account's name")
struct TokenAsNameTests: HelperSuite {
    private static let token = "ghp_0123456789abcdefABCDEF0123456789abcd"
    let helper = HelperFixture()
    private var everything: String { (verb.said + [verb.printed] + told).joined(separator: "\n") }

    @Test(
        "recognizes tokens of every kind, and no names",
        arguments: [
            (token, true), ("github_pat_11ABCDEFG0123456789_abcdef", true), ("glpat-0123456789abcdefghij", true),
            ("0123456789abcdef0123456789abcdef01234567", true), ("eyJhbGciOiJIUzI1NiJ9.e30.abcdefghijkl", true),
            (String(repeating: "a2b3", count: 13), true), (String(repeating: "a1B2c3D", count: 12), true),
            ("octocat", false), ("gho_stwriter", false), ("eyJonas", false), ("ATBBob", false), ("", false),
            ("someone.with.a.long.name@corporation.example", false), ("x-access-token", false),
        ])
    func shapes(text: String, isToken: Bool) {
        #expect(TokenShape.fits(Array(text.utf8)) == isToken)
        #expect((DisplayText(account: Array(text.utf8)) == .token) == isToken)
    }

    @Test("store does not save it, and prints how to store it as a password", arguments: ["github.com", "git.example"])
    func notStored(host: String) throws {
        try helper.run(.store, "protocol=https\nhost=\(host)\nusername=\(Self.token)\npassword=x-oauth-basic")
        #expect(doubles.keyring.items.isEmpty)
        #expect(sentences == ["the account name for \(host) is a token, so it was not stored"])
        #expect(doubles.errors[0].hints.last?.english == "  git credential-gitspace setup \(host) --with-token")
        #expect(!everything.contains(Self.token))
    }

    @Test("store prints nothing about a token in a remote's URL, which each fetch would repeat")
    func inRemote() throws {
        doubles.askingRepository = AskingRepository(remotes: [
            ("origin", "https://\(Self.token):x-oauth-basic@github.com/acme/app.git")
        ])
        try helper.run(.store, "protocol=https\nhost=github.com\nusername=\(Self.token)\npassword=x-oauth-basic")
        #expect(doubles.keyring.items.isEmpty && doubles.errors.isEmpty)
    }

    @Test("login and setup refuse it", arguments: ["login", "setup"])
    func typed(name: String) throws {
        #expect(try verb.run(name, "github.com", Self.token).status == .failed)
        #expect(doubles.errors == [.tokenAsName(host: "github.com")] && requests.isEmpty)
    }

    @Test("status and switch never print a stored one, and switch does not choose it")
    func stored() throws {
        helper.stored(expiresIn: nil)
        helper.brought("x-oauth-basic", user: Self.token)
        #expect(
            try verb.run("status", "github.com", "--offline").text.contains { $0.contains("Signed in as (a token)") })
        _ = try verb.run("status", "github.com", "--offline", "--json")
        #expect(
            verb.printed.contains("\"username\":\"(a token)\"") || verb.printed.contains("\"username\": \"(a token)\""))
        verb.questions.answers = ["2"]
        #expect(try verb.run("switch").status == .failed)
        #expect(doubles.errors == [.tokenAsName(host: "github.com")] && verb.files.texts[.global] == nil)
        #expect(!everything.contains(Self.token) && !everything.contains("x-oauth-basic"))
    }

    @Test("doctor reports it, and how to remove and revoke it")
    func doctor() throws {
        let examination = Examination()
        examination.helper.brought("x-oauth-basic", user: Self.token)
        let found = examination.found(.account)
        let text = "a token is stored as an account name for github.com, which other programs can read"
        #expect(found.results == [.fail] && found.texts == [text])
        let remove = ["remove it:", "  git credential-gitspace logout github.com"]
        let revoke = ["revoke it, and create another:", "  https://github.com/settings/tokens"]
        #expect(found.first?.hints == remove + revoke)
        #expect(!examination.verb.printed.contains(Self.token))
    }

    @Test("logout removes it by its number, and names no command with it without a terminal")
    func loggedOut() throws {
        helper.stored(expiresIn: nil)
        helper.brought("x-oauth-basic", user: Self.token)
        verb.questions.isInputTyped = false
        #expect(try verb.run("logout", "github.com").status == .failed)
        let logout = "  git credential-gitspace logout github.com"
        #expect(hints == ["choose one of them, or all:", "\(logout) octocat", "\(logout) --all"])
        verb.questions.isInputTyped = true
        verb.questions.answers = ["2"]
        let text = try verb.run("logout", "github.com").text
        #expect(text.contains("  2  (a token)"))
        #expect(text.contains("Signed out of github.com: removed (a token) from the keyring."))
        #expect(credential() != nil && doubles.keyring.items.count == 1)
        #expect(!everything.contains(Self.token))
    }
}
