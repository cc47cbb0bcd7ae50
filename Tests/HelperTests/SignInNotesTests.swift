import TestSupport
import Testing

@Suite("get: notes about refused sign-ins")
struct SignInNotesTests {
    private let helper = HelperFixture()
    private var doubles: Doubles { helper.doubles }

    @Test("asks, sends and prints nothing in the command that was refused, and tells git to stop")
    func sameCommand() throws {
        doubles.signInNotes.refusal = .inThisCommand
        #expect(try helper.get() == "quit=1\n")
        #expect(doubles.errors.isEmpty && doubles.ui.notices.isEmpty && doubles.transport.requests.isEmpty)
        #expect(doubles.locks.wanted.isEmpty)
    }

    @Test("suggests the command to sign in now after a recent refusal outside of git")
    func withoutGit() throws {
        doubles.signInNotes.refusal = .shortlyBefore
        #expect(try helper.get() == "quit=1\n")
        #expect(doubles.errors == [.shortlyRefused(host: "github.com")] && doubles.transport.requests.isEmpty)
    }

    @Test("asks nothing after another process was refused while this one waited")
    func meanwhile() throws {
        doubles.signInNotes.refusalMeanwhile = .inThisCommand
        #expect(try helper.get() == "quit=1\n")
        #expect(doubles.locks.wanted.count == 1 && doubles.locks.held == 0)
        #expect(doubles.ui.prompts.isEmpty && doubles.transport.requests.isEmpty)
    }

    @Test("returns a stored token in spite of a refusal")
    func stored() throws {
        helper.stored(expiresIn: 3_600)
        doubles.signInNotes.refusal = .inThisCommand
        #expect(try helper.get().contains("ghu_old"))
    }

    @Test("notes the person's refusal, and no other failure", arguments: [true, false])
    func noted(declines: Bool) throws {
        doubles.transport.answer(GitHubAnswers.device, declines ? GitHubAnswers.denied : .json("{}", status: 400))
        #expect(try helper.get() == "quit=1\n")
        #expect(doubles.signInNotes.refusals == (declines ? 1 : 0) && doubles.signInNotes.starts == 1)
        #expect(doubles.signInNotes.ends == 1)
    }

    @Test(
        "notes Ctrl-C and a missing answer, but neither a git that ended nor a failed screen",
        arguments: [(WaitOutcome.cancelled, 1), (.unanswered, 1), (.abandoned, 0), (.unreachable, 0)])
    func left(end: WaitOutcome, notes: Int) throws {
        doubles.transport.answer(GitHubAnswers.device)
        doubles.ui.endOfWait = (1, end)
        _ = try helper.get()
        #expect(doubles.signInNotes.refusals == notes)
    }

    @Test("notes the refusal before it releases the lock")
    func order() throws {
        doubles.transport.answer(GitHubAnswers.device, GitHubAnswers.denied)
        _ = try helper.get()
        let entries = doubles.journal.entries
        let note = try #require(entries.firstIndex(of: "note refusal"))
        #expect(try #require(entries.lastIndex(of: "unlock")) > note)
    }

    @Test("login asks in spite of refusals, and its own refusal is not for others")
    func login() throws {
        doubles.signInNotes.refusal = .shortlyBefore
        doubles.signInNotes.refusalMeanwhile = .inThisCommand
        doubles.locks.predecessorGaveUp = true
        doubles.transport.answer(GitHubAnswers.device, GitHubAnswers.denied)
        let request = try Request("protocol=https\nhost=github.com")
        #expect(try VerbFixture(doubles).run("login", about: request).status == .failed)
        #expect(doubles.ui.prompts.count == 1 && doubles.ui.prompts.first?.isExplicit == true)
        #expect(doubles.signInNotes.refusals == 0)
    }

    @Test("prints the waiting line once for each command", arguments: [true, false])
    func waiting(isSameCommand: Bool) throws {
        doubles.locks.turnsUntilFree = 3
        doubles.locks.isTakenAtOnce = true
        doubles.locks.whenAcquired = { [helper] in helper.brought("gho_sibling") }
        doubles.signInNotes.place = isSameCommand ? .thisCommand : .anotherTerminal
        #expect(try helper.get().contains("gho_sibling"))
        #expect(doubles.ui.notices == (isSameCommand ? [] : [.waitingForOtherSignIn(.anotherTerminal)]))
    }

    @Test("keeps the right to print the waiting line as long as it waits")
    func waitingLine() throws {
        doubles.locks.turnsUntilFree = 3
        doubles.locks.whenAcquired = { [helper] in helper.brought("gho_sibling") }
        doubles.signInNotes.place = .thisCommand
        #expect(try helper.get().contains("gho_sibling"))
        #expect(doubles.ui.notices == [.waitingForOtherSignIn(.thisCommand)])
        #expect(doubles.locks.wanted.count == 2 && doubles.locks.held == 0)
    }

    @Test("waits a moment for the note about the other sign-in, and no longer", arguments: [1, 2, 100])
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

    @Test("shows the page and the code if it waits for a process elsewhere", arguments: [true, false])
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
        "does not show a code again that is already on the screen",
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
        "shows a noted code only if the server could have sent it, and until it expires",
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

    @Test("cancels the sign-in for every place that shows the code")
    func cancelledHere() throws {
        doubles.locks.turnsUntilFree = 6
        doubles.signInNotes.place = .anotherTerminal
        doubles.signInNotes.code = code
        doubles.ui.endOfWait = (4, .cancelled)
        #expect(try helper.get() == "quit=1\n")
        #expect(doubles.signInNotes.cancellations == 1 && doubles.signInNotes.refusals == 1)
        #expect(doubles.ui.notices.last == .cancelled && doubles.locks.held == 0)
    }

    @Test("ends the sign-in after the person cancels elsewhere, as after Ctrl-C")
    func cancelledElsewhere() throws {
        doubles.transport.answer(GitHubAnswers.device)
        doubles.signInNotes.isCancelledElsewhere = true
        #expect(try helper.get() == "quit=1\n")
        #expect(doubles.signInNotes.code?.userCode == doubles.ui.prompts.first?.approval.userCode)
        #expect(doubles.signInNotes.refusals == 1 && doubles.ui.notices.last == .cancelled)
    }
}
