package import Share

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
