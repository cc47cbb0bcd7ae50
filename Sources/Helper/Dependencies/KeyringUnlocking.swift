package import CredentialCore

/// The step-by-step inspection of the keyring's service, without unlocking, prompting or changing anything.
///
/// Each call ends within the keyring's time limit; after a timeout, the next ones fail at once.
package protocol KeyringInspection: AnyObject {
    func checkBus() throws(KeyringError)

    /// Finds the service, which the bus may have to start.
    ///
    /// - Returns: the name of the program that offers it, of letters and the like only, or `nil` if unknown.
    func provider() throws(KeyringError) -> String?

    /// The program that offers the service, found without a call to the keyring, which may hang.
    var offeringProgram: KeyringProgram { get }
    /// The names of locked collections beside an open one, for the words of an error.
    var namesOfLocked: [DisplayText] { get }

    /// Returns the locked ones among the selected collections.
    ///
    /// - Throws: for new items, `.noCollection` or `.noSuchCollection` if they have no place.
    func locked(_ selection: CollectionSelection) throws(KeyringError) -> [LockedCollection]
}

/// A keyring whose collections can be unlocked or created one by one.
package protocol KeyringUnlocking: KeyringInspection {
    /// Unlocks a collection with its password, without a prompt of the keyring's own.
    ///
    /// - Returns: whether it is unlocked now; false for a wrong password.
    func unlock(_ collection: LockedCollection, with password: Secret) throws(KeyringError) -> Bool

    /// - Throws: `.locked` if no prompt can be shown, `.dismissed` if a person closed it.
    func unlock(_ collection: LockedCollection) throws(KeyringError)
    /// Returns the items that are no longer locked, or throws `.locked` if all still are.
    func readUnlocked(_ items: [Item]) throws(KeyringError) -> [Item]
    /// Creates a default collection, unlocked until the keyring's program ends or locks it.
    func createCollection(with password: Secret) throws(KeyringError)
    /// Whether the keyring's own prompt could be seen here, and is allowed.
    var mayPrompt: Bool { get }

    /// - Throws: `.noCollection` if no prompt can be shown, `.dismissed` if it was closed or did not appear.
    func createCollection() throws(KeyringError)
}
