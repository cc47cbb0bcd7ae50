package import CredentialCore
internal import Providers

/// ③ The search of the keyring, and the selection for a request.
package struct Lookup {
    private let dependencies: Dependencies
    /// The seconds for which a returned token must still be valid, or a quarter of its lifetime if that is less.
    ///
    /// Only the environment changes this: to read git's configuration would double the time of this path.
    private let margin: Int64

    package init(with dependencies: Dependencies) {
        self.dependencies = dependencies
        margin = SignInSettings.minValidity(environment: dependencies.environment)
    }

    package func isFresh(_ found: StoredMatch) -> Bool {
        if case .fresh = found.credential.condition(at: dependencies.clock.now, margin: margin) { true } else { false }
    }

    /// Returns the credential that makes a refresh needless: a fresh one, or a valid one that was saved meanwhile.
    ///
    /// `found` was read before the wait for the lock. If forced, it is never returned itself.
    func answer(_ current: StoredMatch?, after found: StoredMatch?, isForced: Bool) -> StoredCredential? {
        guard let credential = current?.credential else { return nil }
        let isNew = found.map { $0.credential.password != credential.password } ?? false
        switch credential.condition(at: dependencies.clock.now, margin: margin, asToken: true) {
        case .fresh where isNew || !isForced || found == nil, .ending where isNew: break
        case .fresh, .ending, .expired, .lost: return nil
        }
        dependencies.trace { "another process has renewed it meanwhile" }
        return credential
    }

    /// Returns the first match of the query, fresh or not.
    ///
    /// `isSignInHost` is called only if it matters: on such a host, a locked item may contain the grant that takes
    /// precedence, and a secret that is not a token is useless.
    ///
    /// - Throws: the keyring's error; `.locked` also if only items of lower precedence can be read.
    package func best(_ query: ItemQuery, isSignInHost: () -> Bool) throws(KeyringError) -> StoredMatch? {
        let matching = try matching(query)
        var found = read(matching, for: query)
        if matching.contains(where: \.isLocked),
            found.first?.credential.isProtected(at: dependencies.clock.now) != true,
            found.isEmpty || isSignInHost()
        {
            let unlocked = try dependencies.keyring.unlock(matching.filter(\.isLocked))
            found = read(query.matching(unlocked) + matching, for: query)
        }
        if let first = found.first, first.credential.isLost(asToken: true), isSignInHost() {
            found = found.map(\.asToken).ranked(for: query, at: dependencies.clock.now)
        }
        dependencies.trace { found.first.map { outline($0.credential, of: found.count) } ?? "nothing is stored" }
        return found.first
    }

    private func outline(_ credential: StoredCredential, of count: Int) -> String {
        let seconds = credential.passwordExpiryUTC.map { String($0 - dependencies.clock.now) }
        return "found \(count), the best of \(DisplayText(account: credential.username)): "
            + (seconds.map { "ends in \($0) s" } ?? "does not expire")
            + (credential.isRefreshable ? ", renewable" : "")
    }

    /// Returns all matches, the best first.
    ///
    /// Locked items are unlocked only if no other item can be read, because unlocking may show a prompt.
    package func all(_ query: ItemQuery) throws(KeyringError) -> [StoredMatch] {
        let matching = try matching(query)
        let areAllLocked = !matching.isEmpty && matching.allSatisfy(\.isLocked)
        return read(areAllLocked ? query.matching(try dependencies.keyring.unlock(matching)) : matching, for: query)
    }

    /// Returns the matches, the best first, and the items that stay locked.
    ///
    /// Unlocks the rest, perhaps with a prompt, unless `isEnough` returns true. The error is `nil` if nobody was asked
    /// to unlock the items that stay locked.
    ///
    /// - Throws: why nothing can be read, if all items are locked.
    package func readable(
        _ query: ItemQuery, unless isEnough: ([StoredMatch], [Item]) -> Bool = { _, _ in false }
    ) throws(KeyringError) -> (found: [StoredMatch], locked: [Item], because: KeyringError?) {
        let matching = try matching(query)
        let locked = matching.filter(\.isLocked)
        let found = read(matching, for: query)
        if locked.isEmpty || isEnough(found, locked) { return (found, locked, nil) }
        do {
            let unlocked = try dependencies.keyring.unlock(locked)
            let rest = locked.filter { item in !unlocked.contains { $0.path == item.path } }
            return (read(query.matching(unlocked) + matching, for: query), rest, rest.isEmpty ? nil : .locked)
        } catch {
            guard locked.count < matching.count else { throw error }
            return (found, locked, error)
        }
    }

    /// Returns the items that can be read, and why the others cannot.
    ///
    /// - Throws: why nothing can be read, if all items are locked.
    package func unlocked(_ attributes: ItemAttributes) throws(KeyringError) -> (items: [Item], because: KeyringError?)
    {
        let items = try search(attributes)
        let locked = items.filter(\.isLocked)
        let open = items.filter { !$0.isLocked }
        guard !locked.isEmpty else { return (open, nil) }
        do {
            return (open + (try dependencies.keyring.unlock(locked)), nil)
        } catch {
            guard !open.isEmpty else { throw error }
            return (open, error)
        }
    }

    private func matching(_ query: ItemQuery) throws(KeyringError) -> [Item] {
        query.matching(try search(query.search))
    }

    /// Searches the keyring; unlocks one that does not list its items, perhaps with a prompt.
    private func search(_ attributes: ItemAttributes) throws(KeyringError) -> [Item] {
        do {
            return try dependencies.keyring.items(having: attributes)
        } catch .locked {
            try dependencies.keyring.checkWritable(mayPrompt: true)
            return try dependencies.keyring.items(having: attributes)
        }
    }

    /// Returns the matches, the best first, without items whose secret is not in our format.
    func read(_ items: [Item], for query: ItemQuery) -> [StoredMatch] {
        items.compactMap(StoredMatch.init).map(asRefused).ranked(for: query, at: dependencies.clock.now)
    }

    /// Marks a token as expired that the server has rejected, although the keyring still contains it unchanged.
    private func asRefused(_ found: StoredMatch) -> StoredMatch {
        guard let host = found.item.attributes.hostName,
            let time = dependencies.refusedTokens.refusal(
                of: found.credential.password, for: .account(found.credential.username, on: host))
        else { return found }
        var refused = found
        refused.credential.passwordExpiryUTC = StoredCredential.expiryOfRejected
        if refused.credential.grant?.wasJustRefused(at: time) == true {
            // The token was refreshed after a rejection: another refresh would only bring another rejected token.
            refused.credential.oauthRefreshToken = nil
            if refused.credential.grant?.installation != nil { refused.credential.grant?.exhaustedAt = time }
        } else {
            refused.credential.grant?.refusedAt = time
        }
        return refused
    }
}

extension StoredMatch {
    /// The account's name, as it may be shown.
    var account: DisplayText { DisplayText(account: credential.username) }

    /// Marks a lost token as expired, on a host where we sign in.
    fileprivate var asToken: StoredMatch {
        var match = self
        if credential.isLost(asToken: true) { match.credential.passwordExpiryUTC = StoredCredential.expiryOfRejected }
        return match
    }
}

extension Keyring {
    /// Looks up a password as git does, without a prompt.
    package func password(for request: Request, at now: Int64) -> Secret? {
        guard let context = try? CredentialContext(of: request) else { return nil }
        let query = context.query(user: request.username)
        let items = (try? items(having: query.search)) ?? []
        let found = query.matching(items).compactMap(StoredMatch.init).ranked(for: query, at: now).first
        return found.flatMap { $0.credential.password.isEmpty ? nil : $0.credential.password }
    }
}
