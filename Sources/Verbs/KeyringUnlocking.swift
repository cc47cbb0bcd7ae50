package import CredentialCore
internal import Helper

/// A keyring that can be unlocked with a password typed here, and not in its own prompt.
package protocol KeyringUnlocking: KeyringInspection {
    /// Unlocks the collection that new items go to.
    ///
    /// - Returns: whether it is unlocked now; false for a wrong password.
    func unlockCollection(with password: Secret) throws(KeyringError) -> Bool

    /// Makes a default collection, unlocked until the keyring's program ends or locks it.
    func createCollection(with password: Secret) throws(KeyringError)
}
