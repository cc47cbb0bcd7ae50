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
}

extension Keyring {
    package var absence: KeyringError? { nil }
    package var lockedCollections: [DisplayText] { [] }
}

package enum CredentialStorage {
    case keyring
    /// git's `credential-cache`: only in memory, and gone after a while.
    case memory
}

/// Finding nothing is not an error, and an error never means that nothing was found.
package enum KeyringError: Error, Equatable {
    case noBus
    /// The session bus is not used, since it may be somebody else's; what is in our keyring is unknown.
    case foreignBus(BusRefusal)
    /// There is a bus, but no program on it provides a keyring.
    case noProvider
    /// The keyring service has no collection for an item, and nobody can create one.
    case noCollection
    /// There is none of the name that the person has configured.
    case noSuchCollection(DisplayText)
    /// The keyring is locked, and no password prompt can be shown here.
    case locked
    /// A person closed the password prompt.
    case dismissed
    case unresponsive(seconds: Int)
    /// Without a helpful reason.
    case denied
    /// During a call.
    case disconnected
    /// The service has refused to open a session for secrets, or has forgotten it.
    case noSession
    /// Not UTF-8, or not a line.
    case unstorable
    /// What selects the store.
    case unconfigured(ConfigurationError)
    /// Ctrl-C, or git has ended.
    case interrupted
    /// An object that was asked for is gone; what that means depends on the object.
    case noSuchObject
    /// The service reported no error for a save, but the secret is not stored.
    case notKept
    /// Any other error, in the words of the library; for the trace, not for people.
    case other(String)

    /// git's in-memory cache is then used instead.
    package var isAbsence: Bool {
        switch self {
        case .noBus, .noProvider, .noCollection: true
        default: false
        }
    }

    /// What is not in memory is then not stored.
    ///
    /// Without a session bus nobody can tell: as over SSH, a keyring of the same person may be open in another session.
    package var isSurelyEmpty: Bool { isAbsence && self != .noBus }
}

/// Who listens there would get our tokens.
package enum BusRefusal: Error, Equatable {
    /// Its address is not a Unix socket's; how it begins.
    case address(String)
    case user(UInt32)
}

/// Distinguished by how they are unlocked.
package enum KeyringProgram: Equatable, Sendable {
    /// GNOME's, which accepts a password from any program.
    case gnomeKeyring
    /// KeePassXC, which unlocks its database only in its own window.
    case keePassXC
    /// KDE's, which asks only in its own window.
    case kwallet
    /// Any other, with the name of its program; nil if unknown.
    case other(DisplayText?)

    /// By its name, which may be the end of a path or have a version appended.
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

/// Other programs' items in the Secret Service are read, and never changed.
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
