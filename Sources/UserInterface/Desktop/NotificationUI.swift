package import CredentialCore
internal import Glibc
package import Helper
internal import Language
internal import Providers
package import System

/// The sign-in by a notification, for a git without a terminal, such as that of an IDE or a file manager.
///
/// All processes together show one notification at a time, and none for a while after the person has dismissed one or
/// left it unanswered. The bus is not used before a sign-in begins.
package final class NotificationUI: SignInUI {
    private let address: SessionBusAddress?
    private let locks: any Locks
    private let limits: NotificationLimits
    private let isCancelled: () -> Bool
    private let isAbandoned: () -> Bool
    /// Descriptors that become readable when `isCancelled`, or end when `isAbandoned`.
    private let (signals, answer): ([Int32], [Int32])
    private let findAids: () -> NotificationAids
    private let clock: any Clock
    private lazy var service = address.flatMap {
        NotificationService(onBus: $0, limits: limits, isInterrupted: { [isCancelled] in isCancelled() })
    }
    private lazy var command = AskingCommand.watched()

    private var promptLock: (any HeldLock)?
    private lazy var aids = findAids()
    private var question: (prompt: SignInPrompt, text: NotificationText)?
    /// 0 if no notification is on the screen.
    private var number: UInt32 = 0
    /// The button that was pressed last, in milliseconds of uptime.
    private var lastAction: (button: NotificationText.Button?, at: Int64)?
    /// Milliseconds of uptime at which the wait for the person ends.
    private var end: Int64?
    private var hasFailed = false

    /// Creates the interface without contacting the service; `aids` is called when there is something to show.
    package init(
        onBus address: SessionBusAddress?, locks: any Locks, clock: any Clock,
        limits: NotificationLimits = NotificationLimits(), signals: [Int32] = [], answer: [Int32] = [],
        isCancelled: @escaping () -> Bool, isAbandoned: @escaping () -> Bool, aids: @escaping () -> NotificationAids
    ) {
        self.address = address
        self.locks = locks
        self.clock = clock
        self.limits = limits
        self.isCancelled = isCancelled
        self.isAbandoned = isAbandoned
        (self.signals, self.answer) = (signals, answer)
        findAids = aids
    }

    package var hasTerminal: Bool { false }
    package var opensBrowser: Bool { aids.open != nil && service?.capabilities.contains("actions") == true }
    package var canBeReached: Bool { secondsOfSilence == nil && service != nil }

    package var secondsOfSilence: Int64? {
        let left = name.flatMap { locks.secondsSinceGivingUp($0) }.map { limits.silenceSeconds - $0 } ?? 0
        return left > 0 ? left : nil
    }

    package func acquirePromptSlot() -> Bool {
        guard let name else { return false }
        // The waits for the slot and for a code have limits of their own.
        end = .max
        promptLock = try? locks.acquire(name, within: limits.patienceMilliseconds) {
            wait(milliseconds: 0, until: nil) == .elapsed
        }
        // The person may just have dismissed the notification of the previous holder.
        return promptLock != nil && secondsOfSilence == nil
    }

    package func show(_ prompt: SignInPrompt) {
        guard let service else { return }
        // Looked up before anything is shown, because the command may end as soon as the prompt appears.
        _ = command
        let text = NotificationText(
            prompt, askedBy: prompt.isExplicit ? nil : AskingCommand.asker, in: AskingCommand.folder,
            capabilities: service.capabilities, aids: aids)
        // The person's time begins with the first code, and a renewed one does not prolong it.
        if question == nil { end = nil }
        question = (prompt, text)
        ask(text)
    }

    /// Keeps the notification until the outcome replaces or withdraws it.
    package func dismissPrompt() {}

    package func wait(milliseconds: Int64, until _: Int64?, watching descriptors: [Int32]) -> WaitOutcome {
        let now = clock.uptimeMilliseconds
        let wakeUp = now + milliseconds
        let end = self.end ?? now + limits.patienceMilliseconds
        self.end = end
        while true {
            if isCancelled() { return .cancelled }
            if isAbandoned() || command?.hasEnded == true { return .abandoned }
            while let event = service?.nextEvent() { if let end = take(event) { return end } }
            if hasFailed { return .unreachable }
            let now = clock.uptimeMilliseconds
            guard now < end else { return givenUp(.unanswered) }
            guard now < wakeUp else { return .elapsed }
            if !FileDescriptor.ready(reading: descriptors, within: 0).isEmpty { return .elapsed }
            // A second at most, so that the end of the git command is noticed.
            let pause = min(wakeUp - now, 1_000)
            if let service {
                service.wait(milliseconds: pause, reading: descriptors + signals, ending: answer)
            } else {
                _ = FileDescriptor.ready(reading: descriptors + signals, ending: answer, within: pause)
            }
        }
    }

    package func say(_ notice: Notice) {
        switch notice {
        case .signedIn(let account, let place):
            guard let service, promptLock != nil else { return }
            let text = NotificationText(signedInAs: account, place, capabilities: service.capabilities)
            _ = service.show(text, inPlaceOf: number, isEnd: true)
            number = 0
        case .redirectByHTTPS:
            question?.text.body = NotificationText.body(Language.text(notice.text()), service?.capabilities ?? [])
            if let question { ask(question.text) }
            TextOutput.report(notice.text())
        // An IDE shows standard error with git's messages.
        case .cancelled, .notGranted, .doesNotExpire, .endsForGood, .notShortLived, .strangerRefused, .keyringNotReady:
            TextOutput.report(notice.text())
        // Only a person at a terminal needs these.
        case .notTheAddress, .waitingForOtherSignIn, .waitingForKeyring, .signedOut, .rejected, .nothingMatched,
            .signInKept, .signInStays, .accountRenamed,
            .serverIsBusy, .signInEnded, .issuedElsewhere, .keptInMemory, .shareInstead:
            break
        }
    }

    package func withdraw() {
        if number != 0 { service?.close(number) }
        number = 0
        promptLock?.release()
        promptLock = nil
    }

    /// The lock for showing a notification, whose mark also keeps further ones away.
    private var name: LockName? { address.map { LockName.notification(onBus: $0.text) } }

    private func ask(_ text: NotificationText) {
        guard let shown = service?.show(text, inPlaceOf: number), shown != 0 else {
            hasFailed = true
            return
        }
        number = shown
    }

    /// `nil` if the wait goes on.
    private func take(_ event: NotificationSignals.Event) -> WaitOutcome? {
        switch event {
        case .action(number, let key):
            let button = NotificationText.Button(rawValue: key)
            // One press may come as two signals, but not as those of both buttons.
            let isOther = button != .notification && (button == .copy) != (lastAction?.button == .copy)
            if !isAfterAction || isOther, let approval = question?.prompt.approval {
                switch button {
                case .notification, .open: aids.open?(approval.address)
                case .copy: approval.userCode.map { aids.copy?($0) }
                case .allow, .deny, nil: break
                }
            }
            lastAction = (button, clock.uptimeMilliseconds)
        case .closed(number, let reason):
            number = 0
            // Many services close a notification when its button is pressed, but the code must stay readable.
            if isAfterAction, let question, question.prompt.approval.userCode != nil { ask(question.text) }
            // A press makes the notification needless; without one, the person does not want to sign in.
            if reason == 2, lastAction == nil { return givenUp(.cancelled) }
        default: break
        }
        return nil
    }

    private var isAfterAction: Bool {
        lastAction.map { clock.uptimeMilliseconds - $0.at < limits.afterActionMilliseconds } ?? false
    }

    /// Starts the time without notifications, if the person was asked.
    private func givenUp(_ end: WaitOutcome) -> WaitOutcome {
        if question != nil { promptLock?.giveUp() }
        return end
    }
}

/// The actions of buttons, which return at once; `nil` if there is no program for one.
package struct NotificationAids {
    package var open: ((HTTPSAddress) -> Void)?
    package var copy: ((String) -> Void)?

    package init(open: ((HTTPSAddress) -> Void)?, copy: ((String) -> Void)?) {
        self.open = open
        self.copy = copy
    }

    package init(_ settings: ScreenSettings, in session: DesktopSession, clock: any Clock) {
        open = session.canOpen(settings.browser) ? { _ = Browser.open($0, with: settings.browser, in: session) } : nil
        // A button promises more than a key, so the program must exist.
        let programs = Clipboard.commands(in: session).compactMap(\.first)
        guard programs.contains(where: { ProgramSearch.find($0) != nil }) else { return }
        copy = { _ = Clipboard(copying: $0, in: session, now: clock.uptimeMilliseconds) }
    }
}
