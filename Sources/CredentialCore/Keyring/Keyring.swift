/// ③ ⑥ A store for credentials: the Secret Service or, if there is none, git's in-memory cache.
///
/// A keyring saves, finds and removes items; it knows nothing about OAuth. No call waits forever: the limit is 5
/// seconds without a prompt and 120 seconds with one. Locked items are returned as locked: a locked keyring never looks
/// like an empty one.
package protocol Keyring: AnyObject {
    /// The items that have at least the given attributes, in no particular order.
    ///
    /// Locked items are included, without their secret. Nothing is unlocked, and no prompt is shown.
    ///
    /// - Throws: `KeyringError.locked` if the service does not tell what is in a locked keyring.
    func items(having attributes: ItemAttributes) throws(KeyringError) -> [Item]

    /// Unlocks items, which may show a password prompt.
    ///
    /// - Parameter items: locked items that the request is really about.
    /// - Returns: the same items with their secrets.
    /// - Throws: `KeyringError.locked` if no prompt can be shown, `.dismissed` if a person closed it.
    func unlock(_ items: [Item]) throws(KeyringError) -> [Item]

    /// Checks that an item could be saved now, before something is used up whose result has to be saved.
    ///
    /// - Parameter mayPrompt: whether a person may be asked to unlock the collection.
    /// - Throws: why saving would fail now, in particular `.locked` if unlocking is not allowed or not possible here.
    func checkWritable(mayPrompt: Bool) throws(KeyringError)

    /// Replaces the secret of the very item that was read.
    ///
    /// The Secret Service cannot compare and replace in one call, so between the two a moment remains.
    ///
    /// - Returns: false if the item has another secret by now, or is gone; it is then left as it is.
    /// - Throws: why the save failed.
    func replace(_ item: Item, with secret: Secret) throws(KeyringError) -> Bool

    /// Saves a secret under exactly these attributes, replacing an item that has them already.
    ///
    /// Afterwards, there is one item with these attributes, with the newer schema.
    func save(_ secret: Secret, under attributes: ItemAttributes) throws(KeyringError)

    /// Removes one item.
    ///
    /// It is not an error if the item is already gone.
    func remove(_ item: Item) throws(KeyringError)

    /// Where the credentials are stored, for messages.
    var storage: CredentialStorage { get }

    /// Why there is no Secret Service, so that something else was asked in its place; nil if it was asked, or if the
    /// person has chosen something else.
    ///
    /// What is not found then may well be stored: nobody may say that it is not.
    var absence: KeyringError? { get }

    /// The names of the keyrings that are locked; their items may not even be listed.
    var lockedCollections: [DisplayText] { get }
}

extension Keyring {
    package var absence: KeyringError? { nil }
    package var lockedCollections: [DisplayText] { [] }
}

/// Where a credential is stored.
package enum CredentialStorage {
    /// The Secret Service.
    case keyring
    /// git's `credential-cache`: only in memory, and gone after a while.
    case memory
}
