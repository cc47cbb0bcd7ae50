import CredentialCore
import Helper
import TestSupport
import Testing
import Verbs

@Suite("login and setup beside other accounts, and beside another sign-in")
struct LoginElsewhereTests {
    private let setup = SetupFixture()
    private var helper: HelperFixture { setup.helper }
    private var doubles: Doubles { setup.doubles }

    private func login(as username: String? = nil) throws -> (status: Verbs.ExitStatus, text: [String]) {
        let lines = "protocol=https\nhost=github.com" + (username.map { "\nusername=\($0)" } ?? "")
        let verb = VerbFixture(doubles)
        verb.setUpGit()
        return try verb.run("login", about: Request(lines))
    }

    /// Three accounts, of which git uses zoe by `switch`.
    private func threeAccounts() {
        for user in ["monalisa", "zoe", "bob"] { helper.brought("gho_\(user)", user: user) }
        doubles.configure("credential", "https://github.com", "username", "zoe")
    }

    @Test("of two setups at once, the second takes the account that the first has signed in, and asks nobody")
    func setupMeanwhile() throws {
        doubles.locks.turnsUntilFree = 5
        doubles.locks.whenAcquired = { [helper] in helper.brought("gho_first", user: "monalisa") }
        setup.doctorAnswers(GitHubAnswers.user("monalisa"))
        setup.questions.answers = ["n"]
        #expect(try setup.run() == .done)
        #expect(doubles.ui.prompts.isEmpty && doubles.transport.isExhausted)
        #expect(setup.lines.contains("Already signed in to github.com as monalisa."))
    }

    @Test("so it is where the first one replaces a token that the host has rejected")
    func setupMeanwhileReplaced() throws {
        helper.brought("gho_dead", user: "monalisa")
        doubles.locks.turnsUntilFree = 5
        doubles.locks.whenAcquired = { [helper] in helper.brought("gho_first", user: "monalisa") }
        doubles.transport.answer(GitHubAnswers.badCredentials)
        doubles.transport.answer(GitHubAnswers.badCredentials)
        setup.doctorAnswers(GitHubAnswers.user("monalisa"))
        setup.questions.answers = ["n"]
        #expect(try setup.run() == .done)
        #expect(doubles.ui.prompts.isEmpty && setup.lines.contains("Already signed in to github.com as monalisa."))
    }

    @Test("of two logins at once, the second says who is signed in now")
    func loginMeanwhile() throws {
        doubles.locks.turnsUntilFree = 5
        doubles.locks.whenAcquired = { [helper] in helper.brought("gho_first", user: "monalisa") }
        let (status, text) = try login()
        #expect(status == .done && doubles.ui.prompts.isEmpty)
        #expect(text.first == "Already signed in to github.com as monalisa.")
    }

    @Test("another account that was stored before is not taken for the one that is signed in now")
    func notAnother() throws {
        threeAccounts()
        doubles.transport.answer(GitHubAnswers.badCredentials)
        doubles.transport.answer(GitHubAnswers.device)
        doubles.transport.answer(GitHubAnswers.oauthAppToken)
        doubles.transport.answer(GitHubAnswers.user("zoe"))
        let (status, text) = try login()
        #expect(status == .done && doubles.ui.prompts.count == 1)
        #expect(text == ["Replaced the previous token of zoe for github.com."])
    }

    @Test("login looks at the account that git uses, and not at the first one")
    func loginDefault() throws {
        threeAccounts()
        doubles.transport.answer(GitHubAnswers.user("zoe"))
        let (status, text) = try login()
        #expect(status == .done && doubles.ui.prompts.isEmpty)
        #expect(doubles.transport.requests.map(\.authorization) == ["Bearer gho_zoe"])
        #expect(text.first == "Already signed in to github.com as zoe.")
    }

    @Test("an empty name in git's configuration is no account to look at")
    func emptyName() throws {
        helper.brought("gho_bob", user: "bob")
        doubles.configure("credential", nil, "username", "")
        doubles.transport.answer(GitHubAnswers.user("bob"))
        #expect(try login().text.first == "Already signed in to github.com as bob.")
    }

    @Test("an account that login names is the one it looks at")
    func loginNamed() throws {
        threeAccounts()
        doubles.transport.answer(GitHubAnswers.user("bob"))
        #expect(try login(as: "bob").text.first == "Already signed in to github.com as bob.")
    }

    @Test("so does setup")
    func setupDefault() throws {
        threeAccounts()
        doubles.transport.answer(GitHubAnswers.user("zoe"))
        setup.doctorAnswers(GitHubAnswers.user("monalisa"), GitHubAnswers.user("zoe"), GitHubAnswers.user("bob"))
        setup.questions.answers = ["n"]
        #expect(try setup.run() == .done)
        #expect(doubles.ui.prompts.isEmpty && setup.lines.contains("Already signed in to github.com as zoe."))
    }
}
