import TestSupport
import Testing

@Suite("Expiring tokens of GitHub's OAuth apps")
struct ShortLivedTests: HelperSuite {
    let helper = HelperFixture()
    init() { doubles.builtInClientID = "Ov23liMine" }
    private static let usual = "repo workflow gist"

    /// The token for `offline_access`, if the server grants it to an OAuth app.
    private static var token: HTTPResponse {
        .json(
            """
            {"access_token":"gho_short","expires_in":28800,"refresh_token":"ghr_short",\
            "refresh_token_expires_in":15897600,"scope":"repo,gist,workflow","token_type":"bearer"}
            """)
    }

    private func signsIn(_ token: HTTPResponse = token) {
        respond(GitHubAnswers.device, token, GitHubAnswers.user("octocat"))
    }

    private func refuses(_ code: String) { respond(GitHubAnswers.error(code, "")) }

    private var askedScopes: [String?] {
        requests.filter { $0.address.hasSuffix("/login/device/code") }.map { $0["scope"] }
    }

    @Test("adds offline_access to the requested scopes", arguments: [nil, "repo", "gist offline_access"])
    func setting(scopes: String?) throws {
        doubles.configure("credential", "https://github.com", "gitspaceShortLived", "true")
        if let scopes { doubles.configure("credential", nil, "oauthScopes", scopes) }
        signsIn()
        #expect(try get().contains("password=gho_short\npassword_expiry_utc="))
        let others = scopes == "gist offline_access" ? "gist" : scopes ?? Self.usual
        #expect(askedScopes == [others + " offline_access"])
        #expect(notices == [.signedIn(account: "octocat", storage: .keyring)])
        #expect(credential()?.oauthRefreshToken?.text == "ghr_short")
    }

    @Test("sends the usual scopes without the setting, whatever blanks they have", arguments: [nil, "false", "0"])
    func notAsked(value: String?) throws {
        if let value { doubles.configure("credential", nil, "gitspaceShortLived", value) }
        doubles.configure("credential", nil, "oauthScopes", "repo  workflow gist ")
        signsIn(GitHubAnswers.oauthAppToken)
        _ = try get()
        #expect(askedScopes == [Self.usual] && notices.count == 1)
    }

    @Test("names a server whose token does not expire, once, and uses the token")
    func withoutEnd() throws {
        doubles.configure("credential", nil, "gitspaceShortLived", "true")
        signsIn(GitHubAnswers.oauthAppToken)
        #expect(try verb.run("login").status == .done)
        #expect(notices == [.signedIn(account: "octocat", storage: .keyring), .doesNotExpire(host: "github.com")])
        #expect(try get().contains("gho_16C7") && notices.count == 2)
    }

    @Test(
        "signs in without a short-lived token if the refresh needs a secret, and reports it",
        arguments: ["incorrect_client_credentials", "invalid_client"])
    func secretWanted(code: String) throws {
        doubles.configure("credential", nil, "gitspaceShortLived", "true")
        helper.stored(expiresIn: -10, clientID: "Ov23liMine", password: "gho_old")
        refuses(code)
        signsIn(GitHubAnswers.oauthAppToken)
        #expect(try get().contains("password=gho_16C7"))
        #expect(askedScopes == [Self.usual])
        let signedIn = Notice.signedIn(account: "octocat", storage: .keyring)
        let ended = Notice.signInEnded(host: "github.com", DisplayText(trusted: code))
        #expect(notices == [ended, .notShortLived(host: "github.com"), signedIn])
    }

    @Test("remembers for other processes that no short token came, until a new sign-in")
    func remembered() throws {
        doubles.configure("credential", nil, "gitspaceShortLived", "true")
        helper.stored(expiresIn: -10, clientID: "Ov23liMine", password: "gho_old")
        doubles.ui.canBeReached = false
        refuses("incorrect_client_credentials")
        _ = try get()
        #expect(doubles.errors.map(\.code) == [.refreshRefused])
        doubles.ui.canBeReached = true
        respond(GitHubAnswers.device, GitHubAnswers.denied)
        _ = try verb.run("login")
        signsIn(GitHubAnswers.oauthAppToken)
        #expect(try verb.run("login").status == .done)
        signsIn()
        #expect(try verb.run("login", "--force").status == .done)
        #expect(askedScopes == [Self.usual, Self.usual, Self.usual + " offline_access"])
        #expect(notices.count { $0 == .notShortLived(host: "github.com") } == 2)
    }

    @Test("remembers nothing after an expired refresh token or a wrong client secret")
    func otherRefusals() throws {
        doubles.configure("credential", nil, "gitspaceShortLived", "true")
        helper.stored(expiresIn: -10, clientID: "Ov23liMine", password: "gho_old")
        refuses("bad_refresh_token")
        signsIn()
        #expect(try get().contains("password=gho_short"))
        #expect(askedScopes == [Self.usual + " offline_access"])
        doubles.configure("credential", "https://github.com", "oauthClientId", "Ov23liMine")
        doubles.configure("credential", "https://github.com", "oauthClientSecret", "wrong")
        helper.stored(expiresIn: -10, clientID: "Ov23liMine", password: "gho_old")
        refuses("invalid_client")
        _ = try get()
        #expect(doubles.errors.map(\.code) == [.clientRefused])
    }
}
