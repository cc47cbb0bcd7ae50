/// ③ ⑥ A store for credentials: the Secret Service or, if there is none, git's in-memory cache.
///
/// A call takes at most 5 seconds without a prompt, and 120 seconds with one. A locked keyring never looks like an
/// empty one.
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

    /// Checks that saving is possible: a refresh uses up a token whose successor has to be saved.
    ///
    /// - Throws: the reason why saving would fail now, such as `.locked` if unlocking is not allowed or possible.
    func checkWritable(mayPrompt: Bool) throws(KeyringError)

    /// Replaces the secret of an item if the item still has the secret that was read.
    ///
    /// The Secret Service cannot compare and replace in one call, so a change between the two calls is lost.
    ///
    /// - Returns: false if the item has another secret by now, or is gone.
    func replace(_ item: Item, with secret: Secret) throws(KeyringError) -> Bool

    /// Saves a secret: afterwards, one item has these attributes, with the newer schema.
    func save(_ secret: Secret, under attributes: ItemAttributes) throws(KeyringError)

    /// Succeeds if the item is already gone.
    func remove(_ item: Item) throws(KeyringError)
    var storage: CredentialStorage { get }

    /// The reason why git's cache was asked instead of the Secret Service, which may still have what the cache lacks;
    /// `nil` if it was not, or a person chose the cache.
    var absence: KeyringError? { get }

    /// Locked collections whose items the service does not list.
    var lockedCollections: [DisplayText] { get }

    /// Moves a host's credentials from the cache into the keyring unless that needs a person, and returns their
    /// accounts.
    func bringFromMemory(of host: HostName) -> [[UInt8]]
}

extension Keyring {
    package func bringFromMemory(of host: HostName) -> [[UInt8]] { [] }
    package var absence: KeyringError? { nil }
    package var lockedCollections: [DisplayText] { [] }
}

package enum CredentialStorage {
    case keyring
    case memory

    /// Seconds for which the cache keeps a credential after its last change: the eight hours of a GitHub App's token.
    package static let secondsInMemory: Int64 = 28_800
}

/// Other programs' items in the Secret Service, which are never changed.
package protocol ForeignKeyring: AnyObject {
    /// Returns the items that have all given attributes, a few hundred at most, and unlocks locked ones first.
    ///
    /// - Throws: `KeyringError.locked` if an item is locked and no prompt can be shown.
    func foreignItems(having attributes: [(name: String, value: [UInt8])]) throws(KeyringError) -> [ForeignItem]
}

package struct ForeignItem {
    package let attributes: [(name: String, value: [UInt8])]
    /// Seconds since 1970.
    package let modified: UInt64
    package let secret: Secret

    package init(attributes: [(name: String, value: [UInt8])], modified: UInt64, secret: Secret) {
        self.attributes = attributes
        self.modified = modified
        self.secret = secret
    }

    package subscript(name: String) -> [UInt8]? { attributes.first { $0.name == name }?.value }
}

/// A locked collection of the Secret Service; people know it as a keyring, wallet or database.
package struct LockedCollection: Equatable {
    package let path: String
    package let name: DisplayText?

    package init(path: String, name: DisplayText?) {
        self.path = path
        self.name = name
    }

    /// Whether pam_gnome_keyring(8) opens the collection at a desktop login; it opens no other.
    package var hasLoginPassword: Bool { path.hasSuffix("/login") }
}

package enum CollectionSelection {
    case forNewItems
    case holding([Item])
    /// The collection for new items, then each other one that has credentials or does not list its items.
    case all
}

/// The programs that provide a Secret Service, distinguished by how they are unlocked.
package enum KeyringProgram: Equatable, Sendable {
    /// Accepts a password from any program.
    case gnomeKeyring
    /// Unlocks its database only in its own window.
    case keePassXC
    /// Asks only in its own window.
    case kwallet
    /// Another program's name, or `nil` if unknown.
    case other(DisplayText?)

    /// Recognizes a program by its name, which may be the end of a path or have a version appended.
    package init(_ name: String?) {
        // Compares bytes, since the search functions of `String` would make the front door larger by a megabyte.
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

    /// Whether the keyring can ask although the calling program has no display.
    package var asksInOwnWindow: Bool { self == .keePassXC || self == .kwallet }
}
