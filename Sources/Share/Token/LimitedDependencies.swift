internal import CredentialCore
package import Helper

extension Dependencies {
    /// Those with which a share's token for one repository is got, refreshed and removed.
    ///
    /// In this keyring, the token is the only credential of its host: whatever is looked up, no other can be found. Locks
    /// and notes are its own as well.
    package func limited(to limit: RepositoryLimit) -> Dependencies {
        var dependencies = self
        let keyring = LimitedKeyring(repositoryKeyring(), to: limit)
        dependencies.keyring = keyring
        dependencies.repositoryKeyring = { keyring }
        let scope = { (name: LockName) in name.scoped(to: limit.object) }
        dependencies.locks = LimitedLocks(locks: locks, scope: scope)
        dependencies.refusedTokens = LimitedRefusedTokens(tokens: refusedTokens, scope: scope)
        dependencies.signInNotes = LimitedNotes(notes: signInNotes, scope: scope)
        return dependencies
    }
}

/// The items of one limit, as if each were for its host as a whole.
private final class LimitedKeyring: KeyringDecorator {
    let decorated: any Keyring
    private let object: [UInt8]

    init(_ keyring: any Keyring, to limit: RepositoryLimit) {
        decorated = keyring
        object = limit.object
    }

    func items(having attributes: ItemAttributes) throws(KeyringError) -> [Item] {
        try decorated.items(having: filed(attributes)).map { shown($0) }
    }

    func unlock(_ items: [Item]) throws(KeyringError) -> [Item] {
        try decorated.unlock(items.map { filed($0) }).map { shown($0) }
    }

    func replace(_ item: Item, with secret: Secret) throws(KeyringError) -> Bool {
        try decorated.replace(filed(item), with: secret)
    }

    func save(_ secret: Secret, under attributes: ItemAttributes) throws(KeyringError) {
        try decorated.save(secret, under: filed(attributes))
    }

    func remove(_ item: Item) throws(KeyringError) { try decorated.remove(filed(item)) }

    private func filed(_ attributes: ItemAttributes) -> ItemAttributes {
        var filed = attributes
        filed.object = object
        return filed
    }

    private func filed(_ item: Item) -> Item { item.with(filed(item.attributes), schemaName: item.schemaName) }

    private func shown(_ item: Item) -> Item {
        var attributes = item.attributes
        attributes.object = nil
        return item.with(attributes, schemaName: nil)
    }
}

extension Item {
    fileprivate func with(_ attributes: ItemAttributes, schemaName: String?) -> Item {
        Item(
            path: path, attributes: attributes, schemaName: schemaName, created: created, modified: modified,
            secret: secret, storage: storage, needsConfirmation: needsConfirmation)
    }
}

private struct LimitedLocks: Locks {
    let locks: any Locks
    let scope: (LockName) -> LockName

    func acquire(
        _ name: LockName, within milliseconds: Int64, whileWaiting: () -> Bool
    ) throws(LockError) -> any HeldLock {
        try locks.acquire(scope(name), within: milliseconds, whileWaiting: whileWaiting)
    }

    func secondsSinceGivingUp(_ name: LockName) -> Int64? { locks.secondsSinceGivingUp(scope(name)) }
}

private struct LimitedRefusedTokens: RefusedTokens {
    let tokens: any RefusedTokens
    let scope: (LockName) -> LockName

    func refusal(of token: Secret, for account: LockName) -> Int64? { tokens.refusal(of: token, for: scope(account)) }

    func remember(_ token: Secret, for account: LockName) { tokens.remember(token, for: scope(account)) }
}

private struct LimitedNotes: SignInNotes {
    let notes: any SignInNotes
    let scope: (LockName) -> LockName

    func refusal(of signIn: LockName) -> SignInRefusal? { notes.refusal(of: scope(signIn)) }
    func noteRefusal(of signIn: LockName) { notes.noteRefusal(of: scope(signIn)) }
    func noteStart(of signIn: LockName) { notes.noteStart(of: scope(signIn)) }
    func noteEnd(of signIn: LockName) { notes.noteEnd(of: scope(signIn)) }
    func place(of signIn: LockName) -> SignInLocation? { notes.place(of: scope(signIn)) }
}
