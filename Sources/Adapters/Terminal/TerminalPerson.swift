internal import Callers
internal import Glibc
package import Helper
package import Machine
internal import OAuth

/// The person at the terminal: what they see while they sign in, and how they cancel.
package final class TerminalPerson: Person {
    private let streams: StandardStreams
    private let signals: SignalWatch
    private let clock = SystemClock()
    /// Opened when there is first something to say; nil if there is nowhere to say it.
    private lazy var screen = Screen()
    /// The git command that asks, found when there is first something to wait for; nil if that cannot be found out.
    private lazy var command = AskingCommand.watched()
    /// When the waiting line changes next, in seconds left; nil while none stands.
    private var nextChange: Int64?

    /// The person, as far as the process can reach one.
    package init(streams: StandardStreams, signals: SignalWatch) {
        self.streams = streams
        self.signals = signals
    }

    package var canBeReached: Bool { screen != nil }

    package func show(_ prompt: SignInPrompt) {
        screen?.replaceLine(with: nil)
        // Looked for before anything is shown: a command that ends at the sight of it must be known by then.
        _ = command
        let description = prompt.isRenewal ? nil : AskingCommand.description(home: Environment["HOME"])
        // In one write: what another git says meanwhile must not stand between "enter this code" and the code.
        screen?.write(SignInScreen.block(prompt, askedBy: description).joined(separator: "\n"))
        nextChange = .max
        showTimeLeft(until: prompt.end)
    }

    package func wait(milliseconds: Int64, until end: Int64?) -> WaitEnd {
        let wakeUp = clock.uptimeMilliseconds + milliseconds
        while true {
            if signals.look() { return .cancelled }
            if streams.isAbandoned || command?.hasEnded == true { return .abandoned }
            if let end { showTimeLeft(until: end) }
            let left = wakeUp - clock.uptimeMilliseconds
            guard left > 0 else { return .elapsed }
            // Signals and the end of whoever reads our answer wake us at once; a second at most, so that the time left
            // stays true, and the end of the command above is noticed.
            var descriptors = [
                pollfd(fd: streams.answerDescriptor, events: 0, revents: 0),
                pollfd(fd: signals.number, events: Int16(POLLIN), revents: 0),
            ]
            poll(&descriptors, nfds_t(descriptors.count), Int32(min(left, 1_000)))
        }
    }

    package func say(_ notice: Notice) {
        // What git's own tests compare is the standard error of a quiet run: without a person, nothing is said.
        nextChange = nil
        // Whoever signs in has a waiting line open on the same terminal, and renews it within a minute.
        if notice == .waitingForOtherSignIn { screen?.takeOverLine() }
        screen?.replaceLine(with: SignInScreen.line(notice))
    }

    /// Takes away the waiting line, so that nothing that is written to standard error next stands behind it.
    package func makeWay() {
        guard nextChange != nil else { return }
        nextChange = nil
        screen?.replaceLine(with: nil)
    }

    private func showTimeLeft(until end: Int64) {
        let seconds = (end - clock.uptimeMilliseconds + 999) / 1_000
        guard let nextChange, seconds <= nextChange else { return }
        self.nextChange = SignInScreen.nextChange(before: seconds)
        screen?.rewriteLine(SignInScreen.waiting(seconds: seconds))
    }
}
