/// An item that the keyring has shown us.
package struct Item {
    /// The store's own name for it: an object path on the bus.
    package let path: String
    /// What it was found by.
    package let attributes: ItemAttributes
    /// The schema's name as the item carries it; nil if it carries none.
    package let schemaName: String?
    /// When it was made, in seconds since 1970; 0 if the keyring does not say, or was not asked.
    package var created: UInt64
    /// When it was last changed, likewise.
    package let modified: UInt64
    /// The secret text, or nil while the item is locked.
    package let secret: Secret?

    package init(
        path: String, attributes: ItemAttributes, schemaName: String?, created: UInt64 = 0, modified: UInt64 = 0,
        secret: Secret?
    ) {
        self.path = path
        self.attributes = attributes
        self.schemaName = schemaName
        self.created = created
        self.modified = modified
        self.secret = secret
    }

    /// Whether a person must unlock it before it can be read.
    package var isLocked: Bool { secret == nil }

    /// Whether git's helper wrote it before its version 2.43.
    var isOfOldSchema: Bool { schemaName == Schema.networkPassword.rawValue }
}
