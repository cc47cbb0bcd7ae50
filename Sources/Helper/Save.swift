internal import Keyring

/// ⑥ Puts a credential into the keyring, in place of what is there under the same attributes.
struct Save {
    private let keyring: any Keyring

    init(in world: World) { keyring = world.keyring }

    /// Saves.
    ///
    /// - Throws: `KeyringError.unstorable` for values that the secret's text cannot hold, else what the keyring says.
    func run(_ credential: StoredCredential, under attributes: ItemAttributes) throws(KeyringError) {
        guard let text = SecretText.encode(credential) else { throw .unstorable }
        try keyring.save(text, under: attributes)
    }
}
