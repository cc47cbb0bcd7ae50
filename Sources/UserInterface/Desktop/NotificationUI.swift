package import CredentialCore
internal import Glibc
package import Helper
internal import Messages
internal import OAuth
package import System

/// The person at the desktop, for a git that has no terminal: an IDE's, a file manager's.
///
/// They are shown one notification at a time, whoever asks, and none for a while after they have sent one away or left
/// one unanswered. The bus is not touched before a sign-in would begin.
package final class NotificationUI: SignInUI {
    private let address: SessionBusAddress?
    private let locks: any Locks
    private let limits: NotificationLimits
    private let isCancelled: () -> Bool
    private let isAbandoned: () -> Bool
    private let findAids: () -> NotificationAids
    private let clock: any Clock
    private lazy var service = address.flatMap {
        NotificationService(onBus: $0, limits: limits, isInterrupted: { [isCancelled] in isCancelled() })
    }
    /// The git command that asks, found when there is first something to wait for; nil if that cannot be found out.
    private lazy var command = AskingCommand.watched()

    /// The right to show one, as long as the sign-in runs.
    private var room: (any HeldLock)?
    /// What the buttons do, found when there is first something to show.
    private lazy var aids = findAids()
    /// What is asked.
    private var question: (prompt: SignInPrompt, text: NotificationText)?
    /// The notification on the screen; 0 if none is.
    private var number: UInt32 = 0
    /// When a button was last pressed, in milliseconds of uptime.
    private var lastAction: Int64?
    /// When nobody is waited for any longer, in milliseconds of uptime.
    private var end: Int64?
    /// Whether a notification could not be shown.
    private var hasFailed = false

    /// The person, as far as the session's notification service can reach one.
    ///
    /// - Parameters:
    ///   - address: where the session bus listens; nil if there is none.
    ///   - locks: those of the machine.
    ///   - clock: the time.
    ///   - limits: how long things may take.
    ///   - isCancelled: whether we were told to end.
    ///   - isAbandoned: whether nobody reads our answer any more.
    ///   - aids: what the buttons do; asked for when there is something to show.
    package init(
        onBus address: SessionBusAddress?, locks: any Locks, clock: any Clock,
        limits: NotificationLimits = NotificationLimits(),
        isCancelled: @escaping () -> Bool, isAbandoned: @escaping () -> Bool,
        aids: @escaping () -> NotificationAids
    ) {
        self.address = address
        self.locks = locks
        self.clock = clock
        self.limits = limits
        self.isCancelled = isCancelled
        self.isAbandoned = isAbandoned
        findAids = aids
    }

    package var hasTerminal: Bool { false }

    package var canBeReached: Bool { !isLeftInPeace && service != nil }

    package func acquirePromptSlot() -> Bool {
        guard let name else { return false }
        do {
            room = try locks.acquire(name, within: limits.patienceMilliseconds) {
                wait(milliseconds: 0, until: nil) == .elapsed
            }
        } catch {
            return false
        }
        // Whoever had the room before us may just have been sent away.
        return !isLeftInPeace
    }

    package func show(_ prompt: SignInPrompt) {
        guard let service else { return }
        // Looked for before anything is shown: a command that ends at the sight of it must be known by then.
        _ = command
        let text = NotificationText(
            prompt, askedBy: prompt.isExplicit ? nil : AskingCommand.asker, in: AskingCommand.folder,
            capabilities: service.capabilities, aids: aids)
        question = (prompt, text)
        ask(text)
    }

    /// What was shown stays until the end is known: it is replaced then, or withdrawn.
    package func dismissPrompt() {}

    package func wait(milliseconds: Int64, until _: Int64?) -> WaitOutcome {
        let now = clock.uptimeMilliseconds
        let wakeUp = now + milliseconds
        let end = self.end ?? now + limits.patienceMilliseconds
        self.end = end
        while true {
            if isCancelled() { return .cancelled }
            if isAbandoned() || command?.hasEnded == true { return .abandoned }
            while let event = service?.nextEvent() { if let end = take(event) { return end } }
            if hasFailed { return givenUp(.unreachable) }
            let now = clock.uptimeMilliseconds
            guard now < end else { return givenUp(.unanswered) }
            guard now < wakeUp else { return .elapsed }
            // A tenth of a second at most, so that the end of git is noticed.
            let pause = min(wakeUp - now, 100)
            if let service { service.wait(milliseconds: pause) } else { SystemClock.pause(milliseconds: pause) }
        }
    }

    package func say(_ notice: Notice) {
        switch notice {
        case .signedIn(let account, let place):
            guard let service, room != nil else { return }
            service.tell(
                NotificationText(signedInAs: account, place, capabilities: service.capabilities), inPlaceOf: number)
            number = 0
        case .cancelled, .notGranted: report(notice.text())
        // Nobody sees them who is not at a terminal.
        case .waitingForOtherSignIn, .waitingForKeyring, .signedOut, .nothingMatched, .signInKept, .keptInMemory: break
        }
    }

    package func withdraw() {
        if number != 0 { service?.close(number) }
        number = 0
        room?.release()
        room = nil
    }
}

extension NotificationUI {
    /// The name of the lock under which one notification is shown, and of the mark that keeps others away.
    private var name: LockName? { address.map { LockName.notification(onBus: $0.text) } }

    /// Whether the person has sent a notification away, or left one unanswered, a short while ago.
    private var isLeftInPeace: Bool {
        guard let name, let seconds = locks.secondsSinceGivingUp(name) else { return false }
        return seconds < limits.silenceSeconds
    }

    private func ask(_ text: NotificationText) {
        guard let shown = service?.ask(text, inPlaceOf: number), shown != 0 else {
            hasFailed = true
            return
        }
        number = shown
    }

    /// Acts on what has happened to the notification.
    ///
    /// - Returns: how the wait ends; nil if it goes on.
    private func take(_ event: NotificationSignals.Event) -> WaitOutcome? {
        switch event {
        case .action(number, let key):
            // One press may come as two signals.
            if !isAfterAction { press(key) }
            lastAction = clock.uptimeMilliseconds
        case .closed(number, let reason):
            number = 0
            // Many services take a notification away when its button is pressed; but the code has yet to be read.
            if isAfterAction, let question { ask(question.text) }
            // Whoever has opened the page and read the code has no more use for it; who has not, wants no sign-in.
            if reason == 2, lastAction == nil { return givenUp(.cancelled) }
        default: break
        }
        return nil
    }

    private func press(_ key: String) {
        guard let authorization = question?.prompt.authorization else { return }
        switch NotificationText.Button(rawValue: key) {
        case .notification, .open: aids.open?(authorization.verificationURI)
        case .copy: aids.copy?(authorization.userCode)
        case .allow, .deny, nil: break
        }
    }

    private var isAfterAction: Bool {
        lastAction.map { clock.uptimeMilliseconds - $0 < limits.afterActionMilliseconds } ?? false
    }

    /// Leaves the person in peace from now on, if they were asked.
    private func givenUp(_ end: WaitOutcome) -> WaitOutcome {
        if question != nil { room?.giveUp() }
        return end
    }

    /// Says something where an IDE keeps what git has said.
    private func report(_ message: Message) {
        for line in TextOutput.lines(message, to: STDERR_FILENO) { StandardStreams.report(line + "\n") }
    }
}
