import CredentialCore
import Helper
import Language
import Messages
import Providers
import TestSupport
import Testing
import Verbs

@Suite("The verbs status and refresh")
struct StatusTests {
    private let helper = HelperFixture()
    private var doubles: Doubles { helper.doubles }

    private func status(_ host: String? = "github.com", isOffline: Bool = false) throws -> [Status.Account] {
        let request = try host.map { try Request("protocol=https\nhost=\($0)") }
        return try #require(doubles.run(Status(request, isOffline: isOffline, with: .forTests(doubles))).reports.first)
            .accounts
    }

    private func refresh() throws -> String? { try VerbFixture(doubles).run("refresh", "github.com").text.first }

    @Test("a token that the server takes is authorized, one that it refuses is revoked")
    func asked() throws {
        helper.stored(expiresIn: 3_600)
        doubles.transport.answer(GitHubAnswers.user("octocat"))
        #expect(try status().map(\.state) == [.authorized])
        doubles.transport.answer(GitHubAnswers.badCredentials)
        #expect(try status().map(\.state) == [.revoked])
        doubles.transport.fail(.unreachable)
        #expect(try status().map(\.state) == [.unknown])
    }

    @Test("a token that belongs to another account is told with its owner, to people and to programs")
    func ofAnother() throws {
        helper.brought("ghp_planted")
        doubles.transport.answer(GitHubAnswers.user("mallory"))
        let request = try Request("protocol=https\nhost=github.com")
        let report = try #require(
            doubles.run(Status(request, isOffline: false, with: .forTests(doubles))).reports.first)
        #expect(report.accounts.map(\.state) == [.otherAccount])
        #expect(
            report.lines.map(\.english) == [
                "github.com", "  Not usable: octocat (keyring)", "  Token: belongs to mallory",
                "  To sign in again: git credential-gitspace login github.com --username octocat",
                "  To sign out: git credential-gitspace logout github.com",
            ])
        #expect(report.json.first?.contains(#""state": "other_account", "owner": "mallory""#) == true)
        doubles.transport.answer(GitHubAnswers.user("OCTOCAT"))
        let own = try #require(try status().first)
        #expect(own.state == .authorized && own.owner == "OCTOCAT")
    }

    @Test("a host that the person has made a plain store is not asked, whatever is stored for it")
    func plainStore() throws {
        doubles.configuration = [
            ConfigurationEntry(section: "credential", subsection: "https://github.com", key: "provider", value: "none")
        ]
        helper.stored(expiresIn: 3_600)
        #expect(try status().map(\.provider) == [.none])
        #expect(try status(nil).isEmpty)
        #expect(doubles.transport.requests.isEmpty)
    }

    @Test("an ended token is expired, and no server is asked about it")
    func expired() throws {
        helper.stored(expiresIn: -10)
        let account = try #require(try status().first)
        #expect(account.state == .expired && account.isRefreshable && account.username == "octocat")
        #expect(doubles.transport.requests.isEmpty)
    }

    @Test("offline, no server is asked")
    func offline() throws {
        helper.stored(expiresIn: 3_600)
        #expect(try status(isOffline: true).map(\.state) == [.unknown])
        #expect(doubles.transport.requests.isEmpty)
    }

    @Test("a host with nothing stored is not found; without a host there is simply nothing")
    func nothing() throws {
        #expect(try status().map(\.state) == [.notFound])
        #expect(try status(nil).isEmpty)
    }

    @Test("all hosts where we sign in are shown, and no other")
    func allHosts() throws {
        helper.stored(expiresIn: -10)
        helper.stored(expiresIn: -10, host: "octo.ghe.com", user: "hubot")
        helper.brought("secret", host: "mail.example")
        #expect(try status(nil).map(\.host) == ["github.com", "octo.ghe.com"])
    }

    @Test("refresh renews a token that is still good")
    func refreshes() throws {
        helper.stored(expiresIn: 3_600)
        doubles.transport.answer(GitHubAnswers.gitHubAppToken)
        #expect(try refresh() == "Refreshed the token of octocat for github.com.")
        #expect(doubles.keyring.credential(of: "octocat")?.password.text != "ghu_old")
    }

    @Test("of several accounts none is renewed unless it is named, and the names are said")
    func refreshOfSeveral() throws {
        helper.stored(expiresIn: 3_600)
        helper.stored(expiresIn: 3_600, user: "hubot")
        #expect(try refresh() == nil)
        #expect(doubles.transport.requests.isEmpty)
        let words = doubles.errors.first
        #expect(words?.text.english == "several accounts are stored for github.com: octocat, hubot")
        #expect(
            words?.hints.map(\.english) == [
                "choose one of them:", "  git credential-gitspace refresh github.com --username octocat",
                "  git credential-gitspace refresh github.com --username hubot",
            ])
    }

    /// The lines of `status`, below each other.
    private func text(isOffline: Bool = true) throws -> String {
        let status = Status(
            try Request("protocol=https\nhost=github.com"), isOffline: isOffline, with: .forTests(doubles))
        return try #require(doubles.run(status).reports.first).lines.map(\.english).joined(separator: "\n")
    }

    @Test("with several accounts each one's next step names it")
    func nextSteps() throws {
        helper.stored(expiresIn: nil, refreshToken: nil)
        helper.stored(expiresIn: nil, refreshToken: nil, user: "hubot")
        let text = try text()
        for name in ["octocat", "hubot"] {
            #expect(
                text.contains("To sign out: git credential-gitspace logout github.com --username \(name)"), "\(text)")
        }
    }

    @Test("a single account needs no name, and a token without an expiry does not expire")
    func single() throws {
        helper.stored(expiresIn: nil, refreshToken: nil)
        let text = try text()
        #expect(text.hasSuffix("To sign out: git credential-gitspace logout github.com"), "\(text)")
        #expect(text.contains("Token: does not expire"), "\(text)")
    }

    @Test("a token that can be renewed has not ended; one that cannot be is told with its remedy")
    func remedies() throws {
        let signIn = "To sign in again: git credential-gitspace login github.com --username octocat"
        helper.stored(expiresIn: -10)
        var text = try text()
        #expect(!text.contains("Ended") && !text.contains("expired"), "\(text)")
        #expect(text.contains("Token: refreshed when git next needs it"), "\(text)")
        helper.stored(expiresIn: -10, refreshToken: nil)
        text = try self.text()
        #expect(text.contains("Token: expired on ") && text.contains(signIn), "\(text)")
        helper.stored(expiresIn: nil, refreshToken: nil)
        doubles.transport.answer(GitHubAnswers.badCredentials)
        text = try self.text(isOffline: false)
        #expect(text.contains("Token: rejected by github.com") && text.contains(signIn), "\(text)")
        helper.stored(expiresIn: 3_600)
        doubles.transport.answer(GitHubAnswers.badCredentials)
        text = try self.text(isOffline: false)
        #expect(text.contains("To refresh it: git credential-gitspace refresh github.com"), "\(text)")
    }

    @Test("a token that cannot be renewed, and a server that is away, are errors")
    func errors() throws {
        #expect(try refresh() == nil)
        helper.stored(expiresIn: 3_600, refreshToken: nil)
        #expect(try refresh() == nil)
        helper.stored(expiresIn: 3_600)
        doubles.transport.fail(.unreachable)
        #expect(try refresh() == nil)
        #expect(
            doubles.errors == [
                .notSignedIn(host: "github.com"),
                .notRenewable(host: "github.com", SignInAgain(account: "octocat")),
                .offline(host: "github.com", .unreachable),
            ])
        #expect(doubles.keyring.credential(of: "octocat")?.password.text == "ghu_old")
    }
}
