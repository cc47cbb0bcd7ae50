import CredentialCore
import Helper
import Messages
import Providers
import TestSupport
import Testing

/// What becomes of a token that the server has refused.
extension EraseTests {
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

    @Test("a token that is rejected right after its sign-in ends the asking of that command: no second sign-in")
    func justIssued() throws {
        doubles.transport.answer(GitHubAnswers.device)
        doubles.transport.answer(GitHubAnswers.oauthAppToken)
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
}
