import Commands
import CredentialCore
import Helper
import Messages
import OAuth
import Providers
import TestSupport
import Testing

@Suite("The verb logout")
struct LogoutTests {
    private let helper = HelperFixture()
    private var doubles: Doubles { helper.doubles }

    private func logout(
        _ scope: Logout.Scope = .one, as username: String? = nil
    ) throws -> Logout.Report? {
        let account = username.map { "\nusername=\($0)" } ?? ""
        let request = try Request("protocol=https\nhost=github.com" + account)
        return doubles.run(Logout(request, scope, with: .forTests(doubles))).reports.first
    }

    @Test("it removes the only account, asks no server, and says where to withdraw the app's access")
    func onlyAccount() throws {
        helper.stored(expiresIn: nil, clientID: "Ov23liExample")
        let report = try #require(try logout())
        #expect(report.accounts == ["octocat"] && report.tokens == .untouched)
        #expect(report.page?.text == "https://github.com/settings/connections/applications/Ov23liExample")
        #expect(doubles.keyring.items.isEmpty && doubles.transport.requests.isEmpty)
    }

    @Test("of several accounts none goes unless it is named, or all are meant")
    func severalAccounts() throws {
        helper.stored(expiresIn: nil)
        helper.stored(expiresIn: nil, user: "hubot")
        #expect(try logout() == nil)
        #expect(doubles.keyring.items.count == 2)
        #expect(try logout(as: "hubot")?.accounts == ["hubot"])
        #expect(doubles.keyring.credential(of: "octocat") != nil)
        helper.stored(expiresIn: nil, user: "hubot")
        #expect(try logout(.all)?.accounts.count == 2)
        #expect(doubles.keyring.items.isEmpty)
    }

    @Test("nothing stored is said, with the command that signs in")
    func nothingStored() throws {
        #expect(try logout() == nil)
        #expect(doubles.errors == [.notSignedIn(host: "github.com")])
    }

    @Test("an account that is not there is said, with the names of those that are")
    func anotherAccount() throws {
        helper.stored(expiresIn: nil)
        helper.stored(expiresIn: nil, user: "hubot")
        #expect(try logout(as: "zoe") == nil)
        #expect(doubles.keyring.items.count == 2)
        let words = doubles.errors.first?.words
        #expect(words?.what.english == "the account zoe is not stored for github.com")
        #expect(words?.hints.map(\.english) == ["stored accounts: octocat, hubot"])
    }

    @Test("a refresh that is under way does not bring it back: log-out waits for it, or says that it cannot")
    func refreshUnderWay() throws {
        helper.stored(expiresIn: 3_600)
        _ = try logout()
        #expect(doubles.journal.entries == ["keyring items", "lock", "keyring remove", "unlock"])
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
}
