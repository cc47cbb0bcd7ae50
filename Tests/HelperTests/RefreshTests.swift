import TestSupport
import Testing

@Suite("get: refresh of an expired token")
struct RefreshTests: HelperSuite {
    let helper = HelperFixture()
    private let endpoint = "POST https://github.com/login/oauth/access_token"
    private let newToken = "ghu_16C7e42F292c6912E7710c838347Ae178B4a"

    @Test(
        "sends one request under the lock with signals deferred, and saves the rotated pair whole before it returns it")
    func order() throws {
        helper.stored(expiresIn: -10)
        respond(GitHubAnswers.gitHubAppToken)
        #expect(try get() == "username=octocat\npassword=\(newToken)\npassword_expiry_utc=1700028800\n")
        let steps = ["keyring items", "lock", "keyring items", "keyring replace", "signals wait", endpoint]
        #expect(doubles.journal.entries == steps + ["keyring save", "signals pass", "unlock"])
        #expect(notices.isEmpty && doubles.errors.isEmpty)
        let digest = String(decoding: StoredCredential.digest(of: Secret("ghu_old")), as: UTF8.self)
        #expect(
            doubles.keyring.onlyText == """
                \(newToken)
                password_expiry_utc=1700028800
                oauth_refresh_token=ghr_1B4a2e77838347a7E420ce178F2E7c6912E1692
                gitspace_client_id=Iv1.0123456789abcdef
                gitspace_token_origin=https://github.com
                gitspace_issued=1700000000
                gitspace_refresh_token_expiry_utc=1715897600
                gitspace_superseded=\(digest)
                """)
    }

    @Test("keeps the old refresh token if the answer has none (RFC 6749, 6)")
    func keptRefreshToken() throws {
        helper.stored(expiresIn: -10)
        respond(.json(#"{"access_token":"ghu_new","token_type":"bearer","expires_in":28800}"#))
        _ = try get()
        #expect(credential()?.oauthRefreshToken?.text == "ghr_old")
    }

    @Test("sends the grant's own client ID to the built-in endpoint, whatever is configured now")
    func client() throws {
        helper.stored(expiresIn: -10, clientID: "Iv1.before")
        doubles.configure("credential", "https://github.com", "oauthClientId", "Iv1.now")
        doubles.configure("credential", "https://github.com", "oauthClientSecret", "secret of Iv1.now")
        respond(GitHubAnswers.gitHubAppToken)
        _ = try get()
        #expect(requests.first?["client_id"] == "Iv1.before")
        #expect(requests.first?["client_secret"] == nil)
        #expect(credential()?.grant?.clientID == "Iv1.before")
        helper.stored(expiresIn: -10)
        doubles.configure("credential", "https://github.com", "oauthTokenURL", "https://evil.example/token")
        respond(GitHubAnswers.gitHubAppToken)
        _ = try get()
        #expect(requests.map(\.address) == Array(repeating: "https://github.com/login/oauth/access_token", count: 2))
    }

    @Test("tries a pair from outside with the configured client, and stores the new one as ours")
    func brought() throws {
        helper.brought("gho_brought", expiresIn: -10, refreshToken: "ghr_brought")
        respond(GitHubAnswers.gitHubAppToken)
        #expect(try !get().contains("oauth_refresh_token"))
        #expect(requests.first?["client_id"] == "Iv1.0123456789abcdef")
        #expect(credential()?.grant != nil)
    }

    @Test("returns a token that cannot be renewed as long as it is valid, and sends it nowhere after that")
    func alive() throws {
        helper.stored(expiresIn: 100, refreshToken: nil)
        #expect(try get().contains("ghu_old") && requests.isEmpty && doubles.errors.isEmpty)
        helper.stored(expiresIn: -10, refreshToken: nil)
        doubles.ui.canBeReached = false
        #expect(try get().isEmpty && requests.isEmpty)
    }

    @Test("refreshes without output or questions if nobody is at hand", arguments: ["CI", "GIT_TERMINAL_PROMPT"])
    func unattended(variable: String) throws {
        doubles.environment[variable] = variable == "CI" ? "true" : "0"
        doubles.ui.canBeReached = false
        helper.stored(expiresIn: -10)
        respond(GitHubAnswers.gitHubAppToken)
        #expect(try get().contains(newToken))
    }

    // MARK: Failed refreshes

    /// Stores a pair, and returns the text that the keyring must still hold after a transport error.
    private func storedText(expiresIn seconds: Int64) -> String? {
        helper.stored(expiresIn: seconds)
        return doubles.keyring.onlyText
    }

    @Test(
        "keeps the pair after a transport error, returns a valid token, and reports an expired one",
        arguments: [TransportError.unreachable, .timedOut, .untrusted, .proxy(setting: "http.proxy"), .tooLarge])
    func offline(error: TransportError) throws {
        for seconds in [100, -10] as [Int64] {
            let before = storedText(expiresIn: seconds)
            doubles.transport.fail(error)
            #expect(try seconds > 0 ? get().contains("ghu_old") && doubles.errors.isEmpty : get() == "quit=1\n")
            #expect(doubles.keyring.onlyText == before && doubles.keyring.calls.allSatisfy { $0 != .save })
        }
        #expect(doubles.errors == [.offline(host: "github.com", error)])
    }

    @Test(
        "keeps the pair if the server is in trouble, and names what it returned",
        arguments: [
            (.page(status: 500), "server error, status 500"), (.page(status: 503), "server error, status 503"),
            (.page(status: 429), "server error, status 429"), (.page(status: 403), "request denied, status 403"),
            (.page(status: 200), "a web page instead of a response, status 200"),
            (.json(#"{"message":"moved"}"#), "unexpected response, status 200"),
        ] as [(HTTPResponse, String)])
    func trouble(response: HTTPResponse, what: String) throws {
        let before = storedText(expiresIn: -10)
        respond(response)
        #expect(try get() == "quit=1\n" && doubles.keyring.onlyText == before)
        #expect(doubles.errors.first?.code == .server)
        #expect(sentences.first == "github.com could not refresh the token (\(what)); the stored token was kept")
    }

    @Test("removes the refused refresh token, and starts a sign-in if a person is at hand")
    func refused() throws {
        helper.stored(expiresIn: -10)
        respond(GitHubAnswers.badRefreshToken, GitHubAnswers.device, GitHubAnswers.denied)
        #expect(try get() == "quit=1\n" && prompts.count == 1)
        let kept = "ghu_old\npassword_expiry_utc=1699999990\ngitspace_client_id=Iv1.0123456789abcdef"
        #expect(doubles.keyring.onlyText == kept && doubles.locks.held == 0)
    }

    @Test("asks for a sign-in after a refused refresh, although another account has a password, which a URL may bring")
    func refusedBesidePassword() throws {
        helper.stored(expiresIn: -10)
        helper.brought("planted", user: "mallory")
        respond(GitHubAnswers.error("odd_code", "?"), GitHubAnswers.device, GitHubAnswers.denied)
        #expect(try get() == "quit=1\n" && prompts.count == 1)
    }

    @Test("reports the refused refresh in one line, and lets git go on, if no person is at hand")
    func refusedUnattended() throws {
        helper.stored(expiresIn: -10)
        doubles.ui.canBeReached = false
        respond(GitHubAnswers.badRefreshToken)
        #expect(try get().isEmpty)
        #expect(doubles.errors == [.refreshRefused(host: "github.com", .invalidGrant, SignInAgain(account: "octocat"))])
        #expect(doubles.errors.first?.hints.last?.english == "  git credential-gitspace login github.com octocat")
        #expect(credential()?.oauthRefreshToken == nil)
    }

    @Test(
        "keeps the pair after a wrong client secret or client ID, and names them",
        arguments: ["incorrect_client_credentials", "invalid_client", "unauthorized_client"])
    func clientMistake(code: String) throws {
        doubles.configure("credential", "https://github.com", "oauthClientId", "Iv1.0123456789abcdef")
        doubles.configure("credential", "https://github.com", "oauthClientSecret", "mistyped")
        let before = storedText(expiresIn: -10)
        respond(GitHubAnswers.error(code, "?"))
        // A sign-in with the same client ID would be refused too, so none is started.
        #expect(try get() == "quit=1\n" && doubles.keyring.onlyText == before && prompts.isEmpty)
        let error = try #require(doubles.errors.first)
        #expect(error.code == .clientRefused)
        #expect(error.text.english.contains("client ID Iv1.0123456789abcdef or its secret (\(code))"))
        // With the right client ID, the token is renewed.
        respond(GitHubAnswers.gitHubAppToken)
        #expect(try get().contains("ghu_16C7"))
    }

    @Test("keeps the pair after an unknown error or a denial", arguments: ["access_denied", "odd_code"])
    func otherRefusal(code: String) throws {
        let before = storedText(expiresIn: -10)
        doubles.ui.canBeReached = false
        respond(GitHubAnswers.error(code, "?"))
        #expect(try get().isEmpty && doubles.keyring.onlyText == before)
        let error = try #require(doubles.errors.first)
        #expect(error.code == .refreshRefused)
        #expect(error.text.english == "your sign-in to github.com has ended (\(code))")
    }

    @Test("keeps a pair from outside after a refusal, because it was not issued to our client")
    func refusedBrought() throws {
        helper.brought("gho_brought", expiresIn: -10, refreshToken: "ghr_brought")
        let before = doubles.keyring.onlyText
        doubles.ui.canBeReached = false
        respond(GitHubAnswers.badRefreshToken)
        #expect(try get().isEmpty && doubles.keyring.onlyText == before)
    }

    @Test(
        "sends no refresh token if the new one could not be saved, and reports no Ctrl-C",
        arguments: [KeyringError.locked, .denied, .noCollection, .unresponsive(seconds: 5)])
    func unwritable(error: KeyringError) throws {
        helper.stored(expiresIn: -10)
        doubles.keyring.writeFault = error
        #expect(try get() == "quit=1\n" && requests.isEmpty && doubles.errors == [.keyring(error)])
        doubles.keyring.writeFault = .interrupted
        #expect(try get() == "quit=1\n" && requests.isEmpty && doubles.errors.count == 1)
    }

    @Test("returns the new token once and reports the error if saving fails")
    func notSaved() throws {
        helper.stored(expiresIn: -10)
        doubles.keyring.saveFault = .disconnected
        respond(GitHubAnswers.gitHubAppToken)
        #expect(try get().contains("password=ghu_16C7") && doubles.errors == [.notSaved(.keyring(.disconnected))])
    }

    // MARK: Another process that refreshes the same account

    /// Returns a closure that saves as another process: a pair, or a token without a refresh token.
    private func sibling(refreshToken: String? = "ghr_sibling") -> () -> Void {
        { helper.stored(expiresIn: 28_800, refreshToken: refreshToken, password: "ghu_sibling") }
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

    @Test(
        "uses and keeps the pair that a process without our lock saved before the request or after a refusal",
        arguments: [(.replace, 0), (.replace, 1), (.items, 1)] as [(InMemoryKeyring.Call, Int)])
    func savedBesides(before saved: InMemoryKeyring.Call, exchanges: Int) throws {
        helper.stored(expiresIn: -10)
        respond(GitHubAnswers.badRefreshToken)
        doubles.keyring.beforeCall = { call in if call == saved, requests.count == exchanges { sibling()() } }
        #expect(try get().contains("ghu_sibling"))
        #expect(credential()?.oauthRefreshToken?.text == "ghr_sibling")
        #expect(requests.count == exchanges && prompts.isEmpty)
        #expect(saved == .replace || doubles.keyring.calls.allSatisfy { $0 != .save && $0 != .remove })
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
