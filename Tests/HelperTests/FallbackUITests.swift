import TestSupport
import Testing

@Suite("Terminal, with the desktop as its fallback")
struct FallbackUITests {
    private let terminal = ScriptedUI(clock: RecordingClock())
    private let desktop = ScriptedUI(clock: RecordingClock())

    @Test("uses the desktop only without a terminal", arguments: [true, false], [true, false])
    func choice(hasTerminal: Bool, hasDesktop: Bool) {
        terminal.canBeReached = hasTerminal
        desktop.canBeReached = hasDesktop
        let person = FallbackUI(terminal, else: desktop)
        #expect(person.canBeReached == (hasTerminal || hasDesktop))
        person.say(.cancelled)
        person.withdraw()
        let isAtDesktop = !hasTerminal && hasDesktop
        #expect(desktop.notices.count == (isAtDesktop ? 1 : 0) && terminal.notices.count == (isAtDesktop ? 0 : 1))
        #expect(desktop.withdrawals == desktop.notices.count)
    }

    @Test("does not use the desktop before a sign-in begins, and gets no prompt slot there without room")
    func early() {
        terminal.canBeReached = false
        desktop.endOfWait = (1, .cancelled)
        let person = FallbackUI(terminal, else: desktop)
        #expect(person.wait(milliseconds: 0, until: nil) == .elapsed)
        person.say(.keptInMemory)
        #expect(desktop.waits.isEmpty && desktop.notices.isEmpty)
        desktop.hasRoom = false
        #expect(person.canBeReached && !person.acquirePromptSlot())
    }
}
