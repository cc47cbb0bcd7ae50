import TestSupport
import Testing

/// An account whose name at the host differs from the one in the keyring.
@Suite("A renamed account")
struct RenamedAccountTests {
    private let helper = HelperFixture()
    private var doubles: Doubles { helper.doubles }

    private func stored(id: Int64?, as user: String = "octocat", expiresIn seconds: Int64 = 3_600) {
        doubles.keyring.put(
            StoredCredential(
                username: Array(user.utf8), password: Secret("ghu_old"),
                passwordExpiryUTC: RecordingClock.start + seconds, oauthRefreshToken: Secret("ghr_old"),
                grant: .init(clientID: "Iv1.0123456789abcdef", accountID: id)),
            for: "github.com")
    }

    private var users: [String] {
        doubles.keyring.items.map { String(decoding: $0.attributes.user ?? [], as: UTF8.self) }
    }

    @Test("follows the account's number once with a line, and still finds it by the old name")
    func followed() throws {
        stored(id: 1)
        doubles.transport.answer(GitHubAnswers.user("mona"))
        let text = try VerbFixture(doubles).run("status", "github.com").text
        #expect(text.contains { $0.contains("Signed in as mona") }, "\(text)")
        #expect(users == ["mona"] && doubles.locks.held == 0)
        #expect(doubles.ui.notices == [.accountRenamed(host: "github.com", from: "octocat", to: "mona")])
        #expect(doubles.keyring.credential(of: "mona")?.oauthRefreshToken?.text == "ghr_old")
        doubles.transport.answer(GitHubAnswers.user("mona"))
        _ = try VerbFixture(doubles).run("status", "github.com")
        #expect(doubles.ui.notices.count == 1)
        let answer = try helper.get(as: "octocat")
        #expect(answer.contains("username=mona\n") && answer.contains("password=ghu_old\n"), "\(answer)")
    }

    @Test("doctor follows the new name, and finds nothing wrong")
    func examined() throws {
        stored(id: 1)
        let examination = Examination()
        examination.doubles.keyring.put(try #require(doubles.keyring.credential(of: "octocat")), for: "github.com")
        examination.answer(accounts: GitHubAnswers.user("mona"))
        let found = examination.diagnoses(.account)
        #expect(found.results == [.ok] && found.texts == ["github.com accepts the token of mona"], "\(found)")
        #expect(examination.doubles.keyring.credential(of: "mona") != nil)
        #expect(examination.doubles.ui.notices == [.accountRenamed(host: "github.com", from: "octocat", to: "mona")])
    }

    @Test("check follows the new name, and goes on with it")
    func checked() throws {
        stored(id: 1)
        doubles.transport.answer(GitHubAnswers.user("mona"), GitHubAnswers.repository())
        let finding = try VerbFixture(doubles).check("https://github.com/acme/widgets")
        #expect(finding["result"] == "reachable" && finding["username"] == "mona", "\(finding)")
        #expect(users == ["mona"])
    }

    @Test("doctor and check offer no sign-in by the old name, if no number was stored")
    func unknownToVerbs() throws {
        let examination = Examination()
        examination.helper.stored(expiresIn: 3_600)
        examination.answer(accounts: GitHubAnswers.user("mona"))
        let found = examination.diagnoses(.account)
        #expect(found.results == [.fail] && found.everything.contains("belongs to mona"), "\(found)")
        #expect(!found.everything.contains("login github.com octocat"), "\(found)")
        stored(id: nil)
        doubles.transport.otherwise = GitHubAnswers.user("mona")
        let finding = try VerbFixture(doubles).check("https://github.com/acme/widgets")
        #expect(finding["result"] == "other_account" && finding["owner"] == "mona")
        #expect(!finding.hints.contains { $0.contains("login github.com octocat") }, "\(finding.hints)")
    }

    @Test("refreshes the token if a remote has the old name")
    func refreshed() throws {
        stored(id: 1)
        doubles.transport.answer(GitHubAnswers.user("mona"))
        _ = try VerbFixture(doubles).run("status", "github.com")
        doubles.clock.advance(milliseconds: 3_600_000)
        doubles.transport.answer(GitHubAnswers.gitHubAppToken)
        #expect(try helper.get(as: "octocat").contains("username=mona\n"))
        #expect(doubles.keyring.credential(of: "mona")?.grant?.accountID == 1)
        #expect(doubles.keyring.credential(of: "mona")?.grant?.formerName == "octocat")
    }

    @Test("does not rename to another account, or over a stored one", arguments: [true, false])
    func notFollowed(isAnother: Bool) throws {
        stored(id: isAnother ? 2 : 1)
        if !isAnother { stored(id: 1, as: "mona", expiresIn: -1) }
        doubles.transport.otherwise = GitHubAnswers.user("mona")
        _ = try VerbFixture(doubles).run("status", "github.com")
        #expect(Set(users).contains("octocat") && doubles.ui.notices.isEmpty)
    }

    @Test("names the new account of a sign-in from an earlier version without a number")
    func unknown() throws {
        stored(id: nil)
        doubles.transport.answer(GitHubAnswers.user("mona"))
        let text = try VerbFixture(doubles).run("status", "github.com").text.joined(separator: "\n")
        #expect(users == ["octocat"])
        #expect(text.contains("octocat: token belongs to mona"), "\(text)")
    }

    @Test("stores the account's number at the sign-in")
    func remembered() throws {
        doubles.transport.answer(GitHubAnswers.device, GitHubAnswers.gitHubAppToken, GitHubAnswers.user("octocat"))
        _ = try helper.get()
        #expect(doubles.keyring.credential(of: "octocat")?.grant?.accountID == 1)
    }
}
