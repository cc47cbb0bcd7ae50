import CredentialCore
import Helper
import Messages
import Providers
import TestSupport
import Testing
import Verbs

@Suite("Tokens of GitHub's OAuth apps that end")
struct ShortLivedTests {
    private let setup = SetupFixture()
    private var helper: HelperFixture { setup.helper }
    private var doubles: Doubles { setup.doubles }

    init() { doubles.builtInClientID = "Ov23liMine" }

    private static let usual = "repo workflow gist"

    /// What an OAuth app's client gets for `offline_access`, where the server grants it.
    private static var token: HTTPResponse {
        .json(
            """
            {"access_token":"gho_short","expires_in":28800,"refresh_token":"ghr_short",\
            "refresh_token_expires_in":15897600,"scope":"repo,gist,workflow","token_type":"bearer"}
            """)
    }

    private func signsIn(_ token: HTTPResponse = token) {
        doubles.transport.answer(GitHubAnswers.device)
        doubles.transport.answer(token)
        doubles.transport.answer(GitHubAnswers.user("octocat"))
    }

    private func refuses(_ code: String) { doubles.transport.answer(GitHubAnswers.error(code, "")) }

    private func login(_ options: String..., host: String = "github.com") throws -> Verbs.ExitStatus {
        try setup.verb.run(["login", host] + options).status
    }

    private var askedScopes: [String?] {
        doubles.transport.requests.filter { $0.address.hasSuffix("/login/device/code") }.map { $0["scope"] }
    }

    @Test(
        "the setting asks for one, beside the scopes that are asked for anyway",
        arguments: [nil, "repo", "gist offline_access"])
    func setting(scopes: String?) throws {
        doubles.configure("credential", "https://github.com", "gitspaceShortLived", "true")
        if let scopes { doubles.configure("credential", nil, "oauthScopes", scopes) }
        signsIn()
        #expect(try helper.get().contains("password=gho_short\npassword_expiry_utc="))
        let others = scopes == "gist offline_access" ? "gist" : scopes ?? Self.usual
        #expect(askedScopes == [others + " offline_access"])
        #expect(doubles.ui.notices == [.signedIn(account: "octocat", storage: .keyring)])
        #expect(doubles.keyring.credential(of: "octocat")?.oauthRefreshToken?.text == "ghr_short")
    }

    @Test("what is not asked for is not sent", arguments: [nil, "false", "0"])
    func notAsked(value: String?) throws {
        if let value { doubles.configure("credential", nil, "gitspaceShortLived", value) }
        signsIn(GitHubAnswers.oauthAppToken)
        _ = try helper.get()
        #expect(askedScopes == [Self.usual] && doubles.ui.notices.count == 1)
    }

    @Test("a server whose token does not expire is named, once, and the token is used")
    func withoutEnd() throws {
        signsIn(GitHubAnswers.oauthAppToken)
        #expect(try login("--short-lived") == .done)
        #expect(
            doubles.ui.notices == [
                .signedIn(account: "octocat", storage: .keyring), .doesNotExpire(host: "github.com"),
            ])
        #expect(try helper.get().contains("gho_16C7") && doubles.ui.notices.count == 2)
    }

    @Test(
        "a refresh that is refused for want of a secret: the sign-in goes on without, and says why",
        arguments: ["incorrect_client_credentials", "invalid_client"])
    func secretWanted(code: String) throws {
        doubles.configure("credential", nil, "gitspaceShortLived", "true")
        helper.stored(expiresIn: -10, clientID: "Ov23liMine", password: "gho_old")
        refuses(code)
        signsIn(GitHubAnswers.oauthAppToken)
        #expect(try helper.get().contains("password=gho_16C7"))
        #expect(askedScopes == [Self.usual])
        #expect(
            doubles.ui.notices == [
                .signInEnded(host: "github.com", DisplayText(trusted: code)), .notShortLived(host: "github.com"),
                .signedIn(account: "octocat", storage: .keyring),
            ])
    }

    @Test("another process knows it as well, and the person's word tries again")
    func remembered() throws {
        doubles.configure("credential", nil, "gitspaceShortLived", "true")
        helper.stored(expiresIn: -10, clientID: "Ov23liMine", password: "gho_old")
        doubles.ui.canBeReached = false
        refuses("incorrect_client_credentials")
        _ = try helper.get()
        #expect(doubles.errors.map(\.code) == [.refreshRefused])
        doubles.ui.canBeReached = true
        for _ in 1...2 {
            doubles.transport.answer(GitHubAnswers.device)
            doubles.transport.answer(GitHubAnswers.denied)
            _ = try login()
        }
        signsIn()
        #expect(try login("--short-lived") == .done)
        #expect(askedScopes == [Self.usual, Self.usual, Self.usual + " offline_access"])
        #expect(doubles.ui.notices.count { $0 == .notShortLived(host: "github.com") } == 2)
    }

    @Test("a refresh token that has ended, or a secret of our own that is wrong, says nothing about that")
    func otherRefusals() throws {
        doubles.configure("credential", nil, "gitspaceShortLived", "true")
        helper.stored(expiresIn: -10, clientID: "Ov23liMine", password: "gho_old")
        refuses("bad_refresh_token")
        signsIn()
        #expect(try helper.get().contains("password=gho_short"))
        #expect(askedScopes == [Self.usual + " offline_access"])
        doubles.configure("credential", "https://github.com", "oauthClientId", "Ov23liMine")
        doubles.configure("credential", "https://github.com", "oauthClientSecret", "wrong")
        helper.stored(expiresIn: -10, clientID: "Ov23liMine", password: "gho_old")
        refuses("invalid_client")
        _ = try helper.get()
        #expect(doubles.errors.map(\.code) == [.clientRefused])
    }

    @Test("login replaces a good token that does not end, and keeps one that does")
    func replaced() throws {
        helper.stored(expiresIn: nil, refreshToken: nil, clientID: "Ov23liMine", password: "gho_long")
        signsIn()
        #expect(try login("--short-lived") == .done)
        #expect(doubles.keyring.credential(of: "octocat")?.password.text == "gho_short")
        #expect(setup.lines == ["Replaced the previous token of octocat for github.com."])
        doubles.transport.answer(GitHubAnswers.user("octocat"))
        #expect(try login("--short-lived") == .done)
        #expect(doubles.ui.prompts.count == 1 && setup.lines.contains("Already signed in to github.com as octocat."))
    }

    @Test("setup has later sign-ins ask as well, and takes neither another tool's token nor one that does not end")
    func setsUp() throws {
        setup.gh("gho_gh")
        helper.stored(expiresIn: nil, refreshToken: nil, clientID: "Ov23liMine", password: "gho_long")
        signsIn()
        setup.doctorAnswers(GitHubAnswers.user("octocat"))
        #expect(try setup.run("--short-lived") == .done)
        #expect(askedScopes == [Self.usual + " offline_access"] && setup.questions.asked.isEmpty)
        #expect(setup.files.texts[.global]?.contains("\tgitspaceShortLived = true\n") == true)
        #expect(
            setup.lines.contains(
                "Sign-ins to github.com now ask for tokens that expire (credential.https://github.com.gitspaceShortLived)."
            ))
        #expect(doubles.keyring.credential(of: "octocat")?.password.text == "gho_short")
        // The other tool's token does not end, and a sign-in of one's own was wanted.
        setup.questions.answers = []
        doubles.builtInClientID = nil
        #expect(try setup.run("--short-lived", host: "acme.ghe.com") == .cancelled)
        #expect(setup.questions.asked == ["Client ID: "])
        #expect(setup.lines.last == "  git credential-gitspace setup acme.ghe.com --short-lived")
    }

    @Test(
        "where nobody can ask for one, the option is refused in a sentence, and nothing is sent or written",
        arguments: ["gitlab.com", "codeberg.org", "github.com"], ["login", "setup"])
    func refused(host: String, verb: String) throws {
        doubles.builtInGitLabClientID = "5ecc"
        // A GitHub App's.
        doubles.builtInClientID = "Iv1.0123456789abcdef"
        #expect(try setup.verb.run([verb, host, "--short-lived"]).status == .failed)
        #expect(doubles.errors == [.notShortLived(host: DisplayText(trusted: host))])
        #expect(doubles.transport.requests.isEmpty && setup.files.writes == 0)
    }

    @Test("it cannot go with a token of one's own", arguments: ["login", "setup"])
    func contradiction(verb: String) {
        #expect(throws: (any Error).self) { try setup.verb.run([verb, "--short-lived", "--with-token"]) }
    }

    @Test("status says until when it is good, and that it is refreshed")
    func status() throws {
        helper.stored(expiresIn: 3_600, clientID: "Ov23liMine", password: "gho_short")
        let text = try setup.verb.run(["status", "github.com", "--offline"]).text
        #expect(text.contains { $0.hasSuffix(", then refreshed automatically") }, "\(text)")
    }
}
