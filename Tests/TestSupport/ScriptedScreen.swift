package import Share

/// A person at the desktop who answers what a test wants, and after how long.
package final class ScriptedScreen: ShareScreen {
    /// Whether the screen is locked.
    package var isLocked: Bool? = false
    /// Whether a service shows questions.
    package var canAsk = true
    /// What they answer; nil is a yes.
    package var answer: ShareRefusal?
    /// What they were asked.
    package private(set) var questions: [SharePrompt] = []
    /// How long they think, in milliseconds.
    package var milliseconds: Int64 = 1_000
    /// What happens while they do.
    package var meanwhile: () -> Void = {}
    private let clock: RecordingClock

    /// A person who says yes.
    package init(clock: RecordingClock) { self.clock = clock }

    package func ask(_ question: SharePrompt, whileWaiting: () -> Void) -> ShareRefusal? {
        questions.append(question)
        meanwhile()
        whileWaiting()
        clock.advance(milliseconds: milliseconds)
        return answer
    }
}
