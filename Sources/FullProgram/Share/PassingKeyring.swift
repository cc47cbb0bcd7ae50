internal import CredentialCore
internal import Helper
internal import SessionBus
internal import System

/// A keyring that is read as quickly as the front door reads it where that is enough: the target of a share waits for
/// each answer.
///
/// The whole keyring handles what that does not find, what is locked, and all changes.
final class PassingKeyring: KeyringDecorator {
    let decorated: any Keyring

    /// The same time that the front door waits, in milliseconds.
    private static let patience: Int64 = 250

    init(_ keyring: any Keyring) { decorated = keyring }

    func items(having attributes: ItemAttributes) throws(KeyringError) -> [Item] {
        let deadline = Deadline(in: Self.patience, crowd: { Crowd.now })
        if !GitConfiguration.mayNameStore,
            let sockets = try? SessionBusAddress(environment: { Environment[$0] })?.sockets, sockets.count == 1,
            let items = try? SecretServiceReader(on: sockets[0], by: deadline).items(having: attributes), !items.isEmpty
        {
            return items
        }
        return try decorated.items(having: attributes)
    }
}
