/// ③ ⑥ A place where credentials are kept: the Secret Service, or git's in-memory cache where there is none.
///
/// A keyring stores, finds and removes; it knows no OAuth. No call waits for ever: 5 seconds without a prompt, 120 with
/// one. Locked items are found as such; that a keyring is locked never looks like "nothing there".
package protocol Keyring: AnyObject {
    /// The items that have all of the given attributes, perhaps others as well, in no particular order.
    ///
    /// Locked items are among them, without their secret. Nothing is unlocked and nobody is asked.
    func items(having attributes: ItemAttributes) throws(KeyringError) -> [Item]

    /// Unlocks items, which may put a password prompt on the person's screen.
    ///
    /// - Parameter items: locked items that the request really is about.
    /// - Returns: the same items with their secrets.
    /// - Throws: `KeyringError.locked` where no prompt can be seen, `.dismissed` where a person closed it.
    func unlock(_ items: [Item]) throws(KeyringError) -> [Item]

    /// Makes sure that an item could be saved now, before something is spent that must be saved.
    ///
    /// - Parameter mayPrompt: whether a person may be asked to unlock the collection.
    /// - Throws: why a save would fail now; in particular `.locked` where unlocking is not allowed, or not possible here.
    func checkWritable(mayPrompt: Bool) throws(KeyringError)

    /// Makes sure that the secret of an item could be replaced now, by saving the same secret once more.
    ///
    /// What is locked says so when it is asked; what is on a full disk says so only to those who write.
    ///
    /// - Throws: why the save failed.
    func checkWritable(replacing item: Item) throws(KeyringError)

    /// Saves a secret under exactly these attributes, in place of the item that has them already.
    ///
    /// There is one item under them afterwards, of the newer schema.
    func save(_ secret: Secret, under attributes: ItemAttributes) throws(KeyringError)

    /// Removes one item. That it is gone already is no error.
    func remove(_ item: Item) throws(KeyringError)

    /// Where the credentials are, as it is said to people.
    var storage: CredentialStorage { get }
}

/// Where a credential was kept.
package enum CredentialStorage {
    /// The Secret Service.
    case keyring
    /// git's `credential-cache`: memory only, gone after a while.
    case memory
}
