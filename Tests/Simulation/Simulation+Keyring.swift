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
        if let text = SecretText.encode(credential), let entry = entry(text, under: attributes) {
            keyring.append(entry)
        }
    }

    func entry(_ secret: Secret, under attributes: ItemAttributes, created: UInt64? = nil) -> Entry? {
        serial += 1
        let item = Item(
            path: "/item/\(serial)", attributes: attributes, schemaName: Schema.gitPassword.rawValue,
            created: created ?? UInt64(serial), modified: UInt64(serial), secret: secret)
        guard let match = StoredMatch(item), let site = Site.allCases.first(where: { $0.name == attributes.hostName })
        else { return nil }
        let name = String(decoding: match.credential.username, as: UTF8.self).lowercased()
        return Entry(item, of: Account(site: site, name: name), match.credential, server)
    }
}
