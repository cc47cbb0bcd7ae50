package import CredentialCore
internal import Helper

/// A keyring that can be opened by a password which somebody types here, and not into a prompt of its own.
package protocol KeyringUnlocking: KeyringInspection {
    /// Opens the collection that new items go to.
    ///
    /// - Returns: whether it is open now; false for a wrong password.
    func unlockCollection(with password: Secret) throws(KeyringError) -> Bool

    /// Makes a default collection, which is open until the keyring's program ends or locks it.
    func createCollection(with password: Secret) throws(KeyringError)
}
