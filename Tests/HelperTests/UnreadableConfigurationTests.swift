import TestSupport
import Testing

/// Without git's configuration, nothing is sent and nobody is asked; operations that do not need it still work.
@Suite("git's configuration that cannot be read")
struct UnreadableConfigurationTests: HelperSuite {
    let helper = HelperFixture()
    private static let fault = ConfigurationError.timedOut(seconds: 5)
    init() { doubles.configurationFault = Self.fault }

    /// Checks that nothing was sent and nobody was asked.
    private func expectSilence(at location: SourceLocation = #_sourceLocation) {
        #expect(requests.isEmpty && prompts.isEmpty, sourceLocation: location)
        #expect(!doubles.keyring.calls.contains(.unlock) && doubles.locks.wanted.isEmpty, sourceLocation: location)
    }

    @Test("get returns a dying token, keeps an expired one without a refresh or sign-in, and keeps git from asking")
    func ended() throws {
        helper.stored(expiresIn: 60)
        #expect(try get().contains("ghu_old"))
        helper.stored(expiresIn: -60)
        let before = doubles.keyring.items
        #expect(try get() == "quit=1\n" && doubles.errors == [.configurationUnreadable(Self.fault)])
        #expect(doubles.keyring.items.map(\.secret) == before.map(\.secret))
        expectSilence()
    }

    @Test("get reports the unreadable file if nothing is stored, and stops git only if git may ask")
    func nothing() throws {
        #expect(try get() == "quit=1\n")
        doubles.environment["GIT_TERMINAL_PROMPT"] = "0"
        #expect(try get().isEmpty && doubles.errors.count == 2)
        expectSilence()
    }

    @Test("get returns nothing for an unknown host, so that other helpers and git's prompt go on")
    func otherHost() throws {
        #expect(try get(host: "ghe.example").isEmpty)
        helper.stored(expiresIn: -60, host: "ghe.example")
        #expect(try get(host: "ghe.example").isEmpty)
        #expect(doubles.errors == [.configurationUnreadable(Self.fault), .configurationUnreadable(Self.fault)])
        expectSilence()
    }

    @Test("get uses a grant for every path, and a credential from outside only for its own")
    func path() throws {
        let request = "protocol=https\nhost=ghe.example\npath=acme/widgets.git"
        helper.brought("typed", host: "ghe.example")
        #expect(try helper.run(.get, request).isEmpty)
        helper.stored(expiresIn: 3_600, host: "ghe.example", user: "mona")
        #expect(try helper.run(.get, request).contains("username=mona\npassword=ghu_old"))
        expectSilence()
    }

    @Test("store and erase change the keyring as git reports")
    func storeAndErase() throws {
        let lines = "protocol=https\nhost=github.com\nusername=octocat\npassword=typed"
        try helper.run(.store, lines)
        #expect(credential()?.password == Secret("typed"))
        try helper.run(.erase, lines)
        #expect(doubles.keyring.items.isEmpty && doubles.errors.isEmpty)
    }

    @Test("verbs that need it report it, and send nothing")
    func verbs() throws {
        helper.stored(expiresIn: 3_600)
        helper.stored(expiresIn: -60, user: "mona")
        let reason = UserFacingError.configurationUnreadable(Self.fault).text.english
        for words in [
            ["login", "octocat@github.com", "--force"], ["refresh", "octocat@github.com"],
            ["logout", "octocat@github.com", "--revoke"], ["status", "octocat@github.com"], ["status", "--offline"],
            ["setup", "octocat@github.com"], ["setup", "octocat@github.com", "--client-id", "x"],
        ] {
            let before = doubles.errors.count
            #expect(try verb.run(words) == (.failed, []))
            #expect(sentences.dropFirst(before) == [reason], "\(words)")
        }
        #expect(try verb.check("https://github.com/acme/widgets")["text"] == reason)
        #expect(doubles.keyring.items.count == 2 && verb.questions.asked.isEmpty)
        expectSilence()
    }

    @Test("logout works without it if no server is asked, and asks nobody which of several accounts is meant")
    func severalAccounts() throws {
        helper.stored(expiresIn: 3_600)
        #expect(try verb.run("logout", "github.com").status == .done)
        #expect(doubles.keyring.items.isEmpty && doubles.errors.isEmpty)
        for user in ["octocat", "hubot"] { helper.stored(expiresIn: 3_600, user: user) }
        verb.questions.answers = ["1"]
        #expect(try verb.run("logout", "github.com").status == .failed)
        #expect(doubles.errors == [.severalAccounts(host: "github.com", ["octocat", "hubot"])])
        #expect(verb.questions.asked.isEmpty && doubles.keyring.items.count == 2)
    }

    @Test("doctor reports it with a command, contacts no host, and does not write to the keyring")
    func doctor() {
        let examination = Examination()
        examination.doubles.configurationFault = .failed
        let found = examination.diagnoses()
        #expect(found.last?.check == .configuration && found.last?.result == .fail)
        #expect(found.last?.hints.last?.contains("git config --list --show-origin") == true)
        #expect(examination.doubles.transport.requests.isEmpty && examination.doubles.keyring.calls.isEmpty)
    }
}
