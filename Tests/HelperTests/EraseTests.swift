import CredentialCore
import Helper
import Messages
import Providers
import TestSupport
import Testing

@Suite("erase")
struct EraseTests {
    let helper = HelperFixture()
    var doubles: Doubles { helper.doubles }

    func erase(_ more: String = "", host: String = "github.com") throws {
        #expect(try helper.run(.erase, "protocol=https\nhost=\(host)" + more).isEmpty)
    }

    private func passwords() -> Set<String> { Set(doubles.keyring.items.compactMap { $0.secret?.text }) }

    @Test("what has gone is said, and of what has not that it has not: not that nothing was removed")
    func halfDone() throws {
        for user in ["octocat", "hubot"] { helper.stored(expiresIn: nil, user: user) }
        doubles.requester = .person
        doubles.keyring.beforeCall = { [doubles] call in
            doubles.keyring.fault = call == .remove && doubles.keyring.calls.contains(.remove) ? .denied : nil
        }
        try helper.run(.erase)
        let kept = try #require(doubles.keyring.items.first?.attributes.user.map { DisplayText(untrusted: $0) })
        #expect(doubles.keyring.items.count == 1 && doubles.ui.notices.count == 1)
        #expect(
            doubles.errors.map(\.text.english)
                == ["\(kept) could not be removed for github.com: the keyring denied access"])
    }

    @Test("without a password, all that match go")
    func everything() throws {
        helper.brought("p1", host: "h.example", user: "user1")
        helper.brought("p2", host: "h.example", user: "user2")
        helper.brought("p3", host: "h.example", path: "a.git", user: "user1")
        helper.brought("p4", host: "h.example:8443")
        helper.brought("p5", host: "other.example")
        try erase(host: "h.example")
        #expect(passwords() == ["p4", "p5"])
    }

    @Test("with a user, only that user's")
    func user() throws {
        helper.brought("p1", host: "h.example", user: "user1")
        helper.brought("p2", host: "h.example", user: "user2")
        try erase("\nusername=user1", host: "h.example")
        #expect(passwords() == ["p2"])
    }

    @Test("with a path, only that path's: an item without one does not match")
    func path() throws {
        helper.brought("p1", host: "h.example", path: "a.git")
        helper.brought("p2", host: "h.example", path: "b.git")
        helper.brought("p3", host: "h.example")
        try erase("\npath=a.git", host: "h.example")
        #expect(passwords() == ["p2", "p3"])
    }

    @Test("with a password, only what has that password: a newer one stays")
    func password() throws {
        helper.brought("ghp_new")
        try erase("\nusername=octocat\npassword=ghp_old")
        #expect(passwords() == ["ghp_new"])
        try erase("\nusername=octocat\npassword=ghp_new")
        #expect(passwords().isEmpty)
    }

    @Test("nor does one go that was not the rejected one where there can be no lock")
    func passwordWithoutLock() throws {
        doubles.locks.fault = .impossible
        helper.brought("ghp_new")
        try erase("\nusername=octocat\npassword=ghp_old")
        #expect(passwords() == ["ghp_new"])
        try erase("\nusername=octocat\npassword=ghp_new")
        #expect(passwords().isEmpty)
    }

    @Test("a pair that is being renewed is looked at again afterwards: the new one stays")
    func renewedMeanwhile() throws {
        helper.stored(expiresIn: 3_600)
        doubles.locks.whenAcquired = { [doubles] in
            doubles.keyring.put(
                StoredCredential(
                    username: Array("octocat".utf8), password: Secret("ghu_new"),
                    oauthRefreshToken: Secret("ghr_new"), grant: .init(clientID: "Iv1.sibling")),
                for: "github.com")
        }
        try erase("\nusername=octocat\npassword=ghu_old")
        #expect(doubles.keyring.credential(of: "octocat")?.password.text == "ghu_new")
        #expect(doubles.keyring.calls.allSatisfy { $0 != .remove } && doubles.locks.held == 0)
    }

    @Test("without the lock of its renewal a pair stays, but the token that was refused is not handed out again")
    func noLock() throws {
        for fault in [LockError.timedOut, .impossible] {
            helper.stored(expiresIn: 3_600)
            doubles.locks.fault = fault
            try erase("\nusername=octocat\npassword=ghu_old")
            #expect(doubles.keyring.credential(of: "octocat")?.oauthRefreshToken?.text == "ghr_old")
            #expect(try helper.get().contains("ghu_old") == false)
        }
        #expect(doubles.errors.contains(.lockImpossible) && doubles.transport.requests.isEmpty)
        // And when there are locks again, it is renewed.
        doubles.locks.fault = nil
        doubles.transport.answer(GitHubAnswers.gitHubAppToken)
        #expect(try helper.get().contains("ghu_16C7"))
    }

    @Test("nor does a person's own log-out remove a pair that may be coming back", arguments: [LockError.impossible])
    func logOutWithoutLock(fault: LockError) throws {
        helper.stored(expiresIn: 3_600)
        doubles.requester = .person
        doubles.locks.fault = fault
        try erase()
        #expect(doubles.keyring.items.count == 1 && doubles.errors == [.lockImpossible])
        doubles.locks.fault = nil
        try erase()
        #expect(doubles.keyring.items.isEmpty && doubles.locks.held == 0)
    }

    @Test("every item with that password goes, not only the first")
    func everyHit() throws {
        helper.brought("same", host: "h.example", user: "a")
        helper.brought("other", host: "h.example", user: "b")
        helper.brought("same", host: "h.example", user: "c")
        try erase("\npassword=same", host: "h.example")
        #expect(passwords() == ["other"])
    }

    @Test(
        "a token for the whole host goes though git names the path that it was used for",
        arguments: ["GitHub.com", "github.com:443", "gist.github.com"])
    func wholeHost(host: String) throws {
        helper.brought("ghp_1")
        try erase("\npath=acme/widgets.git\nusername=octocat\npassword=ghp_1", host: host)
        #expect(passwords().isEmpty)
    }

    @Test("the same password for another path stays: it did not fail there")
    func otherPath() throws {
        helper.brought("p", host: "h.example", path: "a.git")
        helper.brought("p", host: "h.example", path: "b.git")
        try erase("\npath=a.git\nusername=octocat\npassword=p", host: "h.example")
        #expect(doubles.keyring.items.map(\.attributes.object) == [Array("b.git".utf8)])
    }

    @Test("typed by a person, without our mark, everything goes, the refresh token too")
    func byHand() throws {
        helper.stored(expiresIn: 3_600)
        doubles.requester = .person
        try erase()
        #expect(doubles.keyring.items.isEmpty)
        #expect(doubles.ui.notices == [.signedOut(host: "github.com", accounts: ["octocat"], of: .keyring)])
    }

    @Test("sent by git, it is silent, also where it finds nothing")
    func silent() throws {
        helper.brought("ghp_1")
        try erase()
        try erase()
        #expect(doubles.ui.notices.isEmpty && doubles.errors.isEmpty)
    }

    @Test("typed by a person, one that finds nothing says so; a rejected value that was never stored is no news")
    func nothingMatched() throws {
        helper.brought("ghp_1")
        doubles.requester = .person
        try erase("\nusername=hubot")
        try erase(host: "h.example")
        try erase("\nusername=octocat\npassword=ghp_other")
        #expect(
            doubles.ui.notices == [
                .nothingMatched(host: "github.com", account: .named("hubot")),
                .nothingMatched(host: "h.example", account: nil),
            ])
        #expect(doubles.keyring.items.count == 1 && doubles.errors.isEmpty)
    }

    @Test("nothing is revoked: no request is sent")
    func revokesNothing() throws {
        helper.stored(expiresIn: 3_600)
        doubles.requester = .person
        try erase()
        #expect(doubles.transport.requests.isEmpty)
    }

    @Test("a keyring in trouble is said", arguments: [KeyringError.denied, .dismissed, .unresponsive(seconds: 5)])
    func trouble(error: KeyringError) throws {
        helper.brought("ghp_1")
        doubles.keyring.fault = error
        try erase()
        #expect(doubles.errors == [.notErased(error)] && doubles.keyring.items.count == 1)
    }
}
