import TestSupport
import Testing

@Suite("login and setup beside other accounts, and beside another sign-in")
struct LoginElsewhereTests: HelperSuite {
    private let setup = SetupFixture()
    var helper: HelperFixture { setup.helper }

    private func login() throws -> (status: Verbs.ExitStatus, text: [String]) {
        verb.setUpGit()
        return try verb.run("login")
    }

    /// Stores three accounts, of which `switch` has chosen zoe for git.
    private func threeAccounts() {
        for user in ["monalisa", "zoe", "bob"] { helper.brought("gho_\(user)", user: user) }
        doubles.configure("credential", "https://github.com", "username", "zoe")
    }

    @Test("setup takes the account that another setup has signed in meanwhile, and asks nobody")
    func setupMeanwhile() throws {
        doubles.locks.turnsUntilFree = 5
        doubles.locks.whenAcquired = { [helper] in helper.brought("gho_first", user: "monalisa") }
        setup.doctorAnswers(GitHubAnswers.user("monalisa"))
        questions.answers = ["n"]
        #expect(try setup.run() == .done && prompts.isEmpty && doubles.transport.isExhausted)
        #expect(setup.lines.contains("Already signed in to github.com as monalisa."))
    }

    @Test("setup takes the new token with which another setup has replaced a rejected one meanwhile")
    func setupMeanwhileReplaced() throws {
        helper.brought("gho_dead", user: "monalisa")
        doubles.locks.turnsUntilFree = 5
        doubles.locks.whenAcquired = { [helper] in helper.brought("gho_first", user: "monalisa") }
        respond(GitHubAnswers.badCredentials, GitHubAnswers.badCredentials)
        setup.doctorAnswers(GitHubAnswers.user("monalisa"))
        questions.answers = ["n"]
        #expect(try setup.run() == .done)
        #expect(prompts.isEmpty && setup.lines.contains("Already signed in to github.com as monalisa."))
    }

    @Test("login reports the account that another login has signed in meanwhile")
    func loginMeanwhile() throws {
        doubles.locks.turnsUntilFree = 5
        doubles.locks.whenAcquired = { [helper] in helper.brought("gho_first", user: "monalisa") }
        let (status, text) = try login()
        #expect(status == .done && prompts.isEmpty)
        #expect(text.first == "Already signed in to github.com as monalisa.")
    }

    @Test("login does not report an account that was stored before as the new sign-in")
    func notAnother() throws {
        threeAccounts()
        respond(GitHubAnswers.badCredentials, GitHubAnswers.device, GitHubAnswers.oauthAppToken)
        respond(GitHubAnswers.user("zoe"))
        #expect(try login() == (.done, ["Replaced the previous token of zoe for github.com."]) && prompts.count == 1)
    }

    @Test("login checks the account that git uses, and not the first one")
    func loginDefault() throws {
        threeAccounts()
        respond(GitHubAnswers.user("zoe"))
        let (status, text) = try login()
        #expect(status == .done && prompts.isEmpty)
        #expect(requests.map(\.authorization) == ["Bearer gho_zoe"])
        #expect(text.first == "Already signed in to github.com as zoe.")
    }

    @Test("login ignores an empty name in git's configuration")
    func emptyName() throws {
        helper.brought("gho_bob", user: "bob")
        doubles.configure("credential", nil, "username", "")
        respond(GitHubAnswers.user("bob"))
        #expect(try login().text.first == "Already signed in to github.com as bob.")
    }

    @Test("setup checks the account that git uses, and not the first one")
    func setupDefault() throws {
        threeAccounts()
        respond(GitHubAnswers.user("zoe"))
        setup.doctorAnswers(GitHubAnswers.user("monalisa"), GitHubAnswers.user("zoe"), GitHubAnswers.user("bob"))
        questions.answers = ["n"]
        #expect(try setup.run() == .done)
        #expect(prompts.isEmpty && setup.lines.contains("Already signed in to github.com as zoe."))
    }
}
