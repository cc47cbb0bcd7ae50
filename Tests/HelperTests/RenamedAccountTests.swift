import TestSupport
import Testing

/// An account whose name at the host differs from the one in the keyring.
@Suite("A renamed account")
struct RenamedAccountTests: HelperSuite {
    let helper = HelperFixture()

    @Test("follows the account's number once with a line, and still finds it by the old name")
    func followed() throws {
        helper.stored(expiresIn: 3_600, accountID: 1)
        respond(GitHubAnswers.user("mona"))
        let text = try verb.run("status", "github.com").text
        #expect(text.contains { $0.contains("Signed in as mona") }, "\(text)")
        #expect(users() == ["mona"] && doubles.locks.held == 0)
        #expect(notices == [.accountRenamed(host: "github.com", from: "octocat", to: "mona")])
        #expect(credential(of: "mona")?.oauthRefreshToken?.text == "ghr_old")
        respond(GitHubAnswers.user("mona"))
        _ = try verb.run("status", "github.com")
        #expect(notices.count == 1)
        let answer = try get(as: "octocat")
        #expect(answer.contains("username=mona\n") && answer.contains("password=ghu_old\n"), "\(answer)")
    }

    @Test("doctor follows the new name, and finds nothing wrong")
    func examined() throws {
        helper.stored(expiresIn: 3_600, accountID: 1)
        let examination = Examination()
        examination.doubles.keyring.put(try #require(credential()), for: "github.com")
        let found = examination.found(.account, accounts: GitHubAnswers.user("mona"))
        #expect(found.results == [.ok] && found.texts == ["github.com accepts the token of mona"], "\(found)")
        #expect(examination.credential(of: "mona") != nil)
        #expect(examination.doubles.ui.notices == [.accountRenamed(host: "github.com", from: "octocat", to: "mona")])
    }

    @Test("check follows the new name, and goes on with it")
    func checked() throws {
        helper.stored(expiresIn: 3_600, accountID: 1)
        respond(GitHubAnswers.user("mona"), GitHubAnswers.repository())
        let finding = try verb.check("https://github.com/acme/widgets")
        #expect(finding["result"] == "reachable" && finding["username"] == "mona", "\(finding)")
        #expect(users() == ["mona"])
    }

    @Test("doctor and check offer no sign-in by the old name, if no number was stored")
    func unknownToVerbs() throws {
        let examination = Examination()
        examination.helper.stored(expiresIn: 3_600)
        let found = examination.found(.account, accounts: GitHubAnswers.user("mona"))
        #expect(found.results == [.fail] && found.everything.contains("belongs to mona"), "\(found)")
        #expect(!found.everything.contains("login github.com octocat"), "\(found)")
        helper.stored(expiresIn: 3_600, accountID: nil)
        doubles.transport.otherwise = GitHubAnswers.user("mona")
        let finding = try verb.check("https://github.com/acme/widgets")
        #expect(finding["result"] == "other_account" && finding["owner"] == "mona")
        #expect(!finding.hints.contains { $0.contains("login github.com octocat") }, "\(finding.hints)")
    }

    @Test("refreshes the token if a remote has the old name")
    func refreshed() throws {
        helper.stored(expiresIn: 3_600, accountID: 1)
        respond(GitHubAnswers.user("mona"))
        _ = try verb.run("status", "github.com")
        doubles.clock.advance(milliseconds: 3_600_000)
        respond(GitHubAnswers.gitHubAppToken)
        #expect(try get(as: "octocat").contains("username=mona\n"))
        #expect(credential(of: "mona")?.grant?.accountID == 1)
        #expect(credential(of: "mona")?.grant?.formerName == "octocat")
    }

    @Test("does not rename to another account, or over a stored one", arguments: [true, false])
    func notFollowed(isAnother: Bool) throws {
        helper.stored(expiresIn: 3_600, accountID: isAnother ? 2 : 1)
        if !isAnother { helper.stored(expiresIn: -1, user: "mona", accountID: 1) }
        doubles.transport.otherwise = GitHubAnswers.user("mona")
        _ = try verb.run("status", "github.com")
        #expect(Set(users()).contains("octocat") && notices.isEmpty)
    }
}
