internal import CredentialCore
internal import TestSupport

extension Simulation {
    /// What the rules have to know of an item.
    struct Entry {
        let item: Item
        let account: Account
        let credential: StoredCredential
        /// By its password and by its refresh token; nil for what no server here has issued.
        let pair: Pair?
        let refreshable: Pair?

        /// Nil for what cannot be read.
        init?(_ item: Item, _ server: Server) {
            guard let match = StoredMatch(item),
                let site = Site.allCases.first(where: { $0.name == item.attributes.hostName })
            else { return nil }
            self.item = item
            account = Account(site: site, name: String(decoding: match.credential.username, as: UTF8.self).lowercased())
            credential = match.credential
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
        (hasCollection ? keyring : memory).put(credential, for: account.site.rawValue)
    }

    /// What a call does to an item is told to the rules.
    func watching<Result>(
        _ attributes: ItemAttributes, in keyring: InMemoryKeyring, by outside: Outside,
        _ call: () throws(KeyringError) -> Result
    ) throws(KeyringError) -> Result {
        let old = entry(attributes, in: keyring)
        let result = try call()
        let new = entry(attributes, in: keyring)
        guard old?.item.modified != new?.item.modified else { return result }
        let moved = keyring === memory ? nil : entry(attributes, in: memory)
        if new == nil, keyring === memory, let old, entry(attributes, in: self.keyring) != nil {
            lastMoves[old.account.site] = serial
        } else if old != nil || moved?.item.secret != new?.item.secret {
            // What comes along from memory is not written anew.
            rules.wrote(new, over: old ?? moved, outside)
        }
        return result
    }

    private func entry(_ attributes: ItemAttributes, in keyring: InMemoryKeyring) -> Entry? {
        guard let item = keyring.items.first(where: { $0.attributes == attributes }) else { return nil }
        let entry = Entry(item, server)
        if entry == nil { fail("the keyring holds what can be read", "a secret without its form") }
        return entry
    }

    /// What a request finds: not what memory has of an account that is in the keyring.
    var visible: [Entry] {
        let forgotten = memory.items.filter { item in !keyring.items.contains { $0.attributes == item.attributes } }
        return (keyring.items + forgotten).compactMap { Entry($0, server) }
    }
}
