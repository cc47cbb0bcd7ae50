import CredentialCore
import Foundation
import Helper
import Staging
import Synchronization
import System
import TestSupport
import UserInterface

/// The helper in front of a real notification service: its network, keyring and clock are doubles.
final class NotificationFixture: Sendable {
    /// What has come of it.
    struct End: Sendable {
        /// What git would read.
        let output: String
        /// What people were told.
        let failures: [UserFacingError]
    }

    /// Where the person approves.
    let provider = PatientProvider()
    private let address: String?
    private let limits: NotificationLimits
    private let uses = Mutex<[String]>([])

    /// A helper in a session.
    ///
    /// - Parameters:
    ///   - session: where the notification service is.
    ///   - address: where the bus listens; nil: the session's own.
    ///   - change: makes things take less time than usual.
    init(_ session: Session, onBus address: String? = nil, change: (inout NotificationLimits) -> Void = { _ in }) {
        var limits = NotificationLimits()
        change(&limits)
        self.limits = limits
        self.address = address ?? session.environment["DBUS_SESSION_BUS_ADDRESS"]
    }

    /// What the buttons were used for so far.
    var used: [String] { uses.withLock { $0 } }

    /// Lets git ask for a credential of github.com.
    func get() async throws -> End {
        try await withCheckedThrowingContinuation { continuation in
            // On a thread of its own: the person is waited for without giving way to the tests.
            Thread.detachNewThread { continuation.resume(with: Result { try self.answer() }) }
        }
    }

    private func answer() throws -> End {
        let doubles = Doubles()
        var dependencies = Dependencies.forTests(doubles)
        dependencies.transport = { _ in self.provider }
        dependencies.ui = NotificationUI(
            onBus: address.map { SessionBusAddress($0) }, locks: FileLocks(), clock: MachineClock(), limits: limits,
            isCancelled: { false }, isAbandoned: { false },
            aids: {
                NotificationAids(
                    open: { page in self.uses.withLock { $0.append("open " + page.text) } },
                    copy: { code in self.uses.withLock { $0.append("copy " + code) } })
            })
        let request = try Request("protocol=https\nhost=github.com")
        let output = CredentialHelper(with: dependencies).answer(.get, request).encoded(for: request).text
        return End(output: output, failures: doubles.errors)
    }
}

/// The machine's own: the real service takes real time.
private struct MachineClock: Helper.Clock {
    private let clock = SystemClock()

    var now: Int64 { clock.now }
    var uptimeMilliseconds: Int64 { clock.uptimeMilliseconds }
}
