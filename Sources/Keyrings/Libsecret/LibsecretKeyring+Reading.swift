package import CredentialCore
internal import GLibSupport

/// ③ Searches and reads items, and decides what an empty result means while the keyring is locked.
///
/// `SearchItems` returns locked items as well (Secret Service), as gnome-keyring does. KWallet hides a wallet that has
/// not been opened since it started. KeePassXC hides a locked database, and a search opens a dialog if all are locked
/// (`UnlockBeforeSearch`, its default). So the collections are checked first.
extension LibsecretKeyring {
    package func items(having attributes: ItemAttributes) throws(KeyringError) -> [Item] {
        try traced("search", { "\($0.count) items, \($0.count(where: \.isLocked)) locked" }) {
            () throws(KeyringError) in
            if let found = inPassing(attributes), !found.isEmpty { return found }
            guard attributes.isExpressible else { return [] }
            return try retryingBriefly { () throws(KeyringError) in try search(for: attributes) }
        }
    }

    package func unlock(_ items: [Item]) throws(KeyringError) -> [Item] {
        try traced("unlock", { _ in "unlocked" }) { () throws(KeyringError) in
            do throws(KeyringError) {
                return try retryingBriefly { () throws(KeyringError) in
                    _ = try unlock(items.map(\.path))
                    return try readUnlockedOnce(items)
                }
            } catch {
                try help(self, error, .holding(items))
                return try readUnlocked(items)
            }
        }
    }

    package func readUnlocked(_ items: [Item]) throws(KeyringError) -> [Item] {
        try retryingBriefly { () throws(KeyringError) in try readUnlockedOnce(items) }
    }

    private func readUnlockedOnce(_ items: [Item]) throws(KeyringError) -> [Item] {
        var readable: [Item] = []
        for item in items {
            let read = try service.read(item.path, foundBy: item.attributes)
            if let read, !read.isLocked { readable.append(read) }
        }
        // The service may report success although nothing can be read.
        guard !readable.isEmpty else { throw .locked }
        return readable
    }

    /// - Throws: `.locked` if nothing is found and the locked keyring may hide items.
    private func search(for attributes: ItemAttributes) throws(KeyringError) -> [Item] {
        try prepareSearch()
        let found = try service.readItems(having: attributes)
        guard found.isEmpty, try !emptyMeansAbsent() else { return found }
        throw .locked
    }

    /// Whether an empty result proves that there is no item, at least where new items go.
    private func emptyMeansAbsent() throws(KeyringError) -> Bool {
        if try isOpen(), configuredCollection == nil { return true }
        if try service.program() == .gnomeKeyring { return true }
        return try writeCollection()?.isLocked != true
    }
}

extension LibsecretKeyring: ForeignKeyring {
    /// More items than any tool stores for one person; a limit, since reading takes time.
    private static let mostForeignItems = 500

    package func foreignItems(
        having attributes: [(name: String, value: [UInt8])]
    ) throws(KeyringError) -> [ForeignItem] {
        try retryingBriefly { () throws(KeyringError) in
            try prepareSearch()
            var (paths, locked) = try service.search(named: attributes)
            if !locked.isEmpty { paths += try unlock(locked) }
            var items: [ForeignItem] = []
            for path in paths.prefix(Self.mostForeignItems) {
                if let item = try readForeign(path) { items.append(item) }
            }
            return items
        }
    }

    /// `nil` if the item no longer exists or is still locked.
    private func readForeign(_ path: String) throws(KeyringError) -> ForeignItem? {
        do throws(KeyringError) {
            let secret = try service.secret(of: path)
            let properties = try service.properties(of: path, interface: SecretServiceConnection.Name.item)
            guard let secret else {
                guard properties["Locked"]?.boolean == true else { throw .noSession }
                return nil
            }
            return ForeignItem(
                attributes: properties["Attributes"]?.dictionary ?? [],
                modified: properties["Modified"]?.uint64 ?? 0, secret: secret)
        } catch .noSuchObject, .locked {
            return nil
        }
    }
}
