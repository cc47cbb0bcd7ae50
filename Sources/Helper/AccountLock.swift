package import CredentialCore

/// The lock of one account, under which its item is renewed, replaced or removed: what was read in the keyring is still
/// true when something is written there (rule 11 of the design: without it, no refresh token is spent or removed).
package struct AccountLock {
    private let dependencies: Dependencies

    /// How long its holder may keep others waiting, in milliseconds: one request of 30 seconds, one save of 10, and some.
    package static let longestWait: Int64 = 45_000

    package init(with dependencies: Dependencies) { self.dependencies = dependencies }

    /// Waits for the lock.
    package func acquire(_ username: [UInt8], on host: HostName) throws(LockError) -> any HeldLock {
        try dependencies.locks.acquire(.account(username, on: host), within: Self.longestWait) {
            if case .elapsed = dependencies.ui.wait(milliseconds: 0, until: nil) { true } else { false }
        }
    }
}
