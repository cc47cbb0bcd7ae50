import TestSupport
import Testing

@Suite("erase")
struct EraseTests: HelperSuite {
    let helper = HelperFixture()

    func erase(_ more: String = "", host: String = "github.com") throws {
        #expect(try helper.run(.erase, "protocol=https\nhost=\(host)" + more).isEmpty)
    }

    private func passwords() -> Set<String> { Set(doubles.keyring.items.compactMap { $0.secret?.text }) }

    @Test("reports what was removed and what was not, if only one removal succeeds")
    func halfDone() throws {
        for user in ["octocat", "hubot"] { helper.stored(expiresIn: nil, user: user) }
        doubles.requester = .person
        doubles.keyring.beforeCall = { [doubles] call in
            doubles.keyring.fault = call == .remove && doubles.keyring.calls.contains(.remove) ? .denied : nil
        }
        try helper.run(.erase)
        #expect(users().count == 1 && notices.count == 1)
        #expect(sentences == ["\(users().joined()) could not be removed for github.com: the keyring denied access"])
    }

    @Test("removes all matching items if the request has no password, and otherwise every item with that password")
    func everything() throws {
        helper.brought("p1", host: "h.example", user: "user1")
        helper.brought("p2", host: "h.example", user: "user2")
        helper.brought("p3", host: "h.example", path: "a.git", user: "user1")
        helper.brought("p4", host: "h.example:8443")
        helper.brought("p5", host: "other.example")
        try erase(host: "h.example")
        #expect(passwords() == ["p4", "p5"])
        helper.brought("same", host: "h.example", user: "a")
        helper.brought("other", host: "h.example", user: "b")
        helper.brought("same", host: "h.example", user: "c")
        try erase("\npassword=same", host: "h.example")
        #expect(passwords() == ["other", "p4", "p5"])
    }

    @Test(
        "removes only items with the named password, even without a place for locks",
        arguments: [nil, .impossible] as [LockError?])
    func namedPassword(fault: LockError?) throws {
        doubles.locks.fault = fault
        helper.brought("ghp_new")
        try erase("\nusername=octocat\npassword=ghp_old")
        #expect(passwords() == ["ghp_new"])
        try erase("\nusername=octocat\npassword=ghp_new")
        #expect(passwords().isEmpty)
    }

    @Test("reads a pair again after a renewal under way, and keeps the new one")
    func renewedMeanwhile() throws {
        helper.stored(expiresIn: 3_600)
        doubles.locks.whenAcquired = { helper.stored(expiresIn: nil, refreshToken: "ghr_new", password: "ghu_new") }
        try erase("\nusername=octocat\npassword=ghu_old")
        #expect(password() == "ghu_new")
        #expect(doubles.keyring.calls.allSatisfy { $0 != .remove } && doubles.locks.held == 0)
    }

    @Test("keeps a pair whose renewal lock is not to be had, and does not return the refused token again")
    func noLock() throws {
        for fault in [LockError.timedOut, .impossible] {
            helper.stored(expiresIn: 3_600)
            doubles.locks.fault = fault
            try erase("\nusername=octocat\npassword=ghu_old")
            #expect(credential()?.oauthRefreshToken?.text == "ghr_old")
            #expect(try get().contains("ghu_old") == false)
        }
        #expect(doubles.errors.contains(.lockImpossible) && requests.isEmpty)
        // Once locks work again, the pair is renewed, once.
        doubles.locks.fault = nil
        respond(GitHubAnswers.gitHubAppToken)
        #expect(try get().contains("ghu_16C7"))
        try erase("\nusername=octocat\npassword=\(password() ?? "")")
        #expect(doubles.keyring.items.isEmpty)
    }

    @Test("removes a pair that a person typed the command for, even without our mark, but not without its lock")
    func byHand() throws {
        helper.stored(expiresIn: 3_600)
        doubles.requester = .person
        doubles.locks.fault = .impossible
        try erase()
        #expect(doubles.keyring.items.count == 1 && doubles.errors == [.lockImpossible])
        doubles.locks.fault = nil
        try erase()
        #expect(doubles.keyring.items.isEmpty && doubles.locks.held == 0 && requests.isEmpty)
        #expect(notices.last == .signedOut(host: "github.com", accounts: ["octocat"], of: .keyring))
    }

    @Test(
        "removes a token for the whole host, even if git names the path that it was used for",
        arguments: ["GitHub.com", "github.com:443", "gist.github.com"])
    func wholeHost(host: String) throws {
        helper.brought("ghp_1")
        try erase("\npath=acme/widgets.git\nusername=octocat\npassword=ghp_1", host: host)
        #expect(passwords().isEmpty)
    }

    @Test("keeps the same password for another path, where it was not rejected")
    func otherPath() throws {
        helper.brought("p", host: "h.example", path: "a.git")
        helper.brought("p", host: "h.example", path: "b.git")
        try erase("\npath=a.git\nusername=octocat\npassword=p", host: "h.example")
        #expect(doubles.keyring.items.map(\.attributes.object) == [Array("b.git".utf8)])
        helper.brought("whole", host: "h.example")
        try erase("\npath=b.git", host: "h.example")
        #expect(passwords() == ["whole"])
    }

    @Test("reports to a person, and not to git, that nothing was found, but not for a value that was never stored")
    func nothingMatched() throws {
        helper.brought("ghp_1")
        for _ in 1...2 { try erase() }
        #expect(notices.isEmpty && doubles.errors.isEmpty)
        helper.brought("ghp_1")
        doubles.requester = .person
        try erase("\nusername=hubot")
        try erase(host: "h.example")
        try erase("\nusername=octocat\npassword=ghp_other")
        let ofHubot = Notice.nothingMatched(host: "github.com", account: .named("hubot"))
        #expect(notices == [ofHubot, .nothingMatched(host: "h.example", account: nil)])
        #expect(doubles.keyring.items.count == 1 && doubles.errors.isEmpty)
    }

    @Test("reports a keyring error", arguments: [KeyringError.denied, .dismissed, .unresponsive(seconds: 5)])
    func trouble(error: KeyringError) throws {
        helper.brought("ghp_1")
        doubles.keyring.fault = error
        try erase()
        #expect(doubles.errors == [.notErased(error)] && doubles.keyring.items.count == 1)
    }

    private func rejected(_ requester: Requester, password: String? = nil) throws {
        doubles.requester = requester
        try erase(password.map { "\nusername=octocat\npassword=\($0)" } ?? "")
    }

    @Test("removes only credentials that are not ours if a program or git itself rejects a host, and prints a line")
    func hostByProgram() throws {
        helper.stored(expiresIn: 3_600)
        helper.stored(expiresIn: nil, refreshToken: nil, user: "hubot")
        helper.stored(expiresIn: -1, user: "renewable")
        helper.stored(expiresIn: -1, refreshToken: nil, user: "dead")
        helper.brought("ghp_1", user: "typed")
        try rejected(.program)
        #expect(Set(users()) == ["octocat", "hubot", "renewable"])
        let kept = notices.map { if case .signInStays("github.com", let accounts) = $0 { accounts.count } else { 0 } }
        #expect(kept == [3] && requests.isEmpty)
        try rejected(.git)
        #expect(password() == "ghu_old")
    }

    @Test("removes a token without our mark that git or Git LFS rejects, and keeps its refresh token")
    func withoutMark() throws {
        helper.stored(expiresIn: 3_600)
        try rejected(.git, password: "ghu_old")
        let credential = try #require(self.credential())
        #expect(credential.password.isEmpty && credential.oauthRefreshToken?.text == "ghr_old")
        #expect(notices == [.rejected(host: "github.com", account: "octocat", .refreshes)])
        respond(GitHubAnswers.gitHubAppToken)
        #expect(try get().contains("ghu_16C7"))
        try rejected(.git, password: password())
        #expect(doubles.keyring.items.isEmpty)
    }

    @Test(
        "keeps a token that a program rejects if the host accepts it, or else only its refresh token",
        arguments: ["ghr_old", nil], [true, false])
    func askedAbout(refreshToken: String?, isAccepted: Bool) throws {
        helper.stored(expiresIn: refreshToken == nil ? nil : 3_600, refreshToken: refreshToken)
        respond(isAccepted ? GitHubAnswers.user("octocat") : .json("{}", status: 401))
        try rejected(.program, password: "ghu_old")
        #expect(credential()?.oauthRefreshToken?.text == refreshToken)
        guard isAccepted else { return #expect(credential()?.password.isEmpty ?? true) }
        #expect(credential()?.password.text == "ghu_old")
        #expect(notices == [.signInStays(host: "github.com", accounts: ["octocat"])])
    }

    @Test("refreshes a rejected token once if the host cannot be asked, and keeps one without a refresh token")
    func unknown() throws {
        helper.stored(expiresIn: 3_600)
        doubles.transport.fail(.unreachable)
        try rejected(.program, password: "ghu_old")
        #expect(credential()?.password.isEmpty == true)
        respond(GitHubAnswers.gitHubAppToken)
        _ = try get()
        let second = try #require(password())
        doubles.transport.fail(.unreachable)
        try rejected(.program, password: second)
        #expect(password() == second)
        helper.stored(expiresIn: nil, refreshToken: nil)
        doubles.transport.fail(.unreachable)
        try rejected(.program, password: "ghu_old")
        #expect(password() == "ghu_old")
    }
}
