package import CredentialCore

/// The terminal, or else the desktop.
package final class FallbackUI: SignInUI {
    private let terminal: any SignInUI
    private let desktop: any SignInUI
    /// The chosen interface: the terminal until the desktop is needed, because asking the desktop is expensive.
    private var found: any SignInUI

    /// Creates the interface, which is chosen when a sign-in would begin.
    package init(_ terminal: any SignInUI, else desktop: any SignInUI) {
        self.terminal = terminal
        self.desktop = desktop
        found = terminal
    }

    package var hasTerminal: Bool { terminal.hasTerminal }

    package var canBeReached: Bool {
        guard !terminal.canBeReached else { return true }
        guard desktop.canBeReached else { return false }
        found = desktop
        return true
    }

    package var secondsOfSilence: Int64? { terminal.canBeReached ? nil : desktop.secondsOfSilence }

    package var opensBrowser: Bool { found.opensBrowser }

    package func acquirePromptSlot() -> Bool { found.acquirePromptSlot() }

    package func show(_ prompt: SignInPrompt) { found.show(prompt) }

    package func dismissPrompt() { found.dismissPrompt() }

    package func wait(milliseconds: Int64, until end: Int64?, watching descriptors: [Int32]) -> WaitOutcome {
        found.wait(milliseconds: milliseconds, until: end, watching: descriptors)
    }

    package func takePasted() -> Secret? { found.takePasted() }

    package func say(_ notice: Notice) { found.say(notice) }

    package func withdraw() { found.withdraw() }
}
