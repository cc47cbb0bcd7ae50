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
        let found = try retryingBriefly { service throws(KeyringError) in try collectionForNewItems(of: service) }
        guard found.isLocked else { return }
        try retryingBriefly { service throws(KeyringError) in
            if mayPrompt {
                _ = try unlock([found.path], on: service)
            } else {
                guard try openUnasked(on: service) else { throw .locked }
            }
            let isLocked = try service.collection(at: found.path)?.isLocked ?? true
            guard !isLocked else { throw .locked }
        }
    }

    package func save(_ secret: Secret, under attributes: ItemAttributes) throws(KeyringError) {
        try traced("save", { "saved" }) { () throws(KeyringError) in
            guard attributes.isExpressible else { throw .unstorable }
            do throws(KeyringError) {
                try saveOnce(secret, under: attributes)
            } catch {
                try help(self, error, error == .locked ? lockedPlace(of: attributes) : .forNewItems)
                try saveOnce(secret, under: attributes)
            }
        }
    }

    private func saveOnce(_ secret: Secret, under attributes: ItemAttributes) throws(KeyringError) {
        try calls.within(limits.saveMilliseconds) { () throws(KeyringError) in
            try retrying { service throws(KeyringError) in try save(secret, under: attributes, on: service) }
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
            return try retryingBriefly { service throws(KeyringError) in
                guard let current = try service.read(item.path, foundBy: item.attributes) else { return false }
                // KeePassXC may ask a person again for the save, so not for this read as well.
                guard current.isLocked || current.secret == read else { return false }
                try replaceSecret(of: item.path, with: secret, on: service)
                return true
            }
        }
    }

    /// Saves without checking locks first: a locked item refuses the save, and KWallet reports open ones as locked.
    private func save(
        _ secret: Secret, under attributes: ItemAttributes, on service: SecretServiceConnection
    ) throws(KeyringError) {
        try prepareSearch(on: service)
        var duplicates = try duplicates(of: attributes, on: service)
        if let hidden = duplicates.first(where: \.isHidden) {
            // A second item would be created otherwise, in the collection for new items.
            _ = try unlock([hidden.path], on: service)
            duplicates = try self.duplicates(of: attributes, on: service)
        }
        var path: String
        if let current = duplicates.first(where: \.isOfNewerSchema) {
            // KeePassXC 2.7.4 answers a repeated creation with a dialog.
            path = current.path
            try replaceSecret(of: path, with: secret, on: service)
        } else {
            path = try create(secret, under: attributes, on: service)
            // Another process may have created one at the same time: both keep the first by path.
            duplicates = try self.duplicates(of: attributes, on: service)
            if let first = duplicates.filter(\.isOfNewerSchema).map(\.path).min(), first < path {
                path = first
                try replaceSecret(of: path, with: secret, on: service)
            }
        }
        // No error does not mean success, and another process may have saved in between; a retry overwrites that.
        guard try isKept(secret, at: path, on: service) else { throw .notKept }
        for duplicate in duplicates where duplicate.path != path { removeSuperseded(duplicate, on: service) }
    }

    private func isKept(
        _ secret: Secret, at path: String, on service: SecretServiceConnection
    ) throws(KeyringError) -> Bool {
        do throws(KeyringError) {
            return try service.secret(of: path) == secret
        } catch .locked {
            // A person who allowed KeePassXC one access has allowed the save, but not this read.
            return true
        }
    }

    func replaceSecret(of path: String, with secret: Secret, on service: SecretServiceConnection) throws(KeyringError) {
        do throws(KeyringError) {
            try service.replaceSecret(of: path, with: secret)
        } catch .locked {
            // The person may have allowed KeePassXC one access only.
            _ = try unlock([path], on: service)
            try service.replaceSecret(of: path, with: secret)
        }
    }

    /// Overwrites an item before its deletion, since KeePassXC moves deleted entries to a recycle bin.
    ///
    /// The Secret Service cannot clear the entry's history in KeePassXC.
    ///
    /// - Throws: `.locked` if a person would have to be asked.
    private func overwrite(_ path: String, on service: SecretServiceConnection) throws(KeyringError) {
        try service.replaceSecret(of: path, with: Secret([]))
    }

    /// Deletes an item, with a prompt if that is necessary and possible.
    func erase(_ path: String, on service: SecretServiceConnection) throws(KeyringError) {
        do throws(KeyringError) {
            try overwrite(path, on: service)
        } catch .locked {
            _ = try unlock([path], on: service)
            try overwrite(path, on: service)
        }
        try service.delete(path, prompting: try incidentalPrompting(of: service))
    }

    /// The items with exactly these attributes, of either schema or none: the newest first, then by path.
    private func duplicates(
        of attributes: ItemAttributes, on service: SecretServiceConnection
    ) throws(KeyringError) -> [DescribedItem] {
        let (unlocked, locked) = try service.search(named: attributes.named)
        var duplicates: [DescribedItem] = []
        for path in unlocked + locked {
            guard let item = try service.describe(path, foundBy: attributes), item.attributes == attributes else {
                continue
            }
            if item.schemaName.map({ Schema(rawValue: $0) != nil }) ?? true { duplicates.append(item) }
        }
        return duplicates.sorted { ($1.modified, $0.path) < ($0.modified, $1.path) }
    }

    private func create(
        _ secret: Secret, under attributes: ItemAttributes, on service: SecretServiceConnection
    ) throws(KeyringError) -> String {
        let collection = try collectionForNewItems(of: service)
        // KeePassXC would answer with a dialog. KWallet refuses by itself, and reports open wallets as locked.
        if collection.isLocked, try service.program() != .kwallet { _ = try unlock([collection.path], on: service) }
        return try service.createItem(
            in: collection.path, attributes: attributes, secret: secret, prompting: try incidentalPrompting(of: service)
        )
    }

    /// Deletes an older item; ignores failures, since the secret is already saved.
    private func removeSuperseded(_ duplicate: DescribedItem, on service: SecretServiceConnection) {
        do throws(KeyringError) {
            try overwrite(duplicate.path, on: service)
            try service.delete(duplicate.path, prompting: .none)
        } catch {}
    }

    /// Retries with increasing pauses until success, a permanent failure, or the deadline.
    private func retrying(_ body: (SecretServiceConnection) throws(KeyringError) -> Void) throws(KeyringError) {
        var pause: Int64 = 50
        var wasDisconnected = false
        while true {
            let failure: KeyringError
            do {
                return try body(connection())
            } catch {
                failure = error
            }
            switch failure {
            case .disconnected: wasDisconnected = true
            case .noSuchObject, .notKept: break  // another process was faster: try again
            case .noSession: break
            case .noProvider where wasDisconnected: break  // it may be starting
            default: throw failure
            }
            disconnect()
            do {
                try calls.pause(milliseconds: pause)
            } catch {
                throw error == .interrupted ? .interrupted : failure
            }
            pause = min(2 * pause, 1_600)
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
