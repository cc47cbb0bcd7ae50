package import CredentialCore

/// ⑥ Puts a credential into the keyring, in place of what is there under the same attributes.
package struct Save {
    private let dependencies: Dependencies

    package init(with dependencies: Dependencies) { self.dependencies = dependencies }

    /// Saves.
    ///
    /// - Throws: `KeyringError.unstorable` for values that the secret's text cannot hold, else what the keyring says.
    package func run(_ credential: StoredCredential, under attributes: ItemAttributes) throws(KeyringError) {
        guard let text = SecretText.encode(credential) else { throw .unstorable }
        try dependencies.keyring.save(text, under: attributes)
    }

    /// Saves what a sign-in has brought, in place of the account's item, whose time it inherits.
    ///
    /// It is the newest there can be, so it is saved even where nobody can be kept from saving at the same time.
    ///
    /// - Parameters:
    ///   - credential: the account and its new token.
    ///   - context: where it was signed in.
    /// - Returns: why it was not saved; nil if it was.
    package func run(signIn credential: StoredCredential, of context: SignInContext) -> KeyringError? {
        let lock = try? AccountLock(with: dependencies).acquire(credential.username, on: context.host.name)
        defer { lock?.release() }
        var credential = credential
        let query = context.with(username: credential.username).query(path: nil)
        if let since = (try? Lookup(with: dependencies).all(query))?.first?.since { credential.grant?.since = since }
        do {
            try run(credential, under: context.attributes(user: credential.username))
            return nil
        } catch {
            return error
        }
    }
}
