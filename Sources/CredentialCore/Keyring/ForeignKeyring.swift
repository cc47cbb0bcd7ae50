/// The Secret Service as far as other programs' items are concerned: they are read, and never touched.
package protocol ForeignKeyring: AnyObject {
    /// The items that have all of the given attributes, with their secrets; locked ones are unlocked first.
    ///
    /// - Parameter attributes: names and values as that other program has written them.
    /// - Returns: at most some hundreds.
    /// - Throws: `KeyringError.locked` where one is locked and no prompt can be seen; what else the keyring says.
    func foreignItems(having attributes: [(name: String, value: [UInt8])]) throws(KeyringError) -> [ForeignItem]
}

/// An item that another program has written.
package struct ForeignItem {
    /// What it was found by, and whatever else stands there.
    package let attributes: [(name: String, value: [UInt8])]
    /// When it was last changed, in seconds since 1970.
    package let modified: UInt64
    /// The secret, in that program's own form.
    package let secret: Secret

    package init(attributes: [(name: String, value: [UInt8])], modified: UInt64, secret: Secret) {
        self.attributes = attributes
        self.modified = modified
        self.secret = secret
    }

    /// The value of an attribute; nil if it has none of that name.
    package subscript(name: String) -> [UInt8]? { attributes.first { $0.name == name }?.value }
}
