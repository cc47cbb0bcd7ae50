package import CredentialCore
package import Messages

/// ⑥ Saves a credential in the keyring, replacing what has the same attributes.
package struct Save {
    private let dependencies: Dependencies

    package init(with dependencies: Dependencies) { self.dependencies = dependencies }

    /// Saves a credential.
    ///
    /// - Throws: `KeyringError.unstorable` for values that the secret's text cannot contain; otherwise the keyring's
    ///   error.
    package func run(_ credential: StoredCredential, under attributes: ItemAttributes) throws(KeyringError) {
        guard let text = SecretText.encode(credential) else { throw .unstorable }
        try dependencies.keyring.save(text, under: attributes)
    }

    /// Saves a credential in the place of the very item that was read.
    ///
    /// - Returns: false if somebody has saved another since; that stays.
    /// - Throws: as above.
    package func run(_ credential: StoredCredential, replacing item: Item) throws(KeyringError) -> Bool {
        guard let text = SecretText.encode(credential) else { throw .unstorable }
        return try dependencies.keyring.replace(item, with: text)
    }

    /// Saves the result of a sign-in, replacing the account's item but keeping the time since which it is stored.
    ///
    /// This holds the account's lock: otherwise, a refresh in progress could overwrite the item with its own pair.
    ///
    /// - Parameters:
    ///   - credential: the account and its new token.
    ///   - context: where the sign-in took place, without a path.
    ///   - stays: whether what is stored for the account is left; nil if nothing is.
    /// - Returns: why it was not saved; nil if it was, or if what is stored stays.
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
