package import CredentialCore
package import Messages

/// ⑥ Replaces what has the same attributes.
package struct Save {
    private let dependencies: Dependencies

    package init(with dependencies: Dependencies) { self.dependencies = dependencies }

    /// - Throws: `KeyringError.unstorable` for values that the secret's text cannot contain; otherwise the keyring's
    ///   error.
    package func run(_ credential: StoredCredential, under attributes: ItemAttributes) throws(KeyringError) {
        guard let text = SecretText.encode(credential) else { throw .unstorable }
        try dependencies.keyring.save(text, under: attributes)
    }

    /// In the place of the very item that was read; false if somebody has saved another since, which stays.
    package func run(_ credential: StoredCredential, replacing item: Item) throws(KeyringError) -> Bool {
        guard let text = SecretText.encode(credential) else { throw .unstorable }
        return try dependencies.keyring.replace(item, with: text)
    }

    /// Replaces the account's item but keeps the time since which it is stored.
    ///
    /// This holds the account's lock: otherwise, a refresh in progress could overwrite the item with its own pair. The
    /// context is without a path. Nil if it was saved.
    package func run(
        signIn credential: StoredCredential, of context: CredentialContext,
        unless stays: ((StoredCredential) -> Bool)? = nil
    ) -> UserFacingError? {
        let lock: any HeldLock
        do {
            lock = try AccountLock(with: dependencies)
                .acquire(credential.username, on: context.host, isInterruptible: false)
        } catch {
            return error == .impossible ? .lockImpossible : .otherNotFinished(host: DisplayText(context.host.text))
        }
        defer { lock.release() }
        var credential = credential
        let query = context.query(user: credential.username)
        do throws(KeyringError) {
            var stored: [StoredMatch] = []
            do throws(KeyringError) {
                stored = try Lookup(with: dependencies).all(query)
            } catch  where stays == nil {
                // The person has signed in for this token: what cannot be read does not keep it from being saved.
            }
            if let stays, stored.contains(where: { stays($0.credential) }) { return nil }
            if let since = stored.first?.since { credential.grant?.since = since }
            try run(credential, under: context.attributes(user: credential.username))
            return nil
        } catch {
            return .notSaved(error)
        }
    }
}
