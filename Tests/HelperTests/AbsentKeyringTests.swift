import TestSupport
import Testing

/// An unreachable keyring proves nothing about what it stores, so no verb may report that nobody is signed in.
@Suite("No keyring, and nothing in memory")
struct AbsentKeyringTests {
    private let helper = HelperFixture()
    private var doubles: Doubles { helper.doubles }

    init() {
        doubles.keyring.absence = .noBus
        doubles.ui.canBeReached = false
    }

    private static let told = UserFacingError.keyringAbsent(.noBus, host: "github.com")
    private let request = { try Request("protocol=https\nhost=github.com") }

    @Test("get reports the missing keyring if nobody can be asked to sign in", arguments: [nil, "0"])
    func get(prompt: String?) throws {
        doubles.environment["GIT_TERMINAL_PROMPT"] = prompt
        #expect(try helper.get().isEmpty)
        #expect(doubles.errors == [Self.told])
        #expect(doubles.transport.requests.isEmpty)
    }

    @Test("get reports the missing keyring if there is no client ID to sign in with")
    func noClientID() throws {
        doubles.builtInClientID = nil
        #expect(try helper.get().isEmpty)
        #expect(doubles.errors == [Self.told])
    }

    @Test("get tries to sign in if a person is at hand, and reports a missing client ID")
    func person() throws {
        doubles.ui.canBeReached = true
        doubles.builtInClientID = nil
        _ = try helper.get()
        #expect(doubles.errors == [.noClientID(host: "github.com")])
    }

    @Test("get reports first that the refresh of the token in memory was refused")
    func refused() throws {
        helper.stored(expiresIn: -10)
        doubles.transport.answer(GitHubAnswers.badRefreshToken)
        _ = try helper.get()
        #expect(doubles.errors == [.refreshRefused(host: "github.com", .invalidGrant, SignInAgain(account: "octocat"))])
    }

    @Test("no verb says that nobody is signed in")
    func verbs() throws {
        let verb = VerbFixture(doubles)
        #expect(try verb.run("status", "github.com", "--offline").status == .failed)
        #expect(try verb.run("status", "--offline").status == .failed)
        #expect(try verb.run("refresh", about: request()).status == .failed)
        #expect(try verb.run("logout", about: request()).status == .failed)
        #expect(try VerbFixture(doubles).run("switch").status == .failed)
        #expect(doubles.errors == [Self.told, .keyring(.noBus), Self.told, Self.told, Self.told])
        let finding = try verb.check("https://github.com/acme/widgets")
        #expect(finding["text"]?.hasSuffix("no keyring is running in this session") == true)
    }

    @Test("status and get use the token in memory without an error")
    func inMemory() throws {
        helper.stored(expiresIn: 3_600)
        #expect(try VerbFixture(doubles).run("status", "--offline").status == .done)
        #expect(try helper.get().contains("password=ghu_old"))
        #expect(doubles.errors.isEmpty)
    }

    @Test("the words name the host and the keyring, and what to do about it")
    func words() {
        let text = Self.told
        #expect(
            text.text.english
                == "cannot look for stored credentials for github.com: no keyring is running in this session")
        #expect(text.hints.last?.english.contains("loginctl enable-linger") == true)
    }

    @Test("status and logout report that nobody is signed in if no program provides a keyring and memory is empty")
    func noProvider() throws {
        doubles.keyring.absence = .noProvider
        _ = try VerbFixture(doubles).run("status", "github.com", "--offline")
        _ = try VerbFixture(doubles).run("status", "--offline")
        _ = try VerbFixture(doubles).run("logout", about: request())
        for (error, hint) in zip(
            doubles.errors,
            [
                "  git credential-gitspace login github.com", "  git credential-gitspace login github.com",
                "  git credential-gitspace status",
            ])
        {
            #expect(
                error.text.english
                    == "not signed in to github.com: memory has nothing for it, and no program provides a keyring")
            #expect(error.hints.last?.english == hint)
        }
        #expect(doubles.errors.count == 3)
    }
}
