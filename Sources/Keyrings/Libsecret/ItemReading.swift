internal import CredentialCore

extension SecretServiceConnection {
    /// The items that have all of the attributes, with the secrets of those that are not locked.
    ///
    /// An item that vanishes in between is dropped, but only after a second look: it may have been replaced.
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

    /// Reads an item that the service has called unlocked.
    ///
    /// Each is asked for by itself: there is hardly ever more than one, and some services refuse a whole list for the
    /// sake of one item.
    ///
    /// - Parameters:
    ///   - path: the item's.
    ///   - asked: the attributes that it was found by.
    /// - Returns: the item; without its secret if it turns out to be locked after all (KeePassXC has a person confirm
    ///   each item); nil if it has vanished.
    /// - Throws: what the service says, but for what is locked or gone.
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
        // Without a word there is no secret for an item that has just been locked, nor for one that was encrypted for
        // another session. The latter must look like neither a locked item nor an empty password. KWallet answers for a
        // wallet that has just been closed with a secret of no bytes.
        guard let found, !found.isEmpty || !described.isLocked else {
            guard described.isLocked else { throw .other("no secret for an unlocked item") }
            return described.item(secret: nil)
        }
        return described.item(secret: found)
    }

    /// Whether an item is in a collection that is open: by the specification, its path begins with the collection's.
    private func isInOpenCollection(_ path: String) throws(CallFailure) -> Bool {
        guard let slash = path.lastIndex(of: "/") else { return false }
        return try collection(at: String(path[..<slash]))?.isLocked == false
    }
}
