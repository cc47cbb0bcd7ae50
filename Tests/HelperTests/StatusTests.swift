import Commands
import CredentialCore
import Helper
import OAuth
import TestSupport
import Testing

@Suite("The verbs status and refresh")
struct StatusTests {
    private let helper = HelperFixture()
    private var doubles: Doubles { helper.doubles }

    private func status(_ host: String? = "github.com", isOffline: Bool = false) throws -> [Status.Account] {
        let request = try host.map { try Request("protocol=https\nhost=\($0)") }
        return try #require(doubles.run(Status(request, isOffline: isOffline, with: .forTests(doubles))).reports.first)
            .accounts
    }

    private func refresh() throws -> RefreshNow.Report? {
        doubles.run(
            RefreshNow(try Request("protocol=https\nhost=github.com"), with: .forTests(doubles))
        ).reports.first
    }

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
        #expect(try refresh()?.username == "octocat")
        #expect(doubles.keyring.credential(of: "octocat")?.password.text != "ghu_old")
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
                .notSignedIn(host: "github.com"), .notRenewable(host: "github.com"),
                .offline(host: "github.com", .unreachable),
            ])
        #expect(doubles.keyring.credential(of: "octocat")?.password.text == "ghu_old")
    }
}
