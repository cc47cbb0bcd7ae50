import TestSupport
import Testing

@Suite("get: another process that refreshes the same account")
struct RefreshSiblingTests {
    private let helper = HelperFixture()
    private var doubles: Doubles { helper.doubles }

    /// Returns a closure that saves as another process: a pair, or a token without a refresh token.
    private func sibling(refreshToken: String?) -> () -> Void {
        {
            doubles.keyring.put(
                StoredCredential(
                    username: Array("octocat".utf8), password: Secret("ghu_sibling"),
                    passwordExpiryUTC: RecordingClock.start + 28_800,
                    oauthRefreshToken: refreshToken.map { Secret($0) }, grant: .init(clientID: "Iv1.sibling")),
                for: "github.com")
        }
    }

    @Test("uses the pair that another process saved while this one waited for the lock, without a request")
    func waited() throws {
        helper.stored(expiresIn: -10)
        doubles.locks.turnsUntilFree = 3
        doubles.locks.whenAcquired = sibling(refreshToken: "ghr_sibling")
        #expect(try helper.get().contains("ghu_sibling"))
        #expect(doubles.transport.requests.isEmpty)
        #expect(doubles.ui.waits == [0, 0, 0])
    }

    @Test("uses another process's token that cannot be renewed if no sign-in is possible")
    func waitedForPlainToken() throws {
        helper.stored(expiresIn: -10)
        doubles.locks.whenAcquired = sibling(refreshToken: nil)
        doubles.ui.canBeReached = false
        #expect(try helper.get().contains("ghu_sibling"))
        #expect(doubles.errors.isEmpty)
    }

    @Test("uses the pair of a process without our lock after a refusal, and removes nothing")
    func refused() throws {
        helper.stored(expiresIn: -10)
        doubles.transport.answer(GitHubAnswers.badRefreshToken)
        doubles.keyring.beforeCall = { [doubles] call in
            if call == .items, !doubles.transport.requests.isEmpty { sibling(refreshToken: "ghr_sibling")() }
        }
        #expect(try helper.get().contains("ghu_sibling"))
        #expect(doubles.keyring.credential(of: "octocat")?.oauthRefreshToken?.text == "ghr_sibling")
        #expect(doubles.keyring.calls.allSatisfy { $0 != .save && $0 != .remove })
    }

    @Test("uses the saved token of another process as long as it is valid", arguments: [200, 28_800] as [Int64])
    func waitedForShortLife(seconds: Int64) throws {
        helper.stored(expiresIn: -10)
        doubles.locks.whenAcquired = { helper.stored(expiresIn: seconds, password: "ghu_sibling") }
        #expect(try helper.get().contains("ghu_sibling"))
        #expect(doubles.transport.requests.isEmpty)
    }

    @Test("uses and keeps the pair that a process without our lock saved meanwhile", arguments: [0, 1])
    func savedBesides(exchanges: Int) throws {
        helper.stored(expiresIn: -10)
        doubles.transport.answer(GitHubAnswers.badRefreshToken)
        doubles.keyring.beforeCall = { [doubles] call in
            if call == .replace, doubles.transport.requests.count == exchanges {
                sibling(refreshToken: "ghr_sibling")()
            }
        }
        #expect(try helper.get().contains("ghu_sibling"))
        #expect(doubles.keyring.credential(of: "octocat")?.oauthRefreshToken?.text == "ghr_sibling")
        #expect(doubles.transport.requests.count == exchanges && doubles.ui.prompts.isEmpty)
    }

    @Test("reports an expired token that a process without our lock saved, without a request")
    func savedDead() throws {
        helper.stored(expiresIn: -10)
        doubles.keyring.beforeCall = { call in
            if call == .replace { helper.stored(expiresIn: -5, refreshToken: "ghr_2", password: "ghu_2") }
        }
        #expect(try helper.get() == "quit=1\n")
        #expect(doubles.errors == [.otherNotFinished(host: "github.com")])
        #expect(doubles.transport.requests.isEmpty && doubles.ui.prompts.isEmpty)
    }

    @Test("does not store an item again that was removed meanwhile")
    func loggedOut() throws {
        helper.stored(expiresIn: -10)
        doubles.locks.whenAcquired = { [keyring = doubles.keyring] in
            for item in keyring.items { try? keyring.remove(item) }
        }
        doubles.ui.canBeReached = false
        #expect(try helper.get().isEmpty)
        #expect(doubles.keyring.items.isEmpty && doubles.transport.requests.isEmpty)
    }

    @Test("ignores a password that a repository stored after the sign-out")
    func plantedAfterLogout() throws {
        helper.stored(expiresIn: -10)
        doubles.locks.whenAcquired = { [keyring = doubles.keyring] in
            for item in keyring.items { keyring.put(Secret("planted"), under: item.attributes) }
        }
        doubles.ui.canBeReached = false
        #expect(try helper.get().isEmpty)
        #expect(doubles.keyring.onlyText == "planted" && doubles.transport.requests.isEmpty)
    }

    @Test("returns a token that is still valid after a timed-out lock, or reports the reason")
    func timedOut() throws {
        doubles.locks.fault = .timedOut
        helper.stored(expiresIn: 100)
        #expect(try helper.get().contains("ghu_old"))
        helper.stored(expiresIn: -10)
        #expect(try helper.get() == "quit=1\n")
        #expect(doubles.errors == [.otherNotFinished(host: "github.com")])
        #expect(doubles.transport.requests.isEmpty)
    }

    @Test("returns the token that another process renewed before the lock timed out")
    func renewedInTime() throws {
        doubles.locks.fault = .timedOut
        helper.stored(expiresIn: -10)
        doubles.locks.whenAcquired = { helper.stored(expiresIn: 3_600, password: "ghu_theirs") }
        #expect(try helper.get().contains("ghu_theirs"))
        #expect(doubles.transport.requests.isEmpty && doubles.errors.isEmpty)
    }

    @Test("tells git to stop without an error if git ends while it waits")
    func abandoned() throws {
        helper.stored(expiresIn: -10)
        doubles.locks.turnsUntilFree = 3
        doubles.ui.endOfWait = (2, .abandoned)
        #expect(try helper.get() == "quit=1\n")
        #expect(doubles.errors.isEmpty && doubles.transport.requests.isEmpty)
    }

    @Test("renews nothing without a place for locks, returns a valid token, and reports an expired one")
    func noLocks() throws {
        doubles.locks.fault = .impossible
        helper.stored(expiresIn: 100)
        #expect(try helper.get().contains("ghu_old"))
        helper.stored(expiresIn: -10)
        let before = doubles.keyring.onlyText
        #expect(try helper.get() == "quit=1\n")
        #expect(doubles.errors == [.lockImpossible])
        #expect(doubles.transport.requests.isEmpty && doubles.keyring.onlyText == before)
    }

    @Test("uses one lock for each account, whose name does not reveal the account")
    func lockNames() throws {
        for user in ["octocat", "monalisa"] {
            helper.stored(expiresIn: -10, user: user)
            doubles.transport.answer(GitHubAnswers.gitHubAppToken)
            _ = try helper.get(as: user)
        }
        #expect(Set(doubles.locks.wanted).count == 2)
        #expect(doubles.locks.wanted.allSatisfy { !$0.contains("octocat") && !$0.contains("github") })
        #expect(doubles.locks.held == 0)
    }
}
