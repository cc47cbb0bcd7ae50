package import CredentialCore

/// A keyring that forwards every call to another one; conforming types override some of them.
package protocol KeyringDecorator: Keyring {
    var decorated: any Keyring { get }
}

extension KeyringDecorator {
    package var storage: CredentialStorage { decorated.storage }
    package var absence: KeyringError? { decorated.absence }
    package var lockedCollections: [DisplayText] { decorated.lockedCollections }

    package func items(having attributes: ItemAttributes) throws(KeyringError) -> [Item] {
        try decorated.items(having: attributes)
    }

    package func unlock(_ items: [Item]) throws(KeyringError) -> [Item] { try decorated.unlock(items) }

    package func checkWritable(mayPrompt: Bool) throws(KeyringError) {
        try decorated.checkWritable(mayPrompt: mayPrompt)
    }

    package func replace(_ item: Item, with secret: Secret) throws(KeyringError) -> Bool {
        try decorated.replace(item, with: secret)
    }

    package func save(_ secret: Secret, under attributes: ItemAttributes) throws(KeyringError) {
        try decorated.save(secret, under: attributes)
    }

    package func remove(_ item: Item) throws(KeyringError) { try decorated.remove(item) }

    package func bringFromMemory(of host: HostName) -> [[UInt8]] { decorated.bringFromMemory(of: host) }
}
