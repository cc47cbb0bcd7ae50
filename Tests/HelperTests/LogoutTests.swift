import Commands
import CredentialCore
import Helper
import OAuth
import TestSupport
import Testing

@Suite("The verb logout")
struct LogoutTests {
    private let helper = HelperFixture()
    private var doubles: Doubles { helper.doubles }

    private func logout(
        _ scope: Logout.Scope = .one, as username: String? = nil, revokes: Bool = false
    ) throws -> Logout.Report? {
        let account = username.map { "\nusername=\($0)" } ?? ""
        let request = try Request("protocol=https\nhost=github.com" + account)
        return doubles.run(Logout(request, scope, revokes: revokes, with: .forTests(doubles))).reports.first
    }

    @Test("it removes the only account, asks no server, and says where to withdraw the app's access")
    func onlyAccount() throws {
        helper.stored(expiresIn: nil, clientID: "Ov23liExample")
        let report = try #require(try logout())
        #expect(report.accounts == ["octocat"] && !report.isRevoked)
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

    @Test("revoking names both tokens, and removes them whatever the server says", arguments: [202, 500])
    func revoking(status: Int) throws {
        helper.stored(expiresIn: -10)
        doubles.transport.answer(HTTPResponse(status: status))
        let report = try #require(try logout(revokes: true))
        #expect(report.isRevoked == (status == 202))
        let page = HTTPSAddress(parsing: "https://github.com/settings/apps/authorizations")
        #expect(
            doubles.errors
                == (status == 202 ? [] : [.revocationRefused(host: "github.com", status: status, page: page)]))
        #expect(doubles.transport.requests.first?.body == #"{"credentials":["ghu_old","ghr_old"]}"#)
        #expect(doubles.keyring.items.isEmpty)
    }

    @Test("a server that cannot be reached keeps nothing here")
    func offline() throws {
        helper.stored(expiresIn: nil)
        doubles.transport.fail(.unreachable)
        #expect(try logout(revokes: true)?.isRevoked == false)
        guard case .notRevoked(_, .unreachable, _)? = doubles.errors.first else {
            Issue.record("\(doubles.errors)")
            return
        }
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
