import TestSupport
import Testing

@Suite("The verb login, with a pasted token")
struct TokenLoginTests: HelperSuite {
    let helper = HelperFixture()
    init() { verb.setUpGit() }
    private static let page = "  https://github.com/settings/tokens/new?description=git&scopes=repo,workflow,gist"

    private func login(_ token: String?, as username: String? = nil) throws -> (Verbs.ExitStatus, [String]) {
        questions.answers = token.map { [$0] } ?? []
        return try verb.run(["login", "github.com", "--with-token"] + (username.map { ["--username", $0] } ?? []))
    }

    @Test("asks the host for the account, and replaces an existing sign-in")
    func kept() throws {
        helper.stored(expiresIn: 3_600)
        respond(GitHubAnswers.user("octocat"))
        let (status, text) = try login("ghp_mine")
        #expect(status == .done && text == ["✓ Signed in as octocat. Saved in the keyring."])
        let stored = try #require(credential())
        #expect(stored.password.text == "ghp_mine" && stored.oauthRefreshToken == nil)
        #expect(stored.grant?.clientID == nil && stored.grant?.since == 1 && stored.grant?.accountID == 1)
        #expect(questions.asked == ["Token for github.com (not shown): "])
        // From then on, only the person replaces the token.
        try helper.run(.store, "protocol=https\nhost=github.com\nusername=octocat\npassword=garbage")
        #expect(password() == "ghp_mine")
    }

    @Test("reports a token that cannot be saved as lost, and names no command that uses it")
    func lost() throws {
        doubles.keyring.saveFault = .denied
        respond(GitHubAnswers.user("octocat"))
        #expect(try login("ghp_mine").0 == .failed)
        doubles.locks.fault = .impossible
        respond(GitHubAnswers.user("octocat"))
        #expect(try login("ghp_mine").0 == .failed)
        let lost = "the token could not be saved and is lost: "
        let noFolder = "no safe folder for lock files, so gitspace cannot sign in, refresh or remove tokens"
        #expect(sentences == [lost + "the keyring denied access", lost + noFolder])
    }

    @Test("sends a malformed token nowhere", arguments: ["two words", "tok\u{e9}n"])
    func malformed(token: String) throws {
        #expect(try login(token).0 == .failed && doubles.errors == [.malformedToken] && doubles.journal.entries.isEmpty)
    }

    @Test("does not store a token that the host refuses or cannot check")
    func notVerified() throws {
        respond(.json("{}", status: 401))
        #expect(try login("ghp_dead").0 == .failed)
        doubles.transport.fail(.unreachable)
        #expect(try login("ghp_mine").0 == .failed)
        let refused = UserFacingError.tokenRefused(host: "github.com", page: GitHubAnswers.newToken)
        #expect(doubles.errors == [refused, .tokenNotVerified(host: "github.com")])
        #expect(refused.hints.map(\.english) == ["create a token here:", Self.page])
        #expect(doubles.keyring.items.isEmpty)
    }

    @Test("does nothing after the person cancels, and does not report Ctrl-C as the host's answer")
    func interrupted() throws {
        #expect(try login(nil).0 == .cancelled && doubles.journal.entries.isEmpty && doubles.errors.isEmpty)
        doubles.transport.fail(.interrupted)
        #expect(try login("ghp_mine").0 == .failed)
        // A host of unknown kind.
        verb.isInterrupted = true
        doubles.transport.fail(.interrupted)
        #expect(try verb.run("login", "git.example", "--with-token").status == .failed)
        #expect(sentences == ["interrupted", "interrupted"] && doubles.keyring.items.isEmpty)
    }

    @Test("reports a missing token, with an example for a terminal or for a pipe", arguments: [true, false])
    func empty(isTyped: Bool) throws {
        questions.isInputTyped = isTyped
        #expect(try login("", as: "mona").0 == .failed && doubles.journal.entries.isEmpty)
        #expect(sentences == [isTyped ? "no token was entered" : "no token on standard input"])
        let command = "  git credential-gitspace login github.com mona --with-token" + (isTyped ? "" : " <token.txt")
        #expect(hints == ["create a token here:", Self.page, isTyped ? "then paste it:" : "then pass it:", command])
    }

    @Test(
        "refuses a token that a file or the clipboard has damaged, and names the damage",
        arguments: [
            ("\u{1}\0g\0h\0p\0", "it is encoded in UTF-16", "convert the file to plain text:"),
            (
                "https://mona:ghp_mine@github.com", "it is a URL",
                "in https://NAME:TOKEN@HOST, the token is the part between : and @; enter that alone"
            ), ("mona\nghp_mine", "there is more than one line", "enter the line with the token alone"),
            ("\"ghp_mine\"", "it is in quotation marks", "enter it without them"),
            ("'ghp_mine'", "it is in quotation marks", "enter it without them"),
            ("`ghp_mine`", "it is in quotation marks", "enter it without them"),
            ("\u{201c}ghp_mine\u{201d}", "it is in quotation marks", "enter it without them"),
            (
                "ghp_mine\u{a0}", "it contains a no-break space or another invisible character",
                "copy it again from the page that showed it, or from another program"
            ),
            (
                "ghp_\u{200b}mine", "it contains a no-break space or another invisible character",
                "copy it again from the page that showed it, or from another program"
            ),
        ])
    func spoilt(token: String, fault: String, hint: String) throws {
        #expect(try login(token).0 == .failed && doubles.journal.entries.isEmpty && doubles.keyring.items.isEmpty)
        #expect(told.prefix(2) == ["invalid token: " + fault, hint] && !told.joined().contains("mine"))
    }

    @Test("suggests a command that converts a file in UTF-16")
    func utf16() throws {
        #expect(try login("\0x", as: "bob").0 == .failed)
        let command = "  iconv -f UTF-16 -t UTF-8 token.txt | git credential-gitspace login github.com bob --with-token"
        #expect(hints.last == command)
    }
}
