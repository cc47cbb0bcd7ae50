package import CredentialCore

/// Other programs' items.
package final class InMemoryForeignKeyring: ForeignKeyring {
    /// What is there.
    package var items: [ForeignItem] = []
    /// Why nothing can be read.
    package var fault: KeyringError?

    /// Nothing of anybody's.
    package init() {}

    /// Puts an item there.
    package func put(_ secret: String, _ attributes: (String, String)...) {
        items.append(
            ForeignItem(
                attributes: attributes.map { ($0.0, Array($0.1.utf8)) }, modified: 0, secret: Secret(secret)))
    }

    package func foreignItems(
        having attributes: [(name: String, value: [UInt8])]
    ) throws(KeyringError) -> [ForeignItem] {
        if let fault { throw fault }
        return items.filter { item in attributes.allSatisfy { item[$0.name] == $0.value } }
    }
}
