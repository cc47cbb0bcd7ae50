import CredentialCore
import Foundation
import Helper
import Messages
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
    private let looked = Mutex(0)
    private let clock = MachineClock()

    /// A helper in a session.
    ///
    /// - Parameters:
    ///   - session: where the notification service is.
    ///   - address: where the bus listens; nil: the session's own.
    ///   - change: makes things take less time than usual.
    init(_ session: Session, onBus address: String? = nil, change: (inout NotificationLimits) -> Void = { _ in }) {
        var limits = NotificationLimits.forTests
        change(&limits)
        self.limits = limits
        self.address = address ?? session.environment["DBUS_SESSION_BUS_ADDRESS"]
    }

    /// What the buttons were used for so far.
    var used: [String] { uses.withLock { $0 } }

    /// How often it was looked whether to go on waiting: ten times a second or more.
    var looks: Int { looked.withLock { $0 } }

    /// Lets so much time pass at once.
    func pass(milliseconds: Int64) { clock.ahead.withLock { $0 += milliseconds } }

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
            onBus: address.flatMap { try? SessionBusAddress(parsing: $0) }, locks: FileLocks(), clock: clock,
            limits: limits,
            isCancelled: {
                self.looked.withLock { $0 += 1 }
                return false
            },
            isAbandoned: { false },
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

/// The machine's own, since the real service takes real time, or one that is ahead of it.
final class MachineClock: Helper.Clock, Sendable {
    private let clock = SystemClock()
    let ahead = Mutex<Int64>(0)

    var now: Int64 { clock.now }
    var uptimeMilliseconds: Int64 { clock.uptimeMilliseconds + ahead.withLock { $0 } }
}
