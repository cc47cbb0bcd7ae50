package import CredentialCore
package import Helper
package import System

/// Asks, by a notification, whether a place may have a token.
///
/// It can be answered with buttons alone: where a service has none, nobody can say yes. No other notification of this
/// kind is there at the same time, whichever place it is for.
package final class ShareNotification: ShareScreen {
    private let address: SessionBusAddress?
    private let lock: ScreenLock
    private let locks: any Locks
    private let clock: any Clock
    private let limits: NotificationLimits
    private let isInterrupted: () -> Bool

    /// - Parameters:
    ///   - address: where the session bus listens; nil if there is none.
    ///   - systemBus: where the system's bus listens, on which logind is.
    ///   - locks: those of the machine.
    ///   - clock: the time.
    ///   - limits: how long things may take.
    ///   - isInterrupted: whether we were told to end.
    package init(
        onBus address: SessionBusAddress?, systemBus: SessionBusAddress = ScreenLock.systemBus, locks: any Locks,
        clock: any Clock, limits: NotificationLimits = NotificationLimits(), isInterrupted: @escaping () -> Bool
    ) {
        self.address = address
        self.locks = locks
        self.clock = clock
        self.limits = limits
        self.isInterrupted = isInterrupted
        lock = ScreenLock(onBus: address, systemBus: systemBus, isInterrupted: isInterrupted)
    }

    package var isLocked: Bool? { lock.isLocked }

    package func ask(_ question: ShareQuestion, whileWaiting: () -> Void) -> ShareRefusal? {
        let end = clock.uptimeMilliseconds + limits.questionMilliseconds
        // A service that was not there this morning may be there now.
        guard let address,
            let service = NotificationService(onBus: address, limits: limits, isInterrupted: isInterrupted),
            service.capabilities.contains("actions")
        else { return .nobodyToAsk }
        let room: any HeldLock
        do {
            room = try locks.acquire(
                .shareQuestion(onBus: address.text), within: end - clock.uptimeMilliseconds,
                whileWaiting: {
                    whileWaiting()
                    return !isInterrupted()
                })
        } catch {
            return error == .impossible ? .nobodyToAsk : .unanswered
        }
        defer { room.release() }
        let text = NotificationText(question, capabilities: service.capabilities)
        guard let number = service.ask(text, inPlaceOf: 0), number != 0 else { return .nobodyToAsk }
        let answer = wait(for: number, of: service, until: end, whileWaiting)
        service.close(number)
        // Nobody has seen what was shown behind a locked screen, or somebody has pressed it there.
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
                // The notification itself was pressed, or it is another one's.
                default: break
                }
            }
            whileWaiting()
            service.wait(milliseconds: 100)
        }
        return .unanswered
    }
}
