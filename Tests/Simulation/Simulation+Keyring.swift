internal import CredentialCore
internal import TestSupport

extension Simulation {
    /// A keyring item with the pairs of its tokens.
    struct Entry {
        let item: Item
        let account: Account
        let credential: StoredCredential
        /// The pair of the password (and of the refresh token, below); `nil` for tokens that no server has issued.
        let pair: Pair?
        let refreshable: Pair?

        /// Returns `nil` for an item that cannot be parsed.
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

    /// Stores a credential from the time before the schedule: a grant, or a password.
    func begin(_ account: Account) {
        // With rejecting servers, no token is about to expire: a refresh would replace it before the rejection.
        let life = [Server.lifetime, -10, plan.rejects ? -10 : 250][random.next(below: 3)]
        let isGrant = random.next(below: 8) > 0
        let pair = isGrant ? server.issue(account, now: now, life: life) : nil
        var credential = StoredCredential(
            username: Array(account.name.utf8),
            password: Secret(Array((pair?.accessToken ?? "password of \(account)").utf8)),
            passwordExpiryUTC: pair?.expiry, oauthRefreshToken: pair?.refreshToken.map { Secret(Array($0.utf8)) })
        if isGrant {
            credential.grant = StoredCredential.Grant(
                clientID: "Iv1.0123456789abcdef", tokenOrigin: "https://\(account.site.rawValue)",
                issuedAt: now + life - Server.lifetime, since: now - 1_000_000 - Int64(random.next(below: 1_000)))
        }
        pair?.wasSaved = true
        (hasCollection ? keyring : memory).put(credential, for: account.site.rawValue)
    }

    /// Makes a call that may change an item, and reports the change to the rules.
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
            // An item moved unchanged from git's cache is no new write.
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

    /// The entries that a request finds: an account in the keyring hides the same one in git's cache.
    var visible: [Entry] {
        let forgotten = memory.items.filter { item in !keyring.items.contains { $0.attributes == item.attributes } }
        return (keyring.items + forgotten).compactMap { Entry($0, server) }
    }
}
