package import CredentialCore
internal import Glibc
package import Helper
internal import Language
internal import Providers
package import System

package final class TerminalUI: SignInUI {
    private let streams: StandardStreams
    private let signals: SignalWatch
    private let clock: any Clock
    private let settings: () -> ScreenSettings
    /// Opened when there is first something to show; `nil` without a terminal.
    private lazy var screen = Screen(style: { [settings] in ScreenStyle(settings()) { Environment[$0] } })
    /// Looked up when first needed; `nil` if unknown.
    private lazy var command = AskingCommand.watched()
    private var shown: ShownPrompt?
    private var mayHaveLine = false

    /// Creates the interface without opening the terminal; reading `settings` takes time, and waits for something to
    /// show.
    package init(
        streams: StandardStreams, signals: SignalWatch, clock: any Clock, settings: @escaping () -> ScreenSettings
    ) {
        self.streams = streams
        self.signals = signals
        self.clock = clock
        self.settings = settings
    }

    package var canBeReached: Bool { screen != nil }

    package var hasTerminal: Bool { screen != nil }

    package var opensBrowser: Bool { screen != nil && DesktopSession.here.opensByItself(settings().browser) }

    package func show(_ prompt: SignInPrompt) {
        guard let screen else { return }
        dismissPrompt()
        screen.replaceLine()
        // Looked up before anything is shown, because the command may end as soon as the prompt appears.
        _ = command
        let asker = prompt.isRenewal || prompt.isExplicit ? nil : AskingCommand.asker
        mayHaveLine = true
        shown = ShownPrompt(prompt, askedBy: asker, settings(), on: screen, signals, clock)
    }

    package func takePasted() -> Secret? { shown?.pasted }

    package func dismissPrompt() {
        shown?.dismiss()
        shown = nil
    }

    package func wait(milliseconds: Int64, until end: Int64?, watching descriptors: [Int32]) -> WaitOutcome {
        let wakeUp = clock.uptimeMilliseconds + milliseconds
        while true {
            // The same Ctrl-C may have ended git.
            let isAbandoned = streams.isAbandoned || command?.hasEnded == true
            if signals.look() { return .cancelled }
            if isAbandoned { return .abandoned }
            if let end = shown?.attend() { return end }
            let now = clock.uptimeMilliseconds
            guard wakeUp > now else { return .elapsed }
            if sleep(milliseconds: min(wakeUp, shown?.nextLook ?? wakeUp) - now, watching: descriptors) {
                return .elapsed
            }
        }
    }

    /// Sleeps a second at most, so that the time left stays correct, and the end of the git command is noticed.
    ///
    /// - Returns: whether one of the watched descriptors has become readable.
    private func sleep(milliseconds: Int64, watching watched: [Int32]) -> Bool {
        FileDescriptor.ready(
            reading: [signals.number] + [shown?.keyDescriptor].compactMap(\.self) + watched,
            ending: [streams.answerDescriptor], within: max(1, min(milliseconds, 1_000))
        ).contains(where: watched.contains)
    }

    package func say(_ notice: Notice) {
        mayHaveLine = false
        // git's own tests compare standard error: without a terminal, nothing is written.
        guard let screen else { return }
        // The process that signs in has its waiting line open on the same terminal, and rewrites it within a minute.
        if case .waitingForOtherSignIn = notice { screen.takeOverLine() }
        screen.replaceLine(with: SignInScreen.lines(notice, screen.form))
    }

    /// Clears the waiting line, which the next text on standard error must not follow.
    package func clearLine() {
        guard mayHaveLine else { return }
        mayHaveLine = false
        screen?.replaceLine()
    }
}
