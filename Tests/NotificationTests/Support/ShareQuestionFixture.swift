import CredentialCore
import Helper
import Staging
import Synchronization
import System
import UserInterface

@testable import Share

/// The question whether a target may get a token, with a real notification service.
final class ShareQuestionFixture: Sendable {
    private let address: String?
    private let limits: NotificationLimits
    private let turns = Mutex(0)
    private let clock = MachineClock()

    init(_ session: Session?, change: (inout NotificationLimits) -> Void = { _ in }) {
        limits = .forTests(change)
        address = session?.environment["DBUS_SESSION_BUS_ADDRESS"]
    }

    var turnsWhileWaiting: Int { turns.withLock { $0 } }

    func pass(milliseconds: Int64) { clock.ahead.withLock { $0 += milliseconds } }

    /// Whether the desktop reports a locked screen; `nil` if unknown.
    func isLocked() async -> Bool? { await onThread { $0.isLocked } }

    func ask(kind: SharePlan.Kind = .directory, username: String = "octocat") async -> ShareRefusal? {
        guard let name = ShareName("box") else { return .notSignedIn }
        let plan = SharePlan(name: name, kind: kind, hosts: [], access: .token(isLongLived: false), confirmation: .once)
        let question = SharePrompt(plan: plan, host: "github.com", username: DisplayText(untrusted: username.utf8))
        return await onThread { screen in screen.ask(question) { self.turns.withLock { $0 += 1 } } }
    }

    private func onThread<Value: Sendable>(_ body: @escaping @Sendable (ShareNotification) -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            // A dedicated thread, since the question blocks while it waits for the person.
            Thread.detachNewThread { [address, limits, clock] in
                let bus = address.flatMap { try? SessionBusAddress(parsing: $0) }
                let screen = ShareNotification(
                    onBus: bus, systemBus: bus ?? SessionBusAddress(.path(Array("/nonexistent".utf8))),
                    locks: FileLocks(), clock: clock, limits: limits, isInterrupted: { false })
                continuation.resume(returning: body(screen))
            }
        }
    }
}
