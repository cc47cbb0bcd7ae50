internal import CredentialCore

extension Simulation {
    /// An item of the keyring, and what the rules have to know of it.
    final class Entry {
        let item: Item
        let named: [(name: String, value: [UInt8])]
        let account: Account
        let credential: StoredCredential
        /// By its password and by its refresh token; nil for what no server here has issued.
        let pair: Pair?
        let refreshable: Pair?

        init(_ item: Item, of account: Account, _ credential: StoredCredential, _ server: Server) {
            self.item = item
            named = item.attributes.named
            self.account = account
            self.credential = credential
            pair = server.pair(of: credential.password.text)
            refreshable = credential.oauthRefreshToken.flatMap { server.pair(of: $0.text) }
        }
    }

    /// An account has signed in long ago, or a password was stored for it.
    func begin(_ account: Account) {
        // Whatever a server rejects at once is not refreshed just because it ends soon.
        let life = [Server.lifetime, -10, plan.rejects ? -10 : 250][random.next(below: 3)]
        let isGrant = random.next(below: 8) > 0
        let pair = isGrant ? server.issue(account, now: now, life: life) : nil
        var credential = StoredCredential(
            username: Array(account.name.utf8),
            password: Secret(Array((pair?.accessToken ?? "password of \(account)").utf8)),
            passwordExpiryUTC: pair?.expiry,
            oauthRefreshToken: pair?.refreshToken.map { Secret(Array($0.utf8)) })
        if isGrant {
            credential.grant = StoredCredential.Grant(
                clientID: "Iv1.0123456789abcdef", tokenOrigin: "https://\(account.site.rawValue)",
                issuedAt: now + life - Server.lifetime, since: now - 1_000_000 - Int64(random.next(below: 1_000)))
        }
        pair?.wasSaved = true
        let attributes = ItemAttributes(
            protocol: Array("https".utf8), host: account.site.name, user: credential.username)
        let storage = hasCollection ? CredentialStorage.keyring : .memory
        if let text = SecretText.encode(credential), let entry = entry(text, under: attributes, in: storage) {
            keyring.append(entry)
        }
    }

    private func entry(
        _ secret: Secret, under attributes: ItemAttributes, in storage: CredentialStorage, created: UInt64? = nil
    ) -> Entry? {
        serial += 1
        let item = Item(
            path: "/item/\(serial)", attributes: attributes, schemaName: Schema.gitPassword.rawValue,
            created: created ?? UInt64(serial), modified: UInt64(serial), secret: secret, storage: storage)
        guard let match = StoredMatch(item), let site = Site.allCases.first(where: { $0.name == attributes.hostName })
        else { return nil }
        let name = String(decoding: match.credential.username, as: UTF8.self).lowercased()
        return Entry(item, of: Account(site: site, name: name), match.credential, server)
    }

    // MARK: What the keyring does, and git's memory in its place

    func items(having attributes: ItemAttributes, in storage: CredentialStorage) -> [Item] {
        let wanted = attributes.named
        return keyring.filter { entry in
            entry.item.storage == storage
                && wanted.allSatisfy { wanted in
                    entry.named.contains { $0.name == wanted.name && $0.value == wanted.value }
                }
        }.map(\.item)
    }

    private func index(of attributes: ItemAttributes, in storage: CredentialStorage) -> Int? {
        keyring.firstIndex { $0.item.attributes == attributes && $0.item.storage == storage }
    }

    func replace(_ item: Item, with secret: Secret, in storage: CredentialStorage, _ outside: Outside) -> Bool {
        guard let index = index(of: item.attributes, in: storage), keyring[index].item.secret == item.secret else {
            return false
        }
        outside.faultsWhenWritable = keyringFaults
        if secret != item.secret { put(secret, under: item.attributes, in: storage, outside) }
        outside.step("replaced")
        return true
    }

    func put(_ secret: Secret, under attributes: ItemAttributes, in storage: CredentialStorage, _ outside: Outside) {
        let index = index(of: attributes, in: storage)
        let old = (index ?? self.index(of: attributes, in: .memory)).map { keyring[$0] }
        guard let new = entry(secret, under: attributes, in: storage, created: old?.item.created) else {
            return fail("the keyring holds what can be read", "a secret without its form")
        }
        if let index { keyring[index] = new } else { keyring.append(new) }
        // What comes along from memory is not written anew.
        if index == nil, let old, old.item.secret == secret { return }
        rules.wrote(new, over: old, outside)
    }

    func remove(_ item: Item, in storage: CredentialStorage, _ outside: Outside) {
        // By its attributes in git's memory, which has no paths.
        let index =
            storage == .memory
            ? self.index(of: item.attributes, in: .memory) : keyring.firstIndex { $0.item.path == item.path }
        guard let index else { return }
        let old = keyring.remove(at: index)
        if storage == .memory, self.index(of: item.attributes, in: .keyring) != nil {
            lastMoves[old.account.site] = serial
            return
        }
        rules.wrote(nil, over: old, outside)
    }

    /// What a request finds: not what memory has of an account that is in the keyring.
    var visible: [Entry] {
        keyring.filter { entry in
            entry.item.storage == .keyring || index(of: entry.item.attributes, in: .keyring) == nil
        }
    }
}
