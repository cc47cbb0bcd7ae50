import TestSupport
import Testing

@Suite("get: notes about refused sign-ins")
struct SignInNotesTests: HelperSuite {
    let helper = HelperFixture()

    /// Waits so many turns for a sign-in at a place, which then succeeds.
    private func follows(turns: Int, at place: SignInLocation) {
        doubles.locks.turnsUntilFree = turns
        doubles.locks.whenAcquired = { [helper] in helper.brought("gho_sibling") }
        doubles.signInNotes.place = place
    }

    @Test("asks, sends and prints nothing in the command that was refused, and returns a stored token")
    func sameCommand() throws {
        doubles.signInNotes.refusal = .inThisCommand
        #expect(try get() == "quit=1\n" && doubles.errors.isEmpty && notices.isEmpty && requests.isEmpty)
        #expect(doubles.locks.wanted.isEmpty)
        helper.stored(expiresIn: 3_600)
        doubles.signInNotes.refusal = .inThisCommand
        #expect(try get().contains("ghu_old"))
    }

    @Test("asks nothing after another process was refused while this one waited")
    func meanwhile() throws {
        doubles.signInNotes.refusalMeanwhile = .inThisCommand
        #expect(try get() == "quit=1\n" && doubles.locks.wanted.count == 1 && doubles.locks.held == 0)
        #expect(prompts.isEmpty && requests.isEmpty)
    }

    @Test("notes the person's refusal before it releases the lock, and no other failure", arguments: [true, false])
    func noted(declines: Bool) throws {
        respond(GitHubAnswers.device, declines ? GitHubAnswers.denied : .json("{}", status: 400))
        #expect(try get() == "quit=1\n")
        #expect(doubles.signInNotes.refusals == (declines ? 1 : 0) && doubles.signInNotes.starts == 1)
        #expect(doubles.signInNotes.ends == 1)
        let entries = doubles.journal.entries
        let note = entries.firstIndex(of: "note refusal")
        #expect((note != nil) == declines)
        if let note { #expect(try #require(entries.lastIndex(of: "unlock")) > note) }
    }

    @Test("login asks in spite of refusals, and its own refusal is not for others")
    func login() throws {
        doubles.signInNotes.refusal = .shortlyBefore
        doubles.signInNotes.refusalMeanwhile = .inThisCommand
        doubles.locks.predecessorGaveUp = true
        respond(GitHubAnswers.device, GitHubAnswers.denied)
        #expect(try verb.run("login").status == .failed && prompts.count == 1 && prompts.first?.isExplicit == true)
        #expect(doubles.signInNotes.refusals == 0)
    }

    @Test("prints the waiting line once for each command", arguments: [true, false])
    func waiting(isSameCommand: Bool) throws {
        doubles.locks.isTakenAtOnce = true
        follows(turns: 3, at: isSameCommand ? .thisCommand : .anotherTerminal)
        #expect(try get().contains("gho_sibling"))
        #expect(notices == (isSameCommand ? [] : [.waitingForOtherSignIn(.anotherTerminal)]))
    }

    @Test("keeps the right to print the waiting line as long as it waits")
    func waitingLine() throws {
        follows(turns: 3, at: .thisCommand)
        #expect(try get().contains("gho_sibling") && notices == [.waitingForOtherSignIn(.thisCommand)])
        #expect(doubles.locks.wanted.count == 2 && doubles.locks.held == 0)
    }

    @Test("waits a moment for the note about the other sign-in, and no longer", arguments: [1, 2, 100])
    func notedLate(looks: Int) throws {
        follows(turns: 45, at: .thisTerminal)
        doubles.signInNotes.looksBeforePlace = looks
        #expect(try get().contains("gho_sibling"))
        #expect(notices == [.waitingForOtherSignIn(looks < 100 ? .thisTerminal : .elsewhere)])
    }

    private static let page = "https://github.com/login/device"
    private let code = NotedCode(userCode: "WDJB-MJHT", page: page, end: 5_000_000 + 600_000)

    @Test("shows the page and the code if it waits for a process elsewhere", arguments: [true, false])
    func shownCode(isOnTerminal: Bool) throws {
        follows(turns: 6, at: isOnTerminal ? .anotherTerminal : .elsewhere)
        doubles.signInNotes.code = code
        #expect(try get().contains("gho_sibling"))
        #expect(prompts.map(\.approval.userCode) == ["WDJB-MJHT"] && doubles.ui.dismissals == 1)
        #expect(prompts.map(\.end) == [code.end] && requests.isEmpty)
    }

    @Test(
        "does not show a code that is already on the screen, that the server could not have sent, or that has expired",
        arguments: [
            (SignInLocation.thisCommand, "AB-1", page, 600_000), (.thisTerminal, "AB-1", page, 600_000),
            (.anotherTerminal, "AB-1", "https://evil.example/login/device", 600_000),
            (.anotherTerminal, "AB-1", page, 0), (.anotherTerminal, "AB\u{1b}[2J", page, 600_000),
        ] as [(SignInLocation, String, String, Int64)])
    func hiddenCode(place: SignInLocation, code: String, page: String, milliseconds: Int64) throws {
        follows(turns: 6, at: place)
        doubles.signInNotes.code = NotedCode(userCode: code, page: page, end: 5_000_000 + milliseconds)
        #expect(try get().contains("gho_sibling") && prompts.isEmpty)
    }

    @Test("cancels the sign-in for every place that shows the code")
    func cancelledHere() throws {
        doubles.locks.turnsUntilFree = 6
        doubles.signInNotes.place = .anotherTerminal
        doubles.signInNotes.code = code
        doubles.ui.endOfWait = (4, .cancelled)
        #expect(try get() == "quit=1\n")
        #expect(doubles.signInNotes.cancellations == 1 && doubles.signInNotes.refusals == 1)
        #expect(notices.last == .cancelled && doubles.locks.held == 0)
    }

    @Test("ends the sign-in after the person cancels elsewhere, as after Ctrl-C")
    func cancelledElsewhere() throws {
        respond(GitHubAnswers.device)
        doubles.signInNotes.isCancelledElsewhere = true
        #expect(try get() == "quit=1\n")
        #expect(doubles.signInNotes.code?.userCode == prompts.first?.approval.userCode)
        #expect(doubles.signInNotes.refusals == 1 && notices.last == .cancelled)
    }
}
