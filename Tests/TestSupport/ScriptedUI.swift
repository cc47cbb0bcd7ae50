package import CredentialCore
package import Helper
internal import Providers
package import Share

/// A person who sees everything, waits for any time, and cancels if a test wants it.
package final class ScriptedUI: SignInUI {
    package var canBeReached = true
    package var secondsOfSilence: Int64?
    package var hasTerminal: Bool { canBeReached }
    package var opensBrowser = false
    /// The text that the person pastes.
    package var willPaste: () -> String? = { nil }
    package var hasRoom = true
    /// The number of removed messages.
    package private(set) var withdrawals = 0
    package private(set) var prompts: [SignInPrompt] = []
    /// The number of codes that had been shown when the last one was taken away.
    package private(set) var dismissals = 0
    package private(set) var notices: [Notice] = []
    /// The length of each wait, in milliseconds.
    package private(set) var waits: [Int64] = []
    /// The number of the wait, counted from 1, that ends early, and its outcome.
    package var endOfWait: (number: Int, end: WaitOutcome)?
    private let clock: RecordingClock
    private let journal: Journal

    package init(clock: RecordingClock, journal: Journal = Journal()) {
        self.clock = clock
        self.journal = journal
    }

    package func acquirePromptSlot() -> Bool { hasRoom }
    package func takePasted() -> Secret? { willPaste().map { Secret($0) } }
    package func withdraw() { withdrawals += 1 }

    package func show(_ prompt: SignInPrompt) {
        prompts.append(prompt)
        journal.note("show \(prompt.approval.userCode ?? prompt.approval.address.host)")
    }

    package func dismissPrompt() {
        dismissals = prompts.count
        journal.note("dismiss")
    }

    package func wait(milliseconds: Int64, until end: Int64?, watching _: [Int32]) -> WaitOutcome {
        waits.append(milliseconds)
        if let endOfWait, endOfWait.number == waits.count { return endOfWait.end }
        clock.advance(milliseconds: milliseconds)
        return .elapsed
    }

    package func say(_ notice: Notice) {
        notices.append(notice)
        journal.note("say \(notice)")
    }
}

/// A person who answers in the order of a script, and cancels after its end.
package final class ScriptedQuestions: Questions {
    package var canAsk = true
    package var isInputTyped = true
    package var answers: [String] = []
    package var hasBrowser = false
    package private(set) var asked: [String] = []
    package private(set) var opened: [String] = []
    /// The pages that were shown as QR codes.
    package private(set) var pictured: [String] = []

    package init() {}

    package func ask(_ question: Message) -> String? {
        asked.append(question.english)
        return answers.isEmpty ? nil : answers.removeFirst()
    }

    package func ask(_ question: Message, for _: AskedSecret) -> Secret? {
        ask(question).map { Secret(Array($0.utf8)) }
    }

    package func open(_ page: HTTPSAddress) -> Bool {
        opened.append(page.text)
        return hasBrowser
    }

    package func showQRCode(of page: HTTPSAddress) { pictured.append(page.text) }
}

/// A person at the desktop who gives the test's answer after the test's time.
package final class ScriptedScreen: ShareScreen {
    package var isLocked: Bool? = false
    package var canAsk = true
    /// The person's refusal, or `nil` for an approval.
    package var answer: ShareRefusal?
    package private(set) var questions: [SharePrompt] = []
    /// The time until the answer, in milliseconds.
    package var milliseconds: Int64 = 1_000
    package var meanwhile: () -> Void = {}
    private let clock: RecordingClock

    package init(clock: RecordingClock) { self.clock = clock }

    package func ask(_ question: SharePrompt, whileWaiting: () -> Void) -> ShareRefusal? {
        questions.append(question)
        meanwhile()
        whileWaiting()
        clock.advance(milliseconds: milliseconds)
        return answer
    }
}
