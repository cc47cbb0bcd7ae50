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
