import CredentialCore
import Helper
import Messages
import Providers
import TestSupport
import Testing

@Suite("erase")
struct EraseTests {
    private let helper = HelperFixture()
    private var doubles: Doubles { helper.doubles }

    private func erase(_ more: String = "", host: String = "github.com") throws {
        #expect(try helper.run(.erase, "protocol=https\nhost=\(host)" + more).isEmpty)
    }

    private func passwords() -> Set<String> { Set(doubles.keyring.items.compactMap { $0.secret?.text }) }

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
        doubles.locks.fault = fault
        try erase()
        #expect(doubles.keyring.items.count == 1 && doubles.errors == [.lockImpossible])
        doubles.locks.fault = nil
        try erase()
        #expect(doubles.keyring.items.isEmpty && doubles.locks.held == 0)
    }

    @Test("a refused token is not handed out again though the keyring could not be told", arguments: [true, false])
    func keyringUnwritable(isRefreshable: Bool) throws {
        helper.stored(expiresIn: 3_600, refreshToken: isRefreshable ? "ghr_old" : nil)
        doubles.ui.canBeReached = false
        doubles.keyring.beforeCall = { [doubles] call in
            doubles.keyring.fault = [.save, .replace, .remove, .checkWritable].contains(call) ? .denied : nil
        }
        try erase("\nusername=octocat\npassword=ghu_old\ncapability[]=state\nstate[]=\(helper.mark("ghu_old"))")
        #expect(doubles.errors == [.notErased(.denied)])
        #expect(try !helper.get().contains("ghu_old"))
        #expect(doubles.transport.requests.isEmpty)
    }

    @Test("what is remembered is a token's digest alone: a password that somebody thought up could be guessed from it")
    func plainStore() throws {
        helper.brought("letmein", host: "h.example")
        doubles.keyring.beforeCall = { [doubles] call in doubles.keyring.fault = call == .remove ? .denied : nil }
        try erase("\nusername=octocat\npassword=letmein", host: "h.example")
        #expect(doubles.errors == [.notErased(.denied)] && doubles.refusedTokens.remembered.isEmpty)
    }

    private func refuse(_ token: String) throws {
        try erase("\nusername=octocat\npassword=\(token)\ncapability[]=state\nstate[]=\(helper.mark(token))")
    }

    @Test("refusals end: a token that came of a renewal after one takes its refresh token with it", arguments: [0, 59])
    func refusedTwice(seconds: Int64) throws {
        helper.stored(expiresIn: 3_600)
        doubles.ui.canBeReached = false
        try refuse("ghu_old")
        doubles.transport.answer(GitHubAnswers.gitHubAppToken)
        let second = try helper.get()
        #expect(second.contains("ghu_16C7"))
        doubles.clock.advance(milliseconds: seconds * 1_000)
        let token = try #require(doubles.keyring.credential(of: "octocat")?.password.text)
        try refuse(token)
        #expect(doubles.keyring.items.isEmpty)
        #expect(try helper.get().isEmpty && doubles.transport.requests.count == 1)
    }

    @Test("nor is it renewed again where the second refusal could only be remembered")
    func refusedTwiceUnwritable() throws {
        helper.stored(expiresIn: 3_600)
        doubles.ui.canBeReached = false
        try refuse("ghu_old")
        doubles.transport.answer(GitHubAnswers.gitHubAppToken)
        _ = try helper.get()
        doubles.keyring.beforeCall = { [doubles] call in doubles.keyring.fault = call == .remove ? .denied : nil }
        try refuse(try #require(doubles.keyring.credential(of: "octocat")?.password.text))
        #expect(doubles.errors == [.notErased(.denied)] && doubles.keyring.items.count == 1)
        for _ in 1...3 { #expect(try helper.get().isEmpty) }
        #expect(doubles.transport.requests.count == 1)
    }

    @Test("the same refusal told twice is one, although the keyring could not be told the first time")
    func toldTwice() throws {
        helper.stored(expiresIn: 3_600)
        doubles.keyring.beforeCall = { [doubles] call in doubles.keyring.fault = call == .save ? .denied : nil }
        try refuse("ghu_old")
        #expect(doubles.errors == [.notErased(.denied)])
        doubles.keyring.beforeCall = { [doubles] _ in doubles.keyring.fault = nil }
        try refuse("ghu_old")
        let left = doubles.keyring.credential(of: "octocat")
        #expect(left?.password.isEmpty == true && left?.oauthRefreshToken?.text == "ghr_old")
    }

    @Test("a refusal that comes later is the first again")
    func refusedLater() throws {
        helper.stored(expiresIn: 3_600)
        try refuse("ghu_old")
        doubles.transport.answer(GitHubAnswers.gitHubAppToken)
        _ = try helper.get()
        doubles.clock.advance(milliseconds: 60_000)
        try refuse(try #require(doubles.keyring.credential(of: "octocat")?.password.text))
        #expect(doubles.keyring.credential(of: "octocat")?.oauthRefreshToken != nil)
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

    @Test("a refused token of ours goes, its refresh token stays, and the next get refreshes")
    func ourMark() throws {
        helper.stored(expiresIn: 3_600)
        try erase("\nusername=octocat\npassword=ghu_old\ncapability[]=state\nstate[]=\(helper.mark("ghu_old"))")
        let credential = try #require(doubles.keyring.credential(of: "octocat"))
        #expect(credential.password.isEmpty && credential.oauthRefreshToken?.text == "ghr_old")
        #expect(!credential.isAlive(at: RecordingClock.start))
        doubles.transport.answer(GitHubAnswers.gitHubAppToken)
        #expect(try helper.get().contains("ghu_16C7"))
    }

    @Test("nor does it come back by a late store, once the refresh has brought another")
    func lateStore() throws {
        helper.stored(expiresIn: 3_600)
        try erase("\nusername=octocat\npassword=ghu_old\nstate[]=\(helper.mark("ghu_old"))")
        doubles.transport.answer(GitHubAnswers.gitHubAppToken)
        let renewed = try helper.get()
        try helper.run(.store, "protocol=https\nhost=github.com\nusername=octocat\npassword=ghu_old")
        #expect(try helper.get() == renewed)
    }

    @Test("the refused token is not handed out again, whatever becomes of the refresh")
    func notAgain() throws {
        helper.stored(expiresIn: 3_600)
        try erase("\nusername=octocat\npassword=ghu_old\nstate[]=\(helper.mark("ghu_old"))")
        doubles.transport.fail(.unreachable)
        #expect(try helper.get() == "quit=1\n")
        doubles.transport.answer(GitHubAnswers.badRefreshToken)
        doubles.ui.canBeReached = false
        #expect(try helper.get().isEmpty)
    }

    @Test("typed by a person, without our mark, everything goes, the refresh token too")
    func byHand() throws {
        helper.stored(expiresIn: 3_600)
        doubles.isPersonsOwnCommand = true
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

    @Test("a rejected token is told once: which account, and what the next command does")
    func rejected() throws {
        helper.stored(expiresIn: 3_600)
        try refuse("ghu_old")
        #expect(doubles.ui.notices == [.rejected(host: "github.com", account: "octocat", .refreshes)])
        helper.brought("ghp_1", user: "hubot")
        try erase("\nusername=hubot\npassword=ghp_1")
        #expect(doubles.ui.notices.last == .rejected(host: "github.com", account: "hubot", .signsIn))
        helper.brought("letmein", host: "h.example")
        try erase("\nusername=octocat\npassword=letmein", host: "h.example")
        #expect(doubles.ui.notices.last == .rejected(host: "h.example", account: "octocat", .asks))
        // What was never stored is not ours.
        try erase("\nusername=octocat\npassword=typed", host: "h.example")
        #expect(doubles.ui.notices.count == 3)
    }

    @Test(
        "a token that is rejected right after its sign-in ends the asking of that command: no second sign-in",
        arguments: [false, true])
    func justIssued(hasRefreshToken: Bool) throws {
        doubles.transport.answer(GitHubAnswers.device)
        doubles.transport.answer(hasRefreshToken ? GitHubAnswers.gitHubAppToken : GitHubAnswers.oauthAppToken)
        doubles.transport.answer(GitHubAnswers.user("octocat"))
        let token = try #require(
            try helper.get().split(separator: "\n").first { $0.hasPrefix("password=") }?.dropFirst(9))
        try erase("\nusername=octocat\npassword=\(token)")
        #expect(doubles.ui.notices.last == .rejected(host: "github.com", account: "octocat", .endsAsking))
        #expect(doubles.keyring.items.isEmpty && doubles.locks.held == 0)
        // For whoever asks for any account, and for this one; the notes are about one command (SignInNotesTests).
        #expect(doubles.signInNotes.refusals == 2)
        // One of an hour ago is another matter.
        helper.stored(expiresIn: nil, refreshToken: nil)
        try erase("\nusername=octocat\npassword=ghu_old")
        #expect(doubles.ui.notices.last == .rejected(host: "github.com", account: "octocat", .signsIn))
    }

    @Test("typed by a person, one that finds nothing says so; a rejected value that was never stored is no news")
    func nothingMatched() throws {
        helper.brought("ghp_1")
        doubles.isPersonsOwnCommand = true
        try erase("\nusername=hubot")
        try erase(host: "h.example")
        try erase("\nusername=octocat\npassword=ghp_other")
        #expect(
            doubles.ui.notices == [
                .nothingMatched(host: "github.com", account: "hubot"), .nothingMatched(host: "h.example", account: nil),
            ])
        #expect(doubles.keyring.items.count == 1 && doubles.errors.isEmpty)
    }

    @Test("nothing is revoked: no request is sent")
    func revokesNothing() throws {
        helper.stored(expiresIn: 3_600)
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
