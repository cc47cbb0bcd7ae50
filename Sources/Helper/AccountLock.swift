package import CredentialCore

/// The lock under which an account's item is refreshed, replaced or removed.
///
/// Under it, the item in the keyring does not change between reading and writing. Without the lock, no refresh token is
/// used or removed.
package struct AccountLock {
    private let dependencies: Dependencies

    /// The longest wait for the lock in milliseconds: a request of 30 seconds, a save of 10, and some reserve.
    package static let longestWait: Int64 = 45_000

    package init(with dependencies: Dependencies) { self.dependencies = dependencies }

    /// Waits for the lock.
    ///
    /// `isInterruptible` is false for a caller with a token that exists nowhere else yet.
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
