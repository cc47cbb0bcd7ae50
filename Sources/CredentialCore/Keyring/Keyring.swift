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

/// A collection of the Secret Service that is locked: to a person, a keyring, a wallet or a database.
package struct LockedCollection: Equatable {
    /// An object path on the bus.
    package let path: String
    /// Nil if it has none.
    package let name: DisplayText?

    package init(path: String, name: DisplayText?) {
        self.path = path
        self.name = name
    }

    /// pam_gnome_keyring(8) opens it, and no other, if a person logs in to a desktop.
    package var hasLoginPassword: Bool { path.hasSuffix("/login") }
}

/// Which collections are meant.
package enum CollectionSelection {
    case forNewItems
    /// Those in which these items are.
    case holding([Item])
    /// The one for new items, then each that has credentials, or does not tell what it has.
    case all
}

/// Other programs' items in the Secret Service, which are read, and never changed.
package protocol ForeignKeyring: AnyObject {
    /// Those that have all of the given attributes, a few hundred at most; locked ones are unlocked first.
    ///
    /// - Throws: `KeyringError.locked` if an item is locked and no prompt can be shown; any other error of the keyring.
    func foreignItems(having attributes: [(name: String, value: [UInt8])]) throws(KeyringError) -> [ForeignItem]
}

package struct ForeignItem {
    package let attributes: [(name: String, value: [UInt8])]
    /// Seconds since 1970.
    package let modified: UInt64
    /// In the other program's format.
    package let secret: Secret

    package init(attributes: [(name: String, value: [UInt8])], modified: UInt64, secret: Secret) {
        self.attributes = attributes
        self.modified = modified
        self.secret = secret
    }

    package subscript(name: String) -> [UInt8]? { attributes.first { $0.name == name }?.value }
}
