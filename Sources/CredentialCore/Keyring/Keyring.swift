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
    /// - Throws: `KeyringError.locked` if the service does not list a locked keyring's items.
    func items(having attributes: ItemAttributes) throws(KeyringError) -> [Item]

    /// Unlocks items, which may show a password prompt.
    ///
    /// - Throws: `KeyringError.locked` if no prompt can be shown, `.dismissed` if a person closed it.
    func unlock(_ items: [Item]) throws(KeyringError) -> [Item]

    /// Checks that saving is possible, before a token is used up whose successor has to be saved.
    ///
    /// - Throws: the reason why saving would fail now, such as `.locked` if unlocking is not allowed or possible.
    func checkWritable(mayPrompt: Bool) throws(KeyringError)

    /// Replaces the secret of the very item that was read, if it still has its old secret; the Secret Service cannot
    /// compare and replace in one call, so a moment remains between the two.
    ///
    /// - Returns: false if the item has another secret by now, or is gone; it is then left as it is.
    func replace(_ item: Item, with secret: Secret) throws(KeyringError) -> Bool

    /// Replaces an item with these attributes; afterwards, there is one, with the newer schema.
    func save(_ secret: Secret, under attributes: ItemAttributes) throws(KeyringError)

    /// Removes an item; succeeds if it is already gone.
    func remove(_ item: Item) throws(KeyringError)

    var storage: CredentialStorage { get }

    /// The reason why a substitute was asked because there is no Secret Service, or `nil` if it was asked, or the
    /// person has chosen another store; a credential that is not found may then still be stored.
    var absence: KeyringError? { get }

    /// Locked collections whose items the service does not list.
    var lockedCollections: [DisplayText] { get }

    /// Moves a host's credentials from memory into the keyring, unless that needs a person.
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
    /// git's `credential-cache`, in memory only, and for a limited time.
    case memory

    /// Seconds for which memory keeps a credential after its last change: the eight hours of a GitHub App's token.
    package static let secondsInMemory: Int64 = 28_800
}

/// Other programs' items in the Secret Service, which are read, and never changed.
package protocol ForeignKeyring: AnyObject {
    /// Returns the items that have all of the given attributes, a few hundred at most, and unlocks locked ones first.
    ///
    /// - Throws: `KeyringError.locked` if an item is locked and no prompt can be shown; any other error of the keyring.
    func foreignItems(having attributes: [(name: String, value: [UInt8])]) throws(KeyringError) -> [ForeignItem]
}

package struct ForeignItem {
    package let attributes: [(name: String, value: [UInt8])]
    /// Seconds since 1970.
    package let modified: UInt64
    /// The secret in the other program's format.
    package let secret: Secret

    package init(attributes: [(name: String, value: [UInt8])], modified: UInt64, secret: Secret) {
        self.attributes = attributes
        self.modified = modified
        self.secret = secret
    }

    package subscript(name: String) -> [UInt8]? { attributes.first { $0.name == name }?.value }
}

/// A collection of the Secret Service that is locked: to a person, a keyring, a wallet or a database.
package struct LockedCollection: Equatable {
    package let path: String
    /// The name, or `nil` if there is none.
    package let name: DisplayText?

    package init(path: String, name: DisplayText?) {
        self.path = path
        self.name = name
    }

    /// Whether pam_gnome_keyring(8) opens the collection, as it does no other, at a desktop login.
    package var hasLoginPassword: Bool { path.hasSuffix("/login") }
}

/// A choice of collections.
package enum CollectionSelection {
    case forNewItems
    /// The collections that hold these items.
    case holding([Item])
    /// The collection for new items, then each that has credentials, or does not list its items.
    case all
}

/// The programs that provide a Secret Service, distinguished by how they are unlocked.
package enum KeyringProgram: Equatable, Sendable {
    /// GNOME's, which accepts a password from any program.
    case gnomeKeyring
    /// KeePassXC, which unlocks its database only in its own window.
    case keePassXC
    /// KDE's, which asks only in its own window.
    case kwallet
    /// Any other, with the name of its program; nil if unknown.
    case other(DisplayText?)

    /// Recognizes a program by its name, which may be the end of a path or have a version appended.
    package init(_ name: String?) {
        // Bytes: the functions of String that search would make the front door larger by a megabyte.
        let folded = (name ?? "").utf8.map(ASCII.folded)
        self =
            if folded.starts(with: "gnome-keyring".utf8) {
                .gnomeKeyring
            } else if folded.indices.contains(where: { folded[$0...].starts(with: "keepassxc".utf8) }) {
                .keePassXC
            } else if folded.starts(with: "kwallet".utf8) || folded.starts(with: "ksecret".utf8) {
                .kwallet
            } else {
                .other(name.map { DisplayText(untrusted: $0.utf8) })
            }
    }

    /// It asks there, whatever display the program has that asks it.
    package var asksInOwnWindow: Bool { self == .keePassXC || self == .kwallet }
}
