package import CredentialCore

extension LibsecretKeyring {
    package func checkWritable(mayPrompt: Bool) throws(KeyringError) {
        try traced("is it writable?", { "yes" }) { () throws(KeyringError) in
            do throws(KeyringError) {
                try checkWritableOnce(mayPrompt: mayPrompt)
            } catch {
                guard mayPrompt else { throw error }
                try help(self, error, .forNewItems)
                try checkWritableOnce(mayPrompt: false)
            }
        }
    }

    private func checkWritableOnce(mayPrompt: Bool) throws(KeyringError) {
        let found = try retryingBriefly { () throws(KeyringError) in try collectionForNewItems() }
        guard found.isLocked else { return }
        try retryingBriefly { () throws(KeyringError) in
            if mayPrompt {
                _ = try unlock([found.path])
            } else {
                guard try openUnasked() else { throw .locked }
            }
            let isLocked = try service.collection(at: found.path)?.isLocked ?? true
            guard !isLocked else { throw .locked }
        }
    }

    package func save(_ secret: Secret, under attributes: ItemAttributes) throws(KeyringError) {
        try traced("save", { "saved" }) { () throws(KeyringError) in
            guard attributes.isExpressible else { throw .unstorable }
            do throws(KeyringError) {
                try retrying { () throws(KeyringError) in try saveOnce(secret, under: attributes) }
            } catch {
                try help(self, error, error == .locked ? lockedPlace(of: attributes) : .forNewItems)
                try retrying { () throws(KeyringError) in try saveOnce(secret, under: attributes) }
            }
        }
    }

    private func lockedPlace(of attributes: ItemAttributes) throws(KeyringError) -> CollectionSelection {
        let stored = try items(having: attributes).filter { $0.attributes == attributes && $0.isLocked }
        return stored.isEmpty ? .forNewItems : .holding(stored)
    }

    package func replace(_ item: Item, with secret: Secret) throws(KeyringError) -> Bool {
        try traced("replace", { $0 ? "replaced" : "changed since it was read" }) { () throws(KeyringError) in
            guard let read = item.secret else { throw .locked }
            // A save creates a separate item of the newer schema, which the collection must accept.
            if item.schemaName != Schema.gitPassword.rawValue { try checkWritableOnce(mayPrompt: false) }
            return try retryingBriefly { () throws(KeyringError) in
                guard let current = try service.read(item.path, foundBy: item.attributes) else { return false }
                // KeePassXC may ask a person again for the save, so not for this read as well.
                guard current.isLocked || current.secret == read else { return false }
                try replaceSecret(of: item.path, with: secret)
                return true
            }
        }
    }

    /// Saves without checking locks first: a locked item refuses the save, and KWallet reports open ones as locked.
    private func saveOnce(_ secret: Secret, under attributes: ItemAttributes) throws(KeyringError) {
        try prepareSearch()
        var duplicates = try duplicates(of: attributes)
        if let hidden = duplicates.first(where: \.isHidden) {
            // A second item would be created otherwise, in the collection for new items.
            _ = try unlock([hidden.item.path])
            duplicates = try self.duplicates(of: attributes)
        }
        var path: String
        if let current = duplicates.first(where: \.item.isOfGitsSchema) {
            // KeePassXC 2.7.4 answers a repeated creation with a dialog.
            path = current.item.path
            try replaceSecret(of: path, with: secret)
        } else {
            path = try create(secret, under: attributes)
            // Another process may have created one at the same time: both keep the first by path.
            duplicates = try self.duplicates(of: attributes)
            if let first = duplicates.filter(\.item.isOfGitsSchema).map(\.item.path).min(), first < path {
                path = first
                try replaceSecret(of: path, with: secret)
            }
        }
        // No error does not mean success, and another process may have saved in between; a retry overwrites that.
        guard try isKept(secret, at: path) else { throw .notKept }
        for duplicate in duplicates where duplicate.item.path != path { removeSuperseded(duplicate.item.path) }
    }

    private func isKept(_ secret: Secret, at path: String) throws(KeyringError) -> Bool {
        do throws(KeyringError) {
            return try service.secret(of: path) == secret
        } catch .locked {
            // A person who allowed KeePassXC one access has allowed the save, but not this read.
            return true
        }
    }

    private func replaceSecret(of path: String, with secret: Secret) throws(KeyringError) {
        do throws(KeyringError) {
            try service.replaceSecret(of: path, with: secret)
        } catch .locked {
            // The person may have allowed KeePassXC one access only.
            _ = try unlock([path])
            try service.replaceSecret(of: path, with: secret)
        }
    }

    /// Deletes an item, with a prompt if that is necessary and possible.
    ///
    /// Overwrites it first, since KeePassXC moves deleted entries to a recycle bin. The Secret Service cannot clear the
    /// entry's history there.
    func erase(_ path: String) throws(KeyringError) {
        try replaceSecret(of: path, with: Secret([]))
        try service.delete(path, prompting: incidentalPrompting())
    }

    /// The items with exactly these attributes, of either schema or none: the newest first, then by path.
    private func duplicates(of attributes: ItemAttributes) throws(KeyringError) -> [DescribedItem] {
        let (unlocked, locked) = try service.search(named: attributes.named)
        var duplicates: [DescribedItem] = []
        for path in unlocked + locked {
            guard let found = try service.describe(path, foundBy: attributes), found.item.attributes == attributes,
                found.item.schemaName.map({ Schema(rawValue: $0) != nil }) ?? true
            else { continue }
            duplicates.append(found)
        }
        return duplicates.sorted { ($1.item.modified, $0.item.path) < ($0.item.modified, $1.item.path) }
    }

    private func create(_ secret: Secret, under attributes: ItemAttributes) throws(KeyringError) -> String {
        let collection = try collectionForNewItems()
        // KeePassXC would answer with a dialog. KWallet refuses by itself, and reports open wallets as locked.
        if collection.isLocked, try service.program() != .kwallet { _ = try unlock([collection.path]) }
        return try service.createItem(
            in: collection.path, attributes: attributes, secret: secret, prompting: incidentalPrompting())
    }

    /// Deletes an older item; ignores failures, since the secret is already saved.
    private func removeSuperseded(_ path: String) {
        if (try? service.replaceSecret(of: path, with: Secret([]))) != nil {
            try? service.delete(path, prompting: .none)
        }
    }

    /// Retries with increasing pauses until success, a permanent failure, or the deadline.
    private func retrying(_ body: () throws(KeyringError) -> Void) throws(KeyringError) {
        try calls.within(limits.saveMilliseconds) { () throws(KeyringError) in
            var pause: Int64 = 50
            var wasDisconnected = false
            while true {
                do throws(KeyringError) {
                    _ = try service
                    return try body()
                } catch {
                    switch error {
                    case .disconnected: wasDisconnected = true
                    case .noSuchObject, .notKept: break  // another process was faster: try again
                    case .noSession: break
                    case .noProvider where wasDisconnected: break  // it may be starting
                    default: throw error
                    }
                    disconnect()
                    try rethrowing(as: { $0 == .interrupted ? $0 : error }, try calls.pause(milliseconds: pause))
                    pause = min(2 * pause, 1_600)
                }
            }
        }
    }
}

extension ItemAttributes {
    /// The attributes of an item in a keyring that has not been unlocked since the daemon started, with values from the
    /// search, which the service has compared; `nil` if no attribute is hidden.
    ///
    /// gnome-keyring then shows digests of the values under prefixed names, but still finds the item. Read literally,
    /// the item would look like another program's.
    init?(hidden shown: [(name: String, value: [UInt8])], foundBy asked: ItemAttributes) {
        let prefix = "gkr:compat:hashed:"
        let names = shown.filter { $0.name.hasPrefix(prefix) }.map { String($0.name.dropFirst(prefix.count)) }
        guard !names.isEmpty else { return nil }
        let known = asked.named
        self.init(named: names.map { name in (name, known.first { $0.name == name }?.value ?? Item.hiddenValue) })
    }
}
