internal import CredentialCore
internal import SessionBus
internal import System

/// A keyring that is read as quickly as the front door reads it where that is enough: a place waits for each answer.
///
/// The whole keyring handles what that does not find, what is locked, and all changes.
final class PassingKeyring: Keyring {
    private let keyring: any Keyring

    /// The same time that the front door waits, in milliseconds.
    private static let patience: Int64 = 250

    /// Adds a quicker way to read a keyring.
    init(_ keyring: any Keyring) { self.keyring = keyring }

    var storage: CredentialStorage { keyring.storage }
    var absence: KeyringError? { keyring.absence }

    func items(having attributes: ItemAttributes) throws(KeyringError) -> [Item] {
        let clock = SystemClock()
        let end = clock.uptimeMilliseconds + Self.patience
        if let sockets = try? SessionBusAddress(environment: { Environment[$0] })?.sockets, sockets.count == 1,
            let items = try? SecretServiceReader(on: sockets[0], timeLeft: { end - clock.uptimeMilliseconds })
                .items(having: attributes),
            !items.isEmpty
        {
            return items
        }
        return try keyring.items(having: attributes)
    }

    func unlock(_ items: [Item]) throws(KeyringError) -> [Item] { try keyring.unlock(items) }

    func checkWritable(mayPrompt: Bool) throws(KeyringError) { try keyring.checkWritable(mayPrompt: mayPrompt) }

    func replace(_ item: Item, with secret: Secret) throws(KeyringError) -> Bool {
        try keyring.replace(item, with: secret)
    }

    func save(_ secret: Secret, under attributes: ItemAttributes) throws(KeyringError) {
        try keyring.save(secret, under: attributes)
    }

    func remove(_ item: Item) throws(KeyringError) { try keyring.remove(item) }
}
