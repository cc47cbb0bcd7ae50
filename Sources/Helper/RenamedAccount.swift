internal import CredentialCore
internal import Providers

extension SignInContext {
    /// Renames the sign-in to the host's present name, or returns `nil` if it is not that account's sign-in or cannot
    /// be moved.
    ///
    /// The number of the account decides, because another person may take the old name.
    func renamed(_ match: StoredMatch, _ answer: AccountAnswer, with dependencies: Dependencies) -> StoredMatch? {
        let old = match.credential.username
        guard let id = answer.id, match.credential.grant?.accountID == id, !answer.isOwner(old),
            let name = answer.username(asked: nil),
            let lock = try? AccountLock(with: dependencies).acquire(old, on: host.name)
        else { return nil }
        defer { lock.release() }
        let items = { try? Lookup(with: dependencies).all(with(username: nil).query(path: nil)) }
        // The item is read again under the lock, because it may have been refreshed or moved.
        guard let stored = items(),
            !stored.contains(where: { credentialContext.isSameAccount($0.credential.username, name) }),
            let current = stored.first(where: { $0.item.attributes == match.item.attributes }),
            var credential = StoredMatch(current.item)?.credential, credential.grant?.accountID == id
        else { return nil }
        credential.username = name
        credential.grant?.formerName = String(decoding: old, as: UTF8.self)
        var attributes = current.item.attributes
        attributes.user = name
        let isMoved = dependencies.signals.whileSignalsWait {
            do {
                try Save(with: dependencies).run(credential, under: attributes)
                try dependencies.keyring.remove(current.item)
                return true
            } catch {
                return false
            }
        }
        guard isMoved, let moved = items()?.first(where: { $0.item.attributes == attributes }) else { return nil }
        dependencies.ui.say(
            .accountRenamed(
                host: self.host.displayName, from: DisplayText(account: old), to: DisplayText(account: name)))
        return moved
    }
}
