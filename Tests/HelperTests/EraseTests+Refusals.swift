import TestSupport
import Testing

/// Later uses of a token that the server has refused.
extension EraseTests {
    @Test(
        "does not return a refused token again if the keyring could not be changed, and reports no Ctrl-C",
        arguments: [true, false], [KeyringError.denied, .interrupted])
    func keyringUnwritable(isRefreshable: Bool, fault: KeyringError) throws {
        helper.stored(expiresIn: 3_600, refreshToken: isRefreshable ? "ghr_old" : nil)
        doubles.ui.canBeReached = false
        doubles.keyring.beforeCall = { [doubles] call in
            doubles.keyring.fault = [.save, .replace, .remove, .checkWritable].contains(call) ? fault : nil
        }
        try erase("\nusername=octocat\npassword=ghu_old\ncapability[]=state\nstate[]=\(helper.mark("ghu_old"))")
        #expect(doubles.errors == (fault == .interrupted ? [] : [.notErased(fault)]))
        #expect(try !get().contains("ghu_old") && requests.isEmpty)
    }

    @Test("remembers no password by its digest, because it could be guessed from that")
    func plainStore() throws {
        helper.brought("letmein", host: "h.example")
        doubles.keyring.beforeCall = { [doubles] call in doubles.keyring.fault = call == .remove ? .denied : nil }
        try erase("\nusername=octocat\npassword=letmein", host: "h.example")
        #expect(doubles.errors == [.notErased(.denied)] && doubles.refusedTokens.remembered.isEmpty)
    }

    private func refuse(_ token: String) throws {
        try erase("\nusername=octocat\npassword=\(token)\ncapability[]=state\nstate[]=\(helper.mark(token))")
    }

    @Test("removes a refresh token whose new token is refused within a minute, and not later", arguments: [0, 59, 60])
    func refusedTwice(seconds: Int64) throws {
        helper.stored(expiresIn: 3_600)
        doubles.ui.canBeReached = false
        try refuse("ghu_old")
        respond(GitHubAnswers.gitHubAppToken)
        #expect(try get().contains("ghu_16C7"))
        doubles.clock.advance(milliseconds: seconds * 1_000)
        try refuse(try #require(password()))
        guard seconds < 60 else { return #expect(credential()?.oauthRefreshToken != nil) }
        #expect(doubles.keyring.items.isEmpty)
        #expect(try get().isEmpty && requests.count == 1)
    }

    @Test("does not renew a second time if the second refusal could only be remembered")
    func refusedTwiceUnwritable() throws {
        helper.stored(expiresIn: 3_600)
        doubles.ui.canBeReached = false
        try refuse("ghu_old")
        respond(GitHubAnswers.gitHubAppToken)
        _ = try get()
        doubles.keyring.beforeCall = { [doubles] call in doubles.keyring.fault = call == .remove ? .denied : nil }
        try refuse(try #require(password()))
        #expect(doubles.errors == [.notErased(.denied)] && doubles.keyring.items.count == 1)
        for _ in 1...3 { #expect(try get().isEmpty) }
        #expect(requests.count == 1)
    }

    @Test("counts one refusal once, even if the keyring could not be changed the first time")
    func toldTwice() throws {
        helper.stored(expiresIn: 3_600)
        doubles.keyring.beforeCall = { [doubles] call in doubles.keyring.fault = call == .save ? .denied : nil }
        try refuse("ghu_old")
        #expect(doubles.errors == [.notErased(.denied)])
        doubles.keyring.beforeCall = { [doubles] _ in doubles.keyring.fault = nil }
        try refuse("ghu_old")
        let left = credential()
        #expect(left?.password.isEmpty == true && left?.oauthRefreshToken?.text == "ghr_old")
    }

    @Test("ignores a late store of the refused token after the refresh")
    func lateStore() throws {
        helper.stored(expiresIn: 3_600)
        try erase("\nusername=octocat\npassword=ghu_old\nstate[]=\(helper.mark("ghu_old"))")
        respond(GitHubAnswers.gitHubAppToken)
        let renewed = try get()
        try helper.run(.store, "protocol=https\nhost=github.com\nusername=octocat\npassword=ghu_old")
        #expect(try get() == renewed)
    }

    @Test("does not return the refused token again, however the refresh ends")
    func notAgain() throws {
        helper.stored(expiresIn: 3_600)
        try erase("\nusername=octocat\npassword=ghu_old\nstate[]=\(helper.mark("ghu_old"))")
        doubles.transport.fail(.unreachable)
        #expect(try get() == "quit=1\n")
        respond(GitHubAnswers.badRefreshToken)
        doubles.ui.canBeReached = false
        #expect(try get().isEmpty)
    }

    @Test("reports a rejected token once, with its account and what the next command does")
    func rejected() throws {
        helper.stored(expiresIn: 3_600)
        try refuse("ghu_old")
        #expect(notices == [.rejected(host: "github.com", account: "octocat", .refreshes)])
        helper.brought("ghp_1", user: "hubot")
        try erase("\nusername=hubot\npassword=ghp_1")
        #expect(notices.last == .rejected(host: "github.com", account: "hubot", .signsIn))
        helper.brought("letmein", host: "h.example")
        try erase("\nusername=octocat\npassword=letmein", host: "h.example")
        #expect(notices.last == .rejected(host: "h.example", account: "octocat", .asks))
        // A token that was never stored is not ours.
        try erase("\nusername=octocat\npassword=typed", host: "h.example")
        #expect(notices.count == 3)
    }

    @Test("starts no second sign-in in a command whose new token is rejected")
    func justIssued() throws {
        helper.approve()
        let token = try #require(try get().split(separator: "\n").first { $0.hasPrefix("password=") }?.dropFirst(9))
        try erase("\nusername=octocat\npassword=\(token)")
        #expect(notices.last == .rejected(host: "github.com", account: "octocat", .endsAsking))
        #expect(doubles.keyring.items.isEmpty && doubles.locks.held == 0)
        // Applies to requests for any account and for this one. The notes are about one command (SignInNotesTests).
        #expect(doubles.signInNotes.refusals == 2)
        // A sign-in from an hour ago no longer counts.
        helper.stored(expiresIn: 3_600, refreshToken: nil, lifetime: 7_200)
        try erase("\nusername=octocat\npassword=ghu_old")
        #expect(notices.last == .rejected(host: "github.com", account: "octocat", .signsIn))
    }
}
