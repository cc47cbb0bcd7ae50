package import CredentialCore

/// ⑥ Puts a credential into the keyring, in place of what is there under the same attributes.
package struct Save {
    private let keyring: any Keyring

    package init(with dependencies: Dependencies) { keyring = dependencies.keyring }

    /// Saves.
    ///
    /// - Throws: `KeyringError.unstorable` for values that the secret's text cannot hold, else what the keyring says.
    package func run(_ credential: StoredCredential, under attributes: ItemAttributes) throws(KeyringError) {
        guard let text = SecretText.encode(credential) else { throw .unstorable }
        try keyring.save(text, under: attributes)
    }
}
