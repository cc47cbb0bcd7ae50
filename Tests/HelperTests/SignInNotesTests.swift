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

    private let code = NotedCode(
        userCode: "WDJB-MJHT", page: "https://github.com/login/device", end: 5_000_000 + 600_000)

    @Test(
        "a process that waits for another terminal, or for none, shows the page and the code", arguments: [true, false])
    func shownCode(isOnTerminal: Bool) throws {
        doubles.locks.turnsUntilFree = 6
        doubles.locks.whenAcquired = { [helper] in helper.brought("gho_sibling") }
        doubles.signInNotes.place = isOnTerminal ? .anotherTerminal : .elsewhere
        doubles.signInNotes.code = code
        #expect(try helper.get().contains("gho_sibling"))
        #expect(doubles.ui.prompts.map(\.approval.userCode) == ["WDJB-MJHT"] && doubles.ui.dismissals == 1)
        #expect(doubles.ui.prompts.map(\.end) == [code.end] && doubles.transport.requests.isEmpty)
    }

    @Test(
        "a code that is on the screen already is not shown twice",
        arguments: [SignInLocation.thisCommand, .thisTerminal])
    func codeHere(place: SignInLocation) throws {
        doubles.locks.turnsUntilFree = 6
        doubles.locks.whenAcquired = { [helper] in helper.brought("gho_sibling") }
        doubles.signInNotes.place = place
        doubles.signInNotes.code = code
        #expect(try helper.get().contains("gho_sibling"))
        #expect(doubles.ui.prompts.isEmpty)
    }

    @Test(
        "a noted code is shown only if the server could have sent it, and until it expires",
        arguments: ["https://evil.example/login/device", "https://github.com/login/device"])
    func implausibleCode(page: String) throws {
        doubles.locks.turnsUntilFree = 6
        doubles.locks.whenAcquired = { [helper] in helper.brought("gho_sibling") }
        doubles.signInNotes.place = .anotherTerminal
        let isExpired = page.hasPrefix("https://github.com/")
        doubles.signInNotes.code = NotedCode(
            userCode: "WDJB-MJHT", page: page, end: 5_000_000 + (isExpired ? 0 : 600_000))
        #expect(try helper.get().contains("gho_sibling"))
        #expect(doubles.ui.prompts.isEmpty)
    }

    @Test("a person who cancels where the code is also shown cancels it for all")
    func cancelledHere() throws {
        doubles.locks.turnsUntilFree = 6
        doubles.signInNotes.place = .anotherTerminal
        doubles.signInNotes.code = code
        doubles.ui.endOfWait = (4, .cancelled)
        #expect(try helper.get() == "quit=1\n")
        #expect(doubles.signInNotes.cancellations == 1 && doubles.signInNotes.refusals == 1)
        #expect(doubles.ui.notices.last == .cancelled && doubles.locks.held == 0)
    }

    @Test("a person who cancels elsewhere ends the sign-in here, as by Ctrl-C")
    func cancelledElsewhere() throws {
        doubles.transport.answer(GitHubAnswers.device)
        doubles.signInNotes.isCancelledElsewhere = true
        #expect(try helper.get() == "quit=1\n")
        #expect(doubles.signInNotes.code?.userCode == doubles.ui.prompts.first?.approval.userCode)
        #expect(doubles.signInNotes.refusals == 1 && doubles.ui.notices.last == .cancelled)
    }
}
