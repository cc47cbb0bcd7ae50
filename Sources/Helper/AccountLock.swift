package import CredentialCore

/// The lock under which an account's item is refreshed, replaced or removed.
///
/// What was read from the keyring is still true when something is written there. Without the lock, no refresh
/// token is used or removed.
package struct AccountLock {
    private let dependencies: Dependencies

    /// How long the holder may keep others waiting, in milliseconds: a request of 30 seconds, a save of 10, and some
    /// reserve.
    package static let longestWait: Int64 = 45_000

    package init(with dependencies: Dependencies) { self.dependencies = dependencies }

    /// `isInterruptible` is false for who holds a token that exists nowhere else yet.
    ///
    /// - Throws: `LockError`, after 45 seconds at most.
    package func acquire(
        _ username: [UInt8], on host: HostName, isInterruptible: Bool = true
    ) throws(LockError) -> any HeldLock {
        try dependencies.locks.acquire(.account(username, on: host), within: Self.longestWait) {
            guard isInterruptible else { return true }
            if case .elapsed = dependencies.ui.wait(milliseconds: 0, until: nil) { return true }
            return false
        }
    }
}
