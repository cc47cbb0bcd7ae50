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
    /// - Throws: `KeyringError.locked` if no prompt can be shown, `.dismissed` if a person closed it.
    func unlock(_ items: [Item]) throws(KeyringError) -> [Item]

    /// Called before something is used up whose result has to be saved.
    ///
    /// - Throws: why saving would fail now, in particular `.locked` if unlocking is not allowed or not possible here.
    func checkWritable(mayPrompt: Bool) throws(KeyringError)

    /// Only of the very item that was read, with the secret that it had.
    ///
    /// The Secret Service cannot compare and replace in one call, so between the two a moment remains.
    ///
    /// - Returns: false if the item has another secret by now, or is gone; it is then left as it is.
    func replace(_ item: Item, with secret: Secret) throws(KeyringError) -> Bool

    /// Replaces an item with these attributes; afterwards, there is one, with the newer schema.
    func save(_ secret: Secret, under attributes: ItemAttributes) throws(KeyringError)

    /// It is not an error if the item is already gone.
    func remove(_ item: Item) throws(KeyringError)

    var storage: CredentialStorage { get }

    /// Why there is no Secret Service, so that something else was asked in its place; nil if it was asked, or if the
    /// person has chosen something else.
    ///
    /// What is not found then may well be stored: nobody may say that it is not.
    var absence: KeyringError? { get }

    /// Their items may not even be listed.
    var lockedCollections: [DisplayText] { get }

    /// Moves what is in memory for a host into the keyring, if that takes it without asking anybody.
    ///
    /// - Returns: the accounts that were moved.
    func bringFromMemory(of host: HostName) -> [[UInt8]]
}

extension Keyring {
    package func bringFromMemory(of host: HostName) -> [[UInt8]] { [] }

    package var absence: KeyringError? { nil }
    package var lockedCollections: [DisplayText] { [] }
}

package enum CredentialStorage {
    case keyring
    /// git's `credential-cache`: only in memory, and gone after a while.
    case memory

    /// How long memory keeps a credential after its last change: the eight hours of a GitHub App's token.
    package static let secondsInMemory: Int64 = 28_800
}
