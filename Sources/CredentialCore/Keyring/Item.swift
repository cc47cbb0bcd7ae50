/// An item that the keyring returned.
package struct Item {
    /// The store's name for the item: an object path on the bus.
    package let path: String
    /// The attributes by which it is found.
    package let attributes: ItemAttributes
    /// The schema's name as the item carries it; nil if it carries none.
    package let schemaName: String?
    /// When it was created, in seconds since 1970; 0 if the keyring does not say, or was not asked.
    package var created: UInt64
    /// When it was last changed, likewise.
    package let modified: UInt64
    /// The secret text; nil while the item is locked.
    package let secret: Secret?
    /// Where it is stored.
    package let storage: CredentialStorage
    /// Whether it is locked by itself in a keyring that is open: a person has to allow each access (KeePassXC).
    package let needsConfirmation: Bool

    package init(
        path: String, attributes: ItemAttributes, schemaName: String?, created: UInt64 = 0, modified: UInt64 = 0,
        secret: Secret?, storage: CredentialStorage = .keyring, needsConfirmation: Bool = false
    ) {
        self.storage = storage
        self.needsConfirmation = needsConfirmation
        self.path = path
        self.attributes = attributes
        self.schemaName = schemaName
        self.created = created
        self.modified = modified
        self.secret = secret
    }

    /// Stands for a value that the keyring hides while it is locked: no account, port or path that git would send.
    package static let hiddenValue = Array("?".utf8)

    /// The account, if the keyring tells it.
    package var shownUser: [UInt8]? { attributes.user == Self.hiddenValue ? nil : attributes.user }

    /// Whether a person must unlock it before it can be read.
    package var isLocked: Bool { secret == nil }

    /// Whether git's helper wrote it before its version 2.43.
    var isOfOldSchema: Bool { schemaName == Schema.networkPassword.rawValue }
}
