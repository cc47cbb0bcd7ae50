package import CredentialCore
package import Helper
package import Share
package import System

/// The question of a share as a notification, one at a time for all targets.
///
/// Only buttons can answer it, so a service without buttons never leads to an approval.
package final class ShareNotification: ShareScreen {
    private let address: SessionBusAddress?
    private let lock: ScreenLock
    private let locks: any Locks
    private let clock: any Clock
    private let limits: NotificationLimits
    private let isInterrupted: () -> Bool

    /// `address` is `nil` without a session bus.
    package init(
        onBus address: SessionBusAddress?, systemBus: SessionBusAddress = ScreenLock.systemBus, locks: any Locks,
        clock: any Clock, limits: NotificationLimits = NotificationLimits(), isInterrupted: @escaping () -> Bool
    ) {
        self.address = address
        self.locks = locks
        self.clock = clock
        self.limits = limits
        self.isInterrupted = isInterrupted
        lock = ScreenLock(
            address: address, systemBus: systemBus, patience: limits.lockMilliseconds, isInterrupted: isInterrupted)
    }

    package var isLocked: Bool? { lock.isLocked }

    package var canAsk: Bool { service != nil }

    /// The service, if it has buttons; looked up each time, since it may have been started meanwhile.
    private var service: NotificationService? {
        address.flatMap { NotificationService(onBus: $0, limits: limits, isInterrupted: isInterrupted) }
            .flatMap { $0.capabilities.contains("actions") ? $0 : nil }
    }

    package func ask(_ question: SharePrompt, whileWaiting: () -> Void) -> ShareRefusal? {
        let end = clock.uptimeMilliseconds + limits.questionMilliseconds
        guard let address, let service else { return .nobodyToAsk }
        let promptLock: any HeldLock
        do {
            promptLock = try locks.acquire(
                .shareQuestion(onBus: address.text), within: end - clock.uptimeMilliseconds,
                whileWaiting: {
                    whileWaiting()
                    return !isInterrupted()
                })
        } catch {
            return error.isForGood ? .nobodyToAsk : .unanswered
        }
        defer { promptLock.release() }
        let text = NotificationText(question, capabilities: service.capabilities)
        guard let number = service.ask(text, inPlaceOf: 0), number != 0 else { return .nobodyToAsk }
        let answer = wait(for: number, of: service, until: end, whileWaiting)
        service.close(number)
        // On a locked screen, the person has not seen the question, or someone else may have pressed the button.
        return answer == nil && isLocked == true ? .locked : answer
    }

    private func wait(
        for number: UInt32, of service: NotificationService, until end: Int64, _ whileWaiting: () -> Void
    ) -> ShareRefusal? {
        while clock.uptimeMilliseconds < end, !isInterrupted() {
            while let event = service.nextEvent() {
                switch event {
                case .action(number, key: NotificationText.Button.allow.rawValue): return nil
                case .action(number, key: NotificationText.Button.deny.rawValue), .closed(number, reason: 2):
                    return .denied
                case .closed(number, reason: _): return .unanswered
                // The notification itself was pressed, or the event is about another one.
                default: break
                }
            }
            whileWaiting()
            service.wait(milliseconds: 100)
        }
        return .unanswered
    }
}
