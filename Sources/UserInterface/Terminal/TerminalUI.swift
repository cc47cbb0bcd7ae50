internal import CredentialCore
internal import Glibc
package import Helper
internal import Messages
internal import OAuth
package import System

/// The person at the terminal: what they see while they sign in, and how they cancel.
package final class TerminalUI: SignInUI {
    private let streams: StandardStreams
    private let signals: SignalWatch
    private let clock: any Clock
    private let settings: () -> ScreenSettings
    /// Opened when there is first something to say; nil if there is nowhere to say it.
    private lazy var screen = Screen(style: { [settings] in ScreenStyle(settings()) { Environment[$0] } })
    /// The git command that asks, found when there is first something to wait for; nil if that cannot be found out.
    private lazy var command = AskingCommand.watched()
    /// What is waited for; nil if there is nothing that a person could approve.
    private var shown: ShownPrompt?
    /// Whether a waiting line of ours may stand.
    private var mayHaveLine = false

    /// The person, as far as the process can reach one.
    ///
    /// - Parameters:
    ///   - streams: where git reads.
    ///   - signals: what asks us to end, or to stop.
    ///   - clock: the time.
    ///   - settings: what the person has configured; asked for when something is to be shown, since it has its price.
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

    package func show(_ prompt: SignInPrompt) {
        guard let screen else { return }
        dismissPrompt()
        screen.replaceLine()
        // Looked for before anything is shown: a command that ends at the sight of it must be known by then.
        _ = command
        let asker = prompt.isRenewal || prompt.isExplicit ? nil : AskingCommand.asker
        mayHaveLine = true
        shown = ShownPrompt(prompt, askedBy: asker, settings(), on: screen, signals, clock)
    }

    package func dismissPrompt() {
        shown?.dismiss()
        shown = nil
    }

    package func wait(milliseconds: Int64, until end: Int64?) -> WaitOutcome {
        let wakeUp = clock.uptimeMilliseconds + milliseconds
        while true {
            if signals.look() { return .cancelled }
            if streams.isAbandoned || command?.hasEnded == true { return .abandoned }
            if let shown, !shown.attend() { return .cancelled }
            let now = clock.uptimeMilliseconds
            guard wakeUp > now else { return .elapsed }
            sleep(milliseconds: min(wakeUp, shown?.nextLook ?? wakeUp) - now)
        }
    }

    /// Sleeps until something happens.
    ///
    /// Signals, keys and the end of whoever reads our answer wake us at once; a second at most, so that the time left
    /// stays true, and the end of the command above is noticed.
    private func sleep(milliseconds: Int64) {
        var descriptors = [
            pollfd(fd: streams.answerDescriptor, events: 0, revents: 0),
            pollfd(fd: signals.number, events: Int16(POLLIN), revents: 0),
            // poll(2) passes over a negative one.
            pollfd(fd: shown?.keyDescriptor ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        poll(&descriptors, nfds_t(descriptors.count), Int32(max(1, min(milliseconds, 1_000))))
    }

    package func say(_ notice: Notice) {
        mayHaveLine = false
        // What git's own tests compare is the standard error of a quiet run: without a person, nothing is said.
        guard let screen else { return }
        // Whoever signs in has a waiting line open on the same terminal, and renews it within a minute.
        if case .waitingForOtherSignIn = notice { screen.takeOverLine() }
        screen.replaceLine(with: SignInScreen.lines(notice, screen.form))
    }

    /// Takes away the waiting line, so that nothing that is written to standard error next stands behind it.
    package func makeWay() {
        guard mayHaveLine else { return }
        mayHaveLine = false
        screen?.replaceLine()
    }
}
