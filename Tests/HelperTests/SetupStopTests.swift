import TestSupport
import Testing

@Suite("The verb setup: without a person, and interrupted")
struct SetupStopTests: HelperSuite {
    private let setup = SetupFixture()
    var helper: HelperFixture { setup.helper }

    private static let stopped = [
        "Stopped. To continue where you left off:", "  git credential-gitspace setup github.com",
    ]

    @Test("--yes signs in if a person can be reached")
    func unattendedSignIn() throws {
        questions.canAsk = false
        setup.signsIn()
        #expect(try setup.run("--yes") == .done && prompts.count == 1 && questions.asked.isEmpty)
    }

    @Test("--yes registers no app, as in CI, and names the command to run", arguments: [true, false])
    func unattendedStop(hasClient: Bool) throws {
        if !hasClient { doubles.builtInClientID = nil }
        doubles.ui.canBeReached = false
        questions.answers = ["1", "x", "y"]
        #expect(try setup.run("--yes") == .failed)
        let needsPerson = UserFacingError.setupNeedsPerson(host: "github.com", because: nil)
        #expect(doubles.errors == [hasClient ? needsPerson : .noClientID(host: "github.com")])
        #expect(hints.last == "  git credential-gitspace setup github.com")
        let away = "not signed in to github.com, and there is no terminal or desktop to sign in from"
        #expect((sentences.first == away) == hasClient)
        #expect(questions.asked.isEmpty && files.texts.isEmpty)
        guard !hasClient else { return }
        doubles.environment["CI"] = "true"
        #expect(try setup.run() == .failed && doubles.errors.last == .noClientID(host: "github.com"))
        #expect(questions.asked.isEmpty && files.texts.isEmpty)
    }

    @Test("takes over no sign-in without a terminal, and names the command that does")
    func noTerminal() throws {
        setup.gh("gho_gh")
        questions.canAsk = false
        respond(GitHubAnswers.user("mona"))
        #expect(try setup.run() == .failed && doubles.errors == [.setupNeedsAnswer(host: "github.com")])
        #expect(doubles.errors.first?.hints.last?.english == "  git credential-gitspace setup github.com --yes")
        #expect(doubles.keyring.items.isEmpty)
    }

    @Test("ends with 130 after Ctrl-C at each question, and the next run continues from there")
    func atQuestions() throws {
        doubles.builtInClientID = nil
        setup.gh("gho_gh")
        // The offer to take over a sign-in.
        try stops(asked: 1)
        #expect(doubles.keyring.items.isEmpty && files.writes == 0)
        // The choice of a way to sign in.
        try stops("n", asked: 2)
        // The client ID.
        try stops("n", "1", asked: 3)
        // The token.
        try stops("n", "3", asked: 3)
        #expect(doubles.keyring.items.isEmpty && files.writes == 0)
        setup.accepts(tokenOf: "mona")
        questions.answers = ["y"]
        #expect(try setup.run() == .done && files.writes == 1)
        #expect(credential(of: "mona") != nil)
    }

    private func stops(_ answers: String..., asked: Int) throws {
        setup.forget()
        let before = questions.asked.count
        questions.answers = answers
        respond(GitHubAnswers.user("mona"))
        #expect(try setup.run() == .cancelled)
        #expect(questions.asked.count - before == asked)
        #expect(setup.lines.suffix(2) == Self.stopped[...], "\(setup.lines)")
        #expect(!setup.lines.contains("Cancelled. Nothing was changed."))
    }

    @Test("ends with 130 after Ctrl-C during a call to a host or the keyring")
    func atRequests() throws {
        setup.gh("gho_gh")
        doubles.transport.fail(.interrupted)
        #expect(try setup.run() == .cancelled && setup.lines.suffix(2) == Self.stopped[...])
        setup.forget()
        setup.foreignKeyring.fault = .interrupted
        #expect(try setup.run() == .cancelled && setup.lines.suffix(2) == Self.stopped[...])
        setup.forget()
        doubles.keyring.fault = .interrupted
        #expect(try setup.run() == .cancelled && setup.lines.suffix(2) == Self.stopped[...] && doubles.errors.isEmpty)
    }

    @Test("does not report a step that fails after Ctrl-C")
    func atSteps() throws {
        verb.isInterrupted = true
        helper.approve()
        files.fault = .unreadable
        #expect(try setup.run() == .cancelled && setup.lines == Self.stopped && doubles.errors.isEmpty)
    }

    @Test("reports a locked keyring, a file that cannot be written, and a host of unknown kind")
    func faults() throws {
        doubles.keyring.fault = .locked
        #expect(try setup.run() == .failed)
        // git's configuration is unchanged: it asks the same helpers as before.
        #expect(files.texts.isEmpty)
        doubles.keyring.fault = nil
        helper.approve()
        files.fault = .notPermitted("/global")
        #expect(try setup.run() == .failed)
        doubles.transport.fail(.unreachable)
        #expect(try setup.run(host: "example.com") == .failed)
        let noPermission = UserFacingError.configuration(.notPermitted("/global"), verb: "configure")
        let noAnswer = UserFacingError.notForSignIn(host: "example.com", because: .transport(.unreachable))
        #expect(doubles.errors == [.keyring(.locked), noPermission, noAnswer])
    }

    @Test("reports a pasted token as lost if it cannot be saved, even after Ctrl-C")
    func lostToken() throws {
        verb.isInterrupted = true
        questions.answers = ["ghp_mine"]
        doubles.keyring.saveFault = .denied
        respond(GitHubAnswers.user("octocat"))
        #expect(try setup.run("--with-token") == .failed)
        #expect(doubles.errors.map(\.code) == [.notSaved])
    }
}
