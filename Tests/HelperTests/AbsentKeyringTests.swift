import TestSupport
import Testing

/// An unreachable keyring proves nothing about what it stores, so no verb may report that nobody is signed in.
@Suite("No keyring, and nothing in memory")
struct AbsentKeyringTests: HelperSuite {
    let helper = HelperFixture()

    init() {
        doubles.keyring.absence = .noBus
        doubles.ui.canBeReached = false
    }

    private static let told = UserFacingError.keyringAbsent(.noBus, host: "github.com")

    @Test(
        "get reports the missing keyring if nobody can be asked to sign in, or there is no client ID to sign in with",
        arguments: [(nil, true), ("0", true), (nil, false)] as [(String?, Bool)])
    func missing(prompt: String?, hasClientID: Bool) throws {
        doubles.environment["GIT_TERMINAL_PROMPT"] = prompt
        if !hasClientID { doubles.builtInClientID = nil }
        #expect(try get().isEmpty && doubles.errors == [Self.told] && requests.isEmpty)
    }

    @Test("get tries to sign in if a person is at hand, and reports a missing client ID")
    func person() throws {
        doubles.ui.canBeReached = true
        doubles.builtInClientID = nil
        _ = try get()
        #expect(doubles.errors == [.noClientID(host: "github.com")])
    }

    @Test("status and get use the token in memory without an error, and get reports first that its refresh was refused")
    func refused() throws {
        helper.stored(expiresIn: 3_600)
        #expect(try verb.run("status", "--offline").status == .done)
        #expect(try get().contains("password=ghu_old") && doubles.errors.isEmpty)
        helper.stored(expiresIn: -10)
        respond(GitHubAnswers.badRefreshToken)
        _ = try get()
        #expect(doubles.errors == [.refreshRefused(host: "github.com", .invalidGrant, SignInAgain(account: "octocat"))])
    }

    @Test("no verb says that nobody is signed in; errors name the host, if one is meant, the keyring and what to do")
    func verbs() throws {
        #expect(try verb.run("status", "github.com", "--offline").status == .failed)
        #expect(try verb.run("status", "--offline").status == .failed)
        #expect(try verb.run("refresh", "github.com").status == .failed)
        #expect(try verb.run("logout", "github.com").status == .failed)
        #expect(try verb.run("switch").status == .failed)
        #expect(doubles.errors == [Self.told, .keyring(.noBus), Self.told, Self.told, Self.told])
        let text = "cannot look for stored credentials for github.com: no keyring is running in this session"
        #expect(told.first == text && hints.last?.contains("loginctl enable-linger") == true)
        let finding = try verb.check("https://github.com/acme/widgets")
        #expect(finding["text"]?.hasSuffix("no keyring is running in this session") == true)
    }

    @Test("status and logout report that nobody is signed in if no program provides a keyring and memory is empty")
    func noProvider() throws {
        doubles.keyring.absence = .noProvider
        _ = try verb.run("status", "github.com", "--offline")
        _ = try verb.run("status", "--offline")
        _ = try verb.run("logout", "github.com")
        let text = "not signed in to github.com: memory has nothing for it, and no program provides a keyring"
        let login = "  git credential-gitspace login github.com"
        #expect(sentences == [text, text, text])
        #expect(doubles.errors.map { $0.hints.last?.english } == [login, login, "  git credential-gitspace status"])
    }
}
