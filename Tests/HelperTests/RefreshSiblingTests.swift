import TestSupport
import Testing

@Suite("get: another process that refreshes the same account")
struct RefreshSiblingTests: HelperSuite {
    let helper = HelperFixture()

    /// Returns a closure that saves as another process: a pair, or a token without a refresh token.
    private func sibling(refreshToken: String? = "ghr_sibling") -> () -> Void {
        { helper.stored(expiresIn: 28_800, refreshToken: refreshToken, password: "ghu_sibling") }
    }

    @Test("uses the pair of a process without our lock after a refusal, and removes nothing")
    func refused() throws {
        helper.stored(expiresIn: -10)
        respond(GitHubAnswers.badRefreshToken)
        doubles.keyring.beforeCall = { call in if call == .items, !requests.isEmpty { sibling()() } }
        #expect(try get().contains("ghu_sibling"))
        #expect(credential()?.oauthRefreshToken?.text == "ghr_sibling")
        #expect(doubles.keyring.calls.allSatisfy { $0 != .save && $0 != .remove })
    }

    @Test(
        "uses the pair that another process saved while this one waited for the lock, without a request, if it is valid",
        arguments: [200, 28_800] as [Int64])
    func waited(seconds: Int64) throws {
        helper.stored(expiresIn: -10)
        doubles.locks.turnsUntilFree = 3
        doubles.locks.whenAcquired = { helper.stored(expiresIn: seconds, password: "ghu_sibling") }
        #expect(try get().contains("ghu_sibling") && requests.isEmpty && doubles.ui.waits == [0, 0, 0])
    }

    @Test("uses and keeps the pair that a process without our lock saved meanwhile", arguments: [0, 1])
    func savedBesides(exchanges: Int) throws {
        helper.stored(expiresIn: -10)
        respond(GitHubAnswers.badRefreshToken)
        doubles.keyring.beforeCall = { call in if call == .replace, requests.count == exchanges { sibling()() } }
        #expect(try get().contains("ghu_sibling"))
        #expect(credential()?.oauthRefreshToken?.text == "ghr_sibling")
        #expect(requests.count == exchanges && prompts.isEmpty)
    }

    @Test("reports an expired token that a process without our lock saved, without a request")
    func savedDead() throws {
        helper.stored(expiresIn: -10)
        doubles.keyring.beforeCall = { call in
            if call == .replace { helper.stored(expiresIn: -5, refreshToken: "ghr_2", password: "ghu_2") }
        }
        #expect(try get() == "quit=1\n")
        #expect(doubles.errors == [.otherNotFinished(host: "github.com")] && requests.isEmpty && prompts.isEmpty)
    }

    @Test(
        "stores no item again that was removed meanwhile, and ignores a password that a repository stored after that",
        arguments: [nil, "planted"])
    func loggedOut(planted: String?) throws {
        helper.stored(expiresIn: -10)
        doubles.locks.whenAcquired = { [keyring = doubles.keyring] in
            for item in keyring.items {
                try? keyring.remove(item)
                if let planted { keyring.put(Secret(planted), under: item.attributes) }
            }
        }
        doubles.ui.canBeReached = false
        #expect(try get().isEmpty && requests.isEmpty && doubles.keyring.onlyText == planted)
    }

    @Test("uses what another process saved before the lock timed out, or a token that cannot be renewed")
    func renewedInTime() throws {
        doubles.locks.fault = .timedOut
        helper.stored(expiresIn: -10)
        doubles.locks.whenAcquired = { helper.stored(expiresIn: 3_600, password: "ghu_theirs") }
        #expect(try get().contains("ghu_theirs") && requests.isEmpty && doubles.errors.isEmpty)
        doubles.locks.fault = nil
        helper.stored(expiresIn: -10)
        doubles.locks.whenAcquired = sibling(refreshToken: nil)
        doubles.ui.canBeReached = false
        #expect(try get().contains("ghu_sibling") && doubles.errors.isEmpty)
    }

    @Test("tells git to stop without an error if git ends while it waits")
    func abandoned() throws {
        helper.stored(expiresIn: -10)
        doubles.locks.turnsUntilFree = 3
        doubles.ui.endOfWait = (2, .abandoned)
        #expect(try get() == "quit=1\n" && doubles.errors.isEmpty && requests.isEmpty)
    }

    @Test(
        "renews nothing without the lock, returns a valid token, and reports an expired one",
        arguments: [(.impossible, .lockImpossible), (.timedOut, .otherNotFinished(host: "github.com"))]
            as [(LockError, UserFacingError)])
    func noLock(fault: LockError, error: UserFacingError) throws {
        doubles.locks.fault = fault
        helper.stored(expiresIn: 100)
        #expect(try get().contains("ghu_old"))
        helper.stored(expiresIn: -10)
        let before = doubles.keyring.onlyText
        #expect(try get() == "quit=1\n" && doubles.errors == [error])
        #expect(requests.isEmpty && doubles.keyring.onlyText == before)
    }

    @Test("uses one lock for each account, whose name does not reveal the account")
    func lockNames() throws {
        for user in ["octocat", "monalisa"] {
            helper.stored(expiresIn: -10, user: user)
            respond(GitHubAnswers.gitHubAppToken)
            _ = try get(as: user)
        }
        #expect(Set(doubles.locks.wanted).count == 2)
        #expect(doubles.locks.wanted.allSatisfy { !$0.contains("octocat") && !$0.contains("github") })
        #expect(doubles.locks.held == 0)
    }
}
