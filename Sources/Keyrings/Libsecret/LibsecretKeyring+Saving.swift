package import CredentialCore

extension LibsecretKeyring {
    package func save(_ secret: Secret, under attributes: ItemAttributes) throws(KeyringError) {
        guard attributes.isExpressible else { throw .unstorable }
        let silentBudget = calls.budget
        calls.budget = TimeBudget(milliseconds: limits.saveMilliseconds)
        defer { calls.budget = silentBudget }
        try retrying { service throws(CallFailure) in try save(secret, under: attributes, on: service) }
    }

    package func checkWritable(replacing item: Item) throws(KeyringError) {
        guard let secret = item.secret else { throw .locked }
        // Its successor will be of the newer schema: an item of its own, which the collection has to take.
        guard item.schemaName == Schema.gitPassword.rawValue else { return try checkWritable(mayPrompt: false) }
        try retryingOnce { service throws(CallFailure) in
            try replaceSecret(of: item.path, with: secret, on: service)
        }
    }

    /// Saves once.
    ///
    /// What is locked refuses by itself; KWallet calls things locked that are not.
    private func save(
        _ secret: Secret, under attributes: ItemAttributes, on service: SecretServiceConnection
    ) throws(CallFailure) {
        try prepareSearch(on: service)
        var twins = try twins(of: attributes, on: service)
        var path: String
        if let current = twins.first(where: \.isOfNewerSchema) {
            // Not by creating it again: KeePassXC 2.7.4 answers that with a dialog.
            path = current.path
            try replaceSecret(of: path, with: secret, on: service)
        } else {
            path = try create(secret, under: attributes, on: service)
            // A sibling that found nothing either has created one as well: both settle on the same.
            twins = try self.twins(of: attributes, on: service)
            if let first = twins.filter(\.isOfNewerSchema).map(\.path).min(), first < path {
                path = first
                try replaceSecret(of: path, with: secret, on: service)
            }
        }
        // That no error came back proves nothing. A sibling may also have saved in between; then ours goes over it.
        guard try isKept(secret, at: path, on: service) else { throw .notKept }
        for twin in twins where twin.path != path { removeSuperseded(twin, on: service) }
    }

    /// Whether the secret is there.
    private func isKept(
        _ secret: Secret, at path: String, on service: SecretServiceConnection
    ) throws(CallFailure) -> Bool {
        do throws(CallFailure) {
            return try service.secret(of: path) == secret
        } catch .locked {
            // A person who allows KeePassXC one access has allowed the save, and not this.
            return true
        }
    }

    /// Gives an item a new secret; a person may be asked once more, if KeePassXC was allowed one access and not two.
    func replaceSecret(
        of path: String, with secret: Secret, on service: SecretServiceConnection
    ) throws(CallFailure) {
        do throws(CallFailure) {
            try service.replaceSecret(of: path, with: secret)
        } catch .locked {
            _ = try unlock([path], on: service)
            try service.replaceSecret(of: path, with: secret)
        }
    }

    /// Overwrites a secret that is about to be deleted: KeePassXC moves what is deleted to a recycle bin.
    ///
    /// What it then still has in the history of the entry, nobody can remove by the Secret Service.
    ///
    /// - Throws: `.locked` if a person has to be asked for that.
    private func overwrite(_ path: String, on service: SecretServiceConnection) throws(CallFailure) {
        try service.replaceSecret(of: path, with: Secret([]))
    }

    /// Overwrites and deletes an item; a person may be asked, if there is one.
    func erase(_ path: String, on service: SecretServiceConnection) throws(CallFailure) {
        do throws(CallFailure) {
            try overwrite(path, on: service)
        } catch .locked {
            _ = try unlock([path], on: service)
            try overwrite(path, on: service)
        }
        try service.delete(path, prompting: try incidentalPrompting(of: service))
    }

    /// The items with exactly these attributes, of either schema or none: the newest first, then by path.
    private func twins(
        of attributes: ItemAttributes, on service: SecretServiceConnection
    ) throws(CallFailure) -> [DescribedItem] {
        let (unlocked, locked) = try service.search(attributes)
        var twins: [DescribedItem] = []
        for path in unlocked + locked {
            guard let item = try service.describe(path, foundBy: attributes), item.attributes == attributes else {
                continue
            }
            if item.schemaName.map({ Schema(rawValue: $0) != nil }) ?? true { twins.append(item) }
        }
        return twins.sorted { ($1.modified, $0.path) < ($0.modified, $1.path) }
    }

    private func create(
        _ secret: Secret, under attributes: ItemAttributes, on service: SecretServiceConnection
    ) throws(CallFailure) -> String {
        guard let collection = try writeCollection(of: service) else { throw .noCollection }
        return try service.createItem(
            in: collection.path, attributes: attributes, secret: secret, prompting: try incidentalPrompting(of: service)
        )
    }

    /// Removes what the saved item replaces.
    ///
    /// A failure is passed over: the secret is saved, and what remains is older.
    private func removeSuperseded(_ twin: DescribedItem, on service: SecretServiceConnection) {
        do throws(CallFailure) {
            try overwrite(twin.path, on: service)
            try service.delete(twin.path, prompting: .none)
        } catch {}
    }

    /// Runs `body` until it succeeds, fails for good, or the budget ends; in between ever longer pauses.
    private func retrying(
        _ body: (SecretServiceConnection) throws(CallFailure) -> Void
    ) throws(KeyringError) {
        var pause: Int64 = 50
        var wasDisconnected = false
        while true {
            let failure: CallFailure
            do {
                return try body(connection())
            } catch {
                failure = error
            }
            switch failure {
            case .disconnected: wasDisconnected = true
            case .noSuchObject, .notKept: break  // a sibling was faster: look again
            case .noProvider where wasDisconnected: break  // it may be starting
            default: throw failure.keyringError
            }
            disconnect()
            do {
                try calls.pause(milliseconds: pause)
            } catch {
                throw error == .interrupted ? .interrupted : failure.keyringError
            }
            pause = min(2 * pause, 1_600)
        }
    }
}
