internal import CredentialCore

extension SecretServiceConnection {
    /// The items that have all of the attributes, with the secrets of those that are not locked.
    ///
    /// An item that disappears in between is left out, but only after a second search: it may have been replaced.
    func readItems(having attributes: ItemAttributes) throws(CallFailure) -> [Item] {
        let first = try readOnce(having: attributes)
        return first.isComplete ? first.items : try readOnce(having: attributes).items
    }

    private func readOnce(having attributes: ItemAttributes) throws(CallFailure) -> (items: [Item], isComplete: Bool) {
        let (unlocked, locked) = try search(attributes)
        var items: [Item] = []
        for path in unlocked {
            if let item = try read(path, foundBy: attributes) { items.append(item) }
        }
        for path in locked {
            if let item = try describe(path, foundBy: attributes) {
                items.append(item.item(secret: nil, isInOpenCollection: try isInOpenCollection(path)))
            }
        }
        return (items, items.count == unlocked.count + locked.count)
    }

    /// Reads an item that the service has listed as unlocked.
    ///
    /// Each item is read separately: there is rarely more than one, and some services refuse a whole list because of
    /// one item.
    ///
    /// - Parameters:
    ///   - path: the item's path.
    ///   - asked: the attributes that it was found by.
    /// - Returns: the item; without its secret if it is locked after all (KeePassXC asks a person to confirm each
    ///   item); nil if it no longer exists.
    /// - Throws: the service's error, unless the item is locked or no longer exists.
    func read(_ path: String, foundBy asked: ItemAttributes) throws(CallFailure) -> Item? {
        let found: Secret?
        do {
            found = try secret(of: path)
        } catch .locked {
            return try describe(path, foundBy: asked)?.item(
                secret: nil, isInOpenCollection: try isInOpenCollection(path))
        } catch .noSuchObject {
            return nil
        }
        guard let described = try describe(path, foundBy: asked) else { return nil }
        // A service may return neither a secret nor an error for an item that has just been locked, or for a secret
        // that was encrypted for another session. The latter must not look like a locked item or an empty password. For
        // a wallet that has just been closed, KWallet returns a secret of no bytes.
        guard let found, !found.isEmpty || !described.isLocked else {
            guard described.isLocked else { throw .other("no secret for an unlocked item") }
            return described.item(secret: nil)
        }
        return described.item(secret: found)
    }

    /// Whether an item's collection is open; by the specification, the item's path begins with the collection's.
    private func isInOpenCollection(_ path: String) throws(CallFailure) -> Bool {
        guard let slash = path.lastIndex(of: "/") else { return false }
        return try collection(at: String(path[..<slash]))?.isLocked == false
    }
}
