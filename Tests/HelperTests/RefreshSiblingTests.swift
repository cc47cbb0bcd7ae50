import CredentialCore
import Helper
import Messages
import TestSupport
import Testing

@Suite("get: another process refreshes the same account")
struct RefreshSiblingTests {
    private let helper = HelperFixture()
    private var doubles: Doubles { helper.doubles }

    /// What a sibling saves: a pair, or a token that cannot be renewed.
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

    @Test("who had to wait for the lock uses the winner's pair, and sends nothing")
    func waited() throws {
        helper.stored(expiresIn: -10)
        doubles.locks.turnsUntilFree = 3
        doubles.locks.whenAcquired = sibling(refreshToken: "ghr_sibling")
        #expect(try helper.get().contains("ghu_sibling"))
        #expect(doubles.transport.requests.isEmpty)
        #expect(doubles.ui.waits == [0, 0, 0])
    }

    @Test("the winner's token will do though it cannot be renewed, where nobody could sign in as well")
    func waitedForPlainToken() throws {
        helper.stored(expiresIn: -10)
        doubles.locks.whenAcquired = sibling(refreshToken: nil)
        doubles.ui.canBeReached = false
        #expect(try helper.get().contains("ghu_sibling"))
        #expect(doubles.errors.isEmpty)
    }

    @Test("a sibling that does not share our lock has made the refusal: its pair is used, and nothing deleted")
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

    @Test(
        "what the winner has saved will do while it lives, however short that is", arguments: [200, 28_800] as [Int64])
    func waitedForShortLife(seconds: Int64) throws {
        helper.stored(expiresIn: -10)
        doubles.locks.whenAcquired = { helper.stored(expiresIn: seconds, password: "ghu_sibling") }
        #expect(try helper.get().contains("ghu_sibling"))
        #expect(doubles.transport.requests.isEmpty)
    }

    @Test(
        "a sibling that does not share our lock has saved something since we read: that stays, and is used",
        arguments: [0, 1])
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

    @Test("what a sibling without our lock has saved is dead as well: nothing is sent, and nobody asked")
    func savedDead() throws {
        helper.stored(expiresIn: -10)
        doubles.keyring.beforeCall = { call in
            if call == .replace { helper.stored(expiresIn: -5, refreshToken: "ghr_2", password: "ghu_2") }
        }
        #expect(try helper.get() == "quit=1\n")
        #expect(doubles.errors == [.otherNotFinished(host: "github.com")])
        #expect(doubles.transport.requests.isEmpty && doubles.ui.prompts.isEmpty)
    }

    @Test("an item that was removed meanwhile is not brought back")
    func loggedOut() throws {
        helper.stored(expiresIn: -10)
        doubles.locks.whenAcquired = { [keyring = doubles.keyring] in
            for item in keyring.items { try? keyring.remove(item) }
        }
        doubles.ui.canBeReached = false
        #expect(try helper.get().isEmpty)
        #expect(doubles.keyring.items.isEmpty && doubles.transport.requests.isEmpty)
    }

    @Test("nor is a password from a URL the answer, which a repository has stored after the sign-out")
    func plantedAfterLogout() throws {
        helper.stored(expiresIn: -10)
        doubles.locks.whenAcquired = { [keyring = doubles.keyring] in
            for item in keyring.items { keyring.put(Secret("planted"), under: item.attributes) }
        }
        doubles.ui.canBeReached = false
        #expect(try helper.get().isEmpty)
        #expect(doubles.keyring.onlyText == "planted" && doubles.transport.requests.isEmpty)
    }

    @Test("who waits too long hands out a token that still lives, or says why there is none")
    func timedOut() throws {
        doubles.locks.fault = .timedOut
        helper.stored(expiresIn: 100)
        #expect(try helper.get().contains("ghu_old"))
        helper.stored(expiresIn: -10)
        #expect(try helper.get() == "quit=1\n")
        #expect(doubles.errors == [.otherNotFinished(host: "github.com")])
        #expect(doubles.transport.requests.isEmpty)
    }

    @Test("who waits too long takes what somebody before them has renewed meanwhile")
    func renewedInTime() throws {
        doubles.locks.fault = .timedOut
        helper.stored(expiresIn: -10)
        doubles.locks.whenAcquired = { helper.stored(expiresIn: 3_600, password: "ghu_theirs") }
        #expect(try helper.get().contains("ghu_theirs"))
        #expect(doubles.transport.requests.isEmpty && doubles.errors.isEmpty)
    }

    @Test("where git ends while we wait, what is left of it is told to stop, and nobody anything")
    func abandoned() throws {
        helper.stored(expiresIn: -10)
        doubles.locks.turnsUntilFree = 3
        doubles.ui.endOfWait = (2, .abandoned)
        #expect(try helper.get() == "quit=1\n")
        #expect(doubles.errors.isEmpty && doubles.transport.requests.isEmpty)
    }

    @Test(
        "without a place for locks nothing is renewed: a token that still lives serves, and one that has ended is told")
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

    @Test("each account has a lock of its own, and its name tells nobody whose it is")
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
