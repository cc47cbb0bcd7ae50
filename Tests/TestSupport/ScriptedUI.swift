package import CredentialCore
package import Helper
package import Providers
package import Share

/// A person who sees everything, waits for any time, and cancels if a test wants it.
package final class ScriptedUI: SignInUI {
    package var canBeReached = true
    package var secondsOfSilence: Int64?
    package var hasTerminal: Bool { canBeReached }
    package var opensBrowser = false
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

/// A browser that returns with the scripted queries, in which `STATE` stands for the page's state.
package final class ScriptedRedirect: RedirectReceiver {
    package var redirectURI: String { address.map { $0.uri(port: $0.port ?? 49_152) } ?? "" }
    /// Whether the kernel can tell who connects.
    package var hearsBrowser = true
    package var events: [RedirectEvent] = []
    package var descriptors: [Int32] { [] }
    package var queries: [String] = []
    /// The pages that the browser showed at the end.
    package private(set) var results: [RedirectResult] = []
    /// The number of queries that did not match.
    package private(set) var strays = 0
    /// The address to listen on, or `nil` if nobody asked for it.
    package var address: RedirectAddress?
    package var failure: SignInError?
    private var isWaiting = false
    private let ui: ScriptedUI
    private let journal: Journal

    package init(ui: ScriptedUI, journal: Journal) {
        self.ui = ui
        self.journal = journal
    }

    /// The page in the browser, as a request with its query.
    package var page: SentRequest? {
        guard let address = ui.prompts.last?.approval.address else { return nil }
        let query = address.path.split(separator: "?", maxSplits: 1).last.map(String.init) ?? ""
        return SentRequest(HTTPRequest(.post, address, body: .form(Secret(query))))
    }

    package func next(_ isExpected: (FormFields) -> Bool) -> RedirectEvent? {
        if !events.isEmpty { return events.removeFirst() }
        while !queries.isEmpty {
            let query = queries.removeFirst().replacing("STATE", with: page?["state"] ?? "")
            if let fields = FormFields(Array(query.utf8)), isExpected(fields) {
                isWaiting = true
                return .answer(fields)
            }
            strays += 1
        }
        return nil
    }

    package func show(_ result: RedirectResult) {
        guard isWaiting else { return }
        results.append(result)
        journal.note("browser")
    }
}
