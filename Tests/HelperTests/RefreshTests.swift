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
}
