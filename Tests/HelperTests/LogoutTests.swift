import CredentialCore
import Helper
import Language
import Messages
import Providers
import TestSupport
import Testing
import Verbs

@Suite("The verb logout")
struct LogoutTests {
    private let helper = HelperFixture()
    private var doubles: Doubles { helper.doubles }

    private let verb: VerbFixture

    init() { verb = VerbFixture(helper.doubles) }

    /// The lines that a person reads; nil if it failed.
    private func logout(_ options: String...) throws -> [String]? {
        let (status, text) = try verb.run(["logout", "github.com"] + options)
        return status == .done ? text : nil
    }

    @Test("it removes the only account, asks no server, and says where to withdraw the app's access")
    func onlyAccount() throws {
        helper.stored(expiresIn: nil, clientID: "Ov23liExample")
        #expect(
            try logout() == [
                "Signed out of github.com: removed octocat from the keyring.",
                "The token stays valid until you revoke the app's access:",
                "  https://github.com/settings/connections/applications/Ov23liExample",
            ])
        #expect(doubles.keyring.items.isEmpty && doubles.transport.requests.isEmpty)
    }

    @Test("of several accounts none goes unless it is named, or all are meant")
    func severalAccounts() throws {
        helper.stored(expiresIn: nil)
        helper.stored(expiresIn: nil, user: "hubot")
        #expect(try logout() == nil)
        #expect(doubles.keyring.items.count == 2)
        #expect(try logout("--username", "hubot")?.first == "Signed out of github.com: removed hubot from the keyring.")
        #expect(doubles.keyring.credential(of: "octocat") != nil)
        helper.stored(expiresIn: nil, user: "hubot")
        #expect(try logout("--all") != nil)
        #expect(doubles.keyring.items.isEmpty)
    }

    @Test("a single word may be an account of the default host, as for switch; a host comes first")
    func accountAlone() throws {
        helper.stored(expiresIn: nil)
        helper.stored(expiresIn: nil, user: "hubot")
        #expect(
            try verb.run("logout", "Hubot").text.first == "Signed out of github.com: removed hubot from the keyring.")
        #expect(doubles.keyring.credential(of: "octocat") != nil)
        #expect(try verb.run("logout", "nobody").status == .failed && doubles.keyring.items.count == 1)
    }

    @Test("nothing stored is said, with the command that shows what is")
    func nothingStored() throws {
        #expect(try logout() == nil)
        let words = doubles.errors.first
        #expect(words?.text.english == "no stored credentials for github.com")
        #expect(words?.hints.map(\.english) == ["see what is stored:", "  git credential-gitspace status"])
    }

    @Test("an account that is not there is said, with the names of those that are")
    func anotherAccount() throws {
        helper.stored(expiresIn: nil)
        helper.stored(expiresIn: nil, user: "hubot")
        #expect(try logout("--username", "zoe") == nil)
        #expect(doubles.keyring.items.count == 2)
        let words = doubles.errors.first
        #expect(words?.text.english == "the account zoe is not stored for github.com")
        #expect(
            words?.hints.map(\.english) == [
                "stored accounts:", "  git credential-gitspace logout github.com --username octocat",
                "  git credential-gitspace logout github.com --username hubot",
            ])
    }

    @Test("a refresh that is under way does not bring it back: log-out waits for it, or says that it cannot")
    func refreshUnderWay() throws {
        helper.stored(expiresIn: 3_600)
        _ = try logout()
        #expect(doubles.journal.entries.prefix(4) == ["keyring items", "lock", "keyring remove", "unlock"])
        for (fault, error) in [
            (LockError.timedOut, UserFacingError.otherNotFinished(host: "github.com")), (.impossible, .lockImpossible),
        ] {
            helper.stored(expiresIn: 3_600)
            doubles.locks.fault = fault
            #expect(try logout() == nil)
            #expect(doubles.errors.last == error && doubles.keyring.items.count == 1)
        }
        // What is never renewed needs none.
        helper.stored(expiresIn: 3_600, refreshToken: nil)
        #expect(try logout() != nil)
        #expect(doubles.keyring.items.isEmpty)
    }

    @Test("a keyring that fails is no empty one")
    func keyringFault() throws {
        helper.stored(expiresIn: nil)
        doubles.keyring.fault = .unresponsive(seconds: 5)
        #expect(try logout() == nil)
        #expect(doubles.errors == [.keyring(.unresponsive(seconds: 5))])
    }

    @Test(
        "a personal access token is withdrawn on its own page, and of others nobody knows more than the list",
        arguments: [
            ("ghp_0123", "https://github.com/settings/tokens"),
            ("github_pat_0123", "https://github.com/settings/personal-access-tokens"),
            ("gho_0123", "https://github.com/settings/applications"),
            ("ghu_0123", "https://github.com/settings/apps/authorizations"),
        ])
    func pages(token: String, page: String) throws {
        helper.brought(token)
        let lines = try #require(try logout())
        #expect(lines.last == "  " + page)
        #expect(lines.contains("The token stays valid until you delete it:") == (token.contains("p")))
    }

    @Test("nothing is said of the validity of a token that the host has rejected or that has expired")
    func rejectedAlready() throws {
        helper.brought("ghp_dead", expiresIn: -1)
        #expect(try logout()?.count == 1)
    }

    @Test("who was the default account stays so in git's configuration, and that is said")
    func defaultAccount() throws {
        verb.files.texts[.global] = "[credential \"https://github.com\"]\n\tusername = zoe\n"
        for user in ["zoe", "hubot", "octocat"] { helper.stored(expiresIn: nil, user: user) }
        #expect(try logout("--username", "hubot")?.contains { $0.contains("zoe") } == false)
        let lines = try #require(try logout("--username", "zoe"))
        #expect(
            lines.suffix(4) == [
                "git still asks for zoe, which is no longer signed in. It is set here:",
                "  credential.https://github.com.username (in /global)", "To choose another account:",
                "  git credential-gitspace switch github.com",
            ], "\(lines)")
        // With nobody left there is no other to choose.
        verb.files.texts[.global] = "[credential \"https://github.com\"]\n\tusername = octocat\n"
        #expect(try logout()?.last == "  git credential-gitspace switch github.com --unset")
    }
}
