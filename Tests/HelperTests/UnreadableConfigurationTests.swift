import CredentialCore
import Helper
import Language
import Messages
import Providers
import TestSupport
import Testing
import Verbs

/// Where git's configuration cannot be read, nothing is sent and nobody is asked; what is safe without it is done.
@Suite("git's configuration cannot be read")
struct UnreadableConfigurationTests {
    private let helper = HelperFixture()
    private var doubles: Doubles { helper.doubles }
    private static let fault = ConfigurationError.timedOut(seconds: 5)

    init() { doubles.configurationFault = Self.fault }

    /// Nothing has left, and nobody has been asked anything.
    private func expectSilence(at location: SourceLocation = #_sourceLocation) {
        #expect(doubles.transport.requests.isEmpty && doubles.ui.prompts.isEmpty, sourceLocation: location)
        #expect(!doubles.keyring.calls.contains(.unlock) && doubles.locks.wanted.isEmpty, sourceLocation: location)
    }

    @Test("a fresh token is answered, and nobody learns of it")
    func fresh() throws {
        helper.stored(expiresIn: 3_600)
        #expect(try helper.get().contains("ghu_old"))
        #expect(doubles.errors.isEmpty && doubles.configurationReads == 0)
    }

    @Test("one that is about to end is not renewed, but serves while it lives")
    func dying() throws {
        helper.stored(expiresIn: 60)
        #expect(try helper.get().contains("ghu_old"))
        expectSilence()
    }

    @Test("one that has ended stays as it is: no refresh, no sign-in, and git does not ask either")
    func ended() throws {
        helper.stored(expiresIn: -60)
        let before = doubles.keyring.items
        #expect(try helper.get() == "quit=1\n")
        #expect(doubles.errors == [.configurationUnreadable(Self.fault)])
        #expect(doubles.keyring.items.map(\.secret) == before.map(\.secret))
        expectSilence()
    }

    @Test("nothing stored is no reason to ask; where git has been told not to ask, others are")
    func nothing() throws {
        #expect(try helper.get() == "quit=1\n")
        doubles.environment["GIT_TERMINAL_PROMPT"] = "0"
        #expect(try helper.get().isEmpty)
        #expect(doubles.errors.count == 2)
        expectSilence()
    }

    @Test("on a host that may be anybody's, other helpers and git's prompt go on, and no refresh token is shown")
    func otherHost() throws {
        #expect(try helper.run(.get, "protocol=https\nhost=ghe.example").isEmpty)
        helper.stored(expiresIn: -60, host: "ghe.example")
        #expect(try helper.run(.get, "protocol=https\nhost=ghe.example").isEmpty)
        #expect(doubles.errors == [.configurationUnreadable(Self.fault), .configurationUnreadable(Self.fault)])
        expectSilence()
    }

    @Test("a grant shows by itself that it serves every path; what came from outside does not")
    func path() throws {
        let request = "protocol=https\nhost=ghe.example\npath=acme/widgets.git"
        helper.brought("typed", host: "ghe.example")
        #expect(try helper.run(.get, request).isEmpty)
        helper.stored(expiresIn: 3_600, host: "ghe.example", user: "mona")
        #expect(try helper.run(.get, request).contains("username=mona\npassword=ghu_old"))
        expectSilence()
    }

    @Test(
        "what git says worked goes to the keyring, which knows whether it has a place for it; what does not work goes")
    func storeAndErase() throws {
        let lines = "protocol=https\nhost=github.com\nusername=octocat\npassword=typed"
        try helper.run(.store, lines)
        #expect(doubles.keyring.credential(of: "octocat")?.password == Secret("typed"))
        try helper.run(.erase, lines)
        #expect(doubles.keyring.items.isEmpty && doubles.errors.isEmpty)
    }

    @Test("verbs that need it say so, and send nothing")
    func verbs() throws {
        helper.stored(expiresIn: 3_600)
        helper.stored(expiresIn: -60, user: "mona")
        let verb = VerbFixture(doubles)
        for words in [
            ["login", "octocat@github.com", "--force"], ["refresh", "octocat@github.com"],
            ["logout", "octocat@github.com", "--revoke"], ["status", "octocat@github.com"], ["status", "--offline"],
            ["setup", "octocat@github.com"], ["setup", "octocat@github.com", "--client-id", "x"],
        ] {
            let before = doubles.errors.count
            #expect(try verb.run(words) == (.failed, []))
            #expect(
                doubles.errors.dropFirst(before).map(\.text.english)
                    == [UserFacingError.configurationUnreadable(Self.fault).text.english], "\(words)")
        }
        let finding = try verb.check("https://github.com/acme/widgets")
        #expect(finding["text"] == UserFacingError.configurationUnreadable(Self.fault).text.english)
        #expect(doubles.keyring.items.count == 2 && verb.questions.asked.isEmpty)
        expectSilence()
    }

    @Test("a log-out that asks no server needs none")
    func logout() throws {
        helper.stored(expiresIn: 3_600)
        let request = try Request("protocol=https\nhost=github.com")
        #expect(try VerbFixture(doubles).run("logout", about: request).status == .done)
        #expect(doubles.keyring.items.isEmpty && doubles.errors.isEmpty)
    }

    @Test("doctor names it with what shows it, and neither asks a host nor writes to the keyring")
    func doctor() {
        let examination = Examination()
        examination.doubles.configurationFault = .failed
        let found = examination.diagnoses()
        #expect(found.last?.check == .configuration && found.last?.result == .fail)
        #expect(found.last?.hints.last?.contains("git config --list --show-origin") == true)
        #expect(examination.doubles.transport.requests.isEmpty && examination.doubles.keyring.calls.isEmpty)
    }

    @Test("every reason has its words and a command")
    func words() {
        for error in [
            ConfigurationError.noGit, .failed, .timedOut(seconds: 5), .tooLarge(mebibytes: 64),
            .notPermitted("/home/o c/.gitconfig"), .notText(key: "http.proxy"),
        ] {
            #expect(error.words.text.english.contains("read") && error.words.hints.count == 2)
            #expect(KeyringError.unconfigured(error).words.text.english == error.words.text.english)
        }
    }
}
