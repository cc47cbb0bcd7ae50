package import CredentialCore
internal import GLibSupport
package import Helper
package import Share
package import System

/// The question of a share as a notification, one at a time for all targets.
///
/// Only buttons can answer it, so a service without buttons never leads to an approval.
package final class ShareNotification: ShareScreen {
    private let address: SessionBusAddress?
    private let systemBus: SessionBusAddress
    private let locks: any Locks
    private let clock: any Clock
    private let limits: NotificationLimits
    private let isInterrupted: () -> Bool

    /// `address` is `nil` without a session bus.
    package init(
        onBus address: SessionBusAddress?, systemBus: SessionBusAddress = ShareNotification.systemBus, locks: any Locks,
        clock: any Clock, limits: NotificationLimits = NotificationLimits(), isInterrupted: @escaping () -> Bool
    ) {
        self.address = address
        self.locks = locks
        self.clock = clock
        self.limits = limits
        self.isInterrupted = isInterrupted
        self.systemBus = systemBus
    }

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
        guard let number = service.show(text, inPlaceOf: 0), number != 0 else { return .nobodyToAsk }
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

    // The lock of the screen; each query opens its own connections, since a bus may be replaced while a share runs.

    /// The desktop's screen savers, whose interfaces have their services' names; GNOME's shared one lacks `GetActive`.
    private static let savers = [
        (name: "org.freedesktop.ScreenSaver", path: "/org/freedesktop/ScreenSaver"),
        (name: "org.gnome.ScreenSaver", path: "/org/gnome/ScreenSaver"),
    ]

    private var patience: Int64 { limits.lockMilliseconds }

    package static let systemBus = SessionBusAddress(.path(Array("/run/dbus/system_bus_socket".utf8)))

    /// Whether any service reports a lock, or `nil` if none answers.
    ///
    /// A compositor without a screen saver service reports its lock only to logind, or to none.
    package var isLocked: Bool? {
        let answers = (Self.savers.map { saverIsActive($0.name, $0.path) } + [sessionIsLocked]).compactMap(\.self)
        return answers.isEmpty ? nil : answers.contains(true)
    }

    private func saverIsActive(_ name: String, _ path: String) -> Bool? {
        address.flatMap { address in
            BusService(name, at: path, on: address, within: patience, unless: isInterrupted)?
                .call("GetActive", answer: "(b)", within: patience, startsService: false, unless: isInterrupted)?
                .member(0)?.boolean
        }
    }

    /// logind's hint, which the desktop sets (org.freedesktop.login1(5), "LockedHint").
    ///
    /// A user service belongs to no session; `auto` then means the one with the display.
    private var sessionIsLocked: Bool? {
        BusService(
            "org.freedesktop.login1", at: "/org/freedesktop/login1/session/auto",
            interface: "org.freedesktop.DBus.Properties", on: systemBus, within: patience, unless: isInterrupted)?.call(
                "Get", [.string("org.freedesktop.login1.Session"), .string("LockedHint")], answer: "(v)",
                within: patience, startsService: false, unless: isInterrupted)?.member(0)?.member(0)?.boolean
    }
}
