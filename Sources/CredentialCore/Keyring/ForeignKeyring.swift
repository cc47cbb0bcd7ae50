/// Access to other programs' items in the Secret Service.
///
/// They are read, and never changed.
package protocol ForeignKeyring: AnyObject {
    /// The items that have all of the given attributes, with their secrets; locked ones are unlocked first.
    ///
    /// - Parameter attributes: names and values as the other program wrote them.
    /// - Returns: at most a few hundred items.
    /// - Throws: `KeyringError.locked` if an item is locked and no prompt can be shown; any other error of the keyring.
    func foreignItems(having attributes: [(name: String, value: [UInt8])]) throws(KeyringError) -> [ForeignItem]
}

/// An item that another program wrote.
package struct ForeignItem {
    /// Its attributes.
    package let attributes: [(name: String, value: [UInt8])]
    /// When it was last changed, in seconds since 1970.
    package let modified: UInt64
    /// The secret, in the other program's format.
    package let secret: Secret

    package init(attributes: [(name: String, value: [UInt8])], modified: UInt64, secret: Secret) {
        self.attributes = attributes
        self.modified = modified
        self.secret = secret
    }

    /// The value of an attribute; nil if there is none of that name.
    package subscript(name: String) -> [UInt8]? { attributes.first { $0.name == name }?.value }
}
