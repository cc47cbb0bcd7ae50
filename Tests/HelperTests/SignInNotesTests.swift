import CredentialCore
import Helper
import Messages
import Providers
import TestSupport
import Testing
import Verbs

@Suite("get: a person who has said no")
struct SignInNotesTests {
    private let helper = HelperFixture()
    private var doubles: Doubles { helper.doubles }

    @Test("in the same command nothing is asked, sent or said, and git goes no further")
    func sameCommand() throws {
        doubles.signInNotes.refusal = .inThisCommand
        #expect(try helper.get() == "quit=1\n")
        #expect(doubles.errors.isEmpty && doubles.ui.notices.isEmpty && doubles.transport.requests.isEmpty)
        #expect(doubles.locks.wanted.isEmpty)
    }

    @Test("where git does not ask, what is said names the way to sign in now")
    func withoutGit() throws {
        doubles.signInNotes.refusal = .shortlyBefore
        #expect(try helper.get() == "quit=1\n")
        #expect(doubles.errors == [.shortlyRefused(host: "github.com")] && doubles.transport.requests.isEmpty)
    }

    @Test("who has waited for the one who was told no asks no more")
    func meanwhile() throws {
        doubles.signInNotes.refusalMeanwhile = .inThisCommand
        #expect(try helper.get() == "quit=1\n")
        #expect(doubles.locks.wanted.count == 1 && doubles.locks.held == 0)
        #expect(doubles.ui.prompts.isEmpty && doubles.transport.requests.isEmpty)
    }

    @Test("a stored token is answered with whatever was said")
    func stored() throws {
        helper.stored(expiresIn: 3_600)
        doubles.signInNotes.refusal = .inThisCommand
        #expect(try helper.get().contains("ghu_old"))
    }

    @Test("what a person does is a no; what fails on the way is none", arguments: [true, false])
    func noted(declines: Bool) throws {
        doubles.transport.answer(GitHubAnswers.device)
        doubles.transport.answer(declines ? GitHubAnswers.denied : .json("{}", status: 400))
        #expect(try helper.get() == "quit=1\n")
        #expect(doubles.signInNotes.refusals == (declines ? 1 : 0) && doubles.signInNotes.starts == 1)
        #expect(doubles.signInNotes.ends == 1)
    }

    @Test(
        "so is Ctrl-C, and no answer at all; a git that has ended, or a screen that has failed, is none",
        arguments: [(WaitOutcome.cancelled, 1), (.unanswered, 1), (.abandoned, 0), (.unreachable, 0)])
    func left(end: WaitOutcome, notes: Int) throws {
        doubles.transport.answer(GitHubAnswers.device)
        doubles.ui.endOfWait = (1, end)
        _ = try helper.get()
        #expect(doubles.signInNotes.refusals == notes)
    }

    @Test("the no is noted before the lock is free, lest the next one ask")
    func order() throws {
        doubles.transport.answer(GitHubAnswers.device)
        doubles.transport.answer(GitHubAnswers.denied)
        _ = try helper.get()
        let entries = doubles.journal.entries
        let note = try #require(entries.firstIndex(of: "note refusal"))
        #expect(try #require(entries.lastIndex(of: "unlock")) > note)
    }

    @Test("login asks whatever was said, and whoever gave up before; its own no is for nobody else")
    func login() throws {
        doubles.signInNotes.refusal = .shortlyBefore
        doubles.signInNotes.refusalMeanwhile = .inThisCommand
        doubles.locks.predecessorGaveUp = true
        doubles.transport.answer(GitHubAnswers.device)
        doubles.transport.answer(GitHubAnswers.denied)
        let request = try Request("protocol=https\nhost=github.com")
        #expect(try VerbFixture(doubles).run("login", about: request).status == .failed)
        #expect(doubles.ui.prompts.count == 1 && doubles.ui.prompts.first?.isExplicit == true)
        #expect(doubles.signInNotes.refusals == 0)
    }

    @Test("of those who wait in one command, one says so; in another terminal, each does", arguments: [true, false])
    func waiting(isSameCommand: Bool) throws {
        doubles.locks.turnsUntilFree = 3
        doubles.locks.isTakenAtOnce = true
        doubles.locks.whenAcquired = { [helper] in helper.brought("gho_sibling") }
        doubles.signInNotes.place = isSameCommand ? .thisCommand : .anotherTerminal
        #expect(try helper.get().contains("gho_sibling"))
        #expect(doubles.ui.notices == (isSameCommand ? [] : [.waitingForOtherSignIn(.anotherTerminal)]))
    }

    @Test("the one that says so holds the right to it for as long as it waits")
    func waitingLine() throws {
        doubles.locks.turnsUntilFree = 3
        doubles.locks.whenAcquired = { [helper] in helper.brought("gho_sibling") }
        doubles.signInNotes.place = .thisCommand
        #expect(try helper.get().contains("gho_sibling"))
        #expect(doubles.ui.notices == [.waitingForOtherSignIn(.thisCommand)])
        #expect(doubles.locks.wanted.count == 2 && doubles.locks.held == 0)
    }

    @Test("where nobody has noted yet, a moment is waited for it, and no longer", arguments: [1, 2, 100])
    func notedLate(looks: Int) throws {
        doubles.locks.turnsUntilFree = 45
        doubles.locks.whenAcquired = { [helper] in helper.brought("gho_sibling") }
        doubles.signInNotes.place = .thisTerminal
        doubles.signInNotes.looksBeforePlace = looks
        #expect(try helper.get().contains("gho_sibling"))
        #expect(doubles.ui.notices == [.waitingForOtherSignIn(looks < 100 ? .thisTerminal : .elsewhere)])
    }
}
