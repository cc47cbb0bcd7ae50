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
    package func best(_ query: ItemQuery, isSignInHost: () -> Bool = { true }) throws(KeyringError) -> StoredMatch? {
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
    /// ⑥ Replaces an item with the same attributes.
    ///
    /// - Throws: `.unstorable` for values that the secret's text cannot contain.
    func save(_ credential: StoredCredential, under attributes: ItemAttributes) throws(KeyringError) {
        guard let text = SecretText.encode(credential) else { throw .unstorable }
        try save(text, under: attributes)
    }

    /// Looks up a password as git does, without a prompt.
    package func password(for request: Request, at now: Int64) -> Secret? {
        guard let context = try? CredentialContext(of: request) else { return nil }
        let query = context.query(user: request.username)
        let items = (try? items(having: query.search)) ?? []
        let found = query.matching(items).compactMap(StoredMatch.init).ranked(for: query, at: now).first
        return found.flatMap { $0.credential.password.isEmpty ? nil : $0.credential.password }
    }
}

extension Dependencies {
    /// ⑥ Replaces the account's item, whatever the case of its stored name, and keeps the time since which it is stored.
    ///
    /// Takes the account's lock: otherwise, a refresh in progress could overwrite the item with its own pair. The
    /// context is without a path. If `stays` is true for a stored credential, returns false and changes nothing.
    package func saveSignIn(
        _ credential: StoredCredential, of context: CredentialContext, unless stays: ((StoredCredential) -> Bool)? = nil
    ) -> Result<Bool, UserFacingError> {
        let lock: (any HeldLock)?
        do {
            lock = try hold(credential.username, on: context.host, isInterruptible: false)
        } catch {
            let host = DisplayText(untrusted: context.host.text)
            return .failure(notSaved(error.isForGood ? .noLock(error) : .otherNotFinished(host: host)))
        }
        defer { lock?.release() }
        var credential = credential
        let query = context.query(user: credential.username)
        do throws(KeyringError) {
            var stored: [StoredMatch] = []
            do throws(KeyringError) {
                stored = try Lookup(with: self).all(query)
            } catch  where stays == nil {
                // The person has signed in for this token, so an unreadable item does not keep it from being saved.
            }
            if let stays, stored.contains(where: { stays($0.credential) }) { return .success(false) }
            if let since = stored.first?.since { credential.grant?.since = since }
            let known = stored.map(\.item.attributes)
            let own = context.attributes(user: credential.username)
            let attributes = known.contains(own) ? own : known.first ?? own
            try keyring.save(credential, under: attributes)
            return .success(true)
        } catch {
            return .failure(notSaved(.keyring(error)))
        }
    }

    /// Milliseconds for which the lock may be held: a request of 30 seconds, a save of 10, and some reserve.
    private static let longestHold: Int64 = 45_000

    /// Takes the lock under which an account's item is refreshed, replaced or removed.
    ///
    /// `isInterruptible` is false for a caller with a token that exists nowhere else yet.
    ///
    /// - Returns: `nil` if no lock can be had, and `orWithout` is true since nothing is lost then.
    /// - Throws: `LockError`, after 45 seconds at most.
    package func hold(
        _ username: [UInt8], on host: HostName, orWithout isNeedless: Bool = false, isInterruptible: Bool = true
    ) throws(LockError) -> (any HeldLock)? {
        do {
            return try locks.acquire(.account(username, on: host), within: Self.longestHold) {
                !isInterruptible || ui.wait(milliseconds: 0, until: nil) == .elapsed
            }
        } catch {
            guard isNeedless, error.isForGood else { throw error }
            return nil
        }
    }

    /// ⑥ Returns the error of the save.
    func fault(saving credential: StoredCredential, under attributes: ItemAttributes) -> KeyringError? {
        do throws(KeyringError) {
            try keyring.save(credential, under: attributes)
            return nil
        } catch {
            return error
        }
    }

    func notSaved(_ why: UserFacingError) -> UserFacingError { .notSaved(why, isLost: !answersGit) }

    /// Goes on with a token that could not be saved, because git gets it.
    ///
    /// - Throws: the failure, if nobody gets the token.
    func goOn(after notSaved: UserFacingError) throws(OperationFailure) {
        guard answersGit else { throw .failed(notSaved) }
        report(notSaved)
    }
}

extension StoredCredential {
    /// `now` is the time of the response, in seconds since 1970; `issuer` is `nil` for the host itself.
    ///
    /// The previous refresh token stays valid if the response contains no new one (RFC 6749, 6).
    init(
        _ response: TokenResponse, username: [UInt8], client: OAuthClient, issuer: String?, now: Int64,
        since: Int64?, renewing predecessor: StoredCredential? = nil
    ) {
        let grant = Grant(
            clientID: client.id, issuer: issuer, tokenOrigin: client.server.token.origin, issuedAt: now,
            scope: response.scope ?? predecessor?.grant?.scope,
            refreshTokenExpiryUTC: response.refreshTokenExpiresIn.map { now + $0 }
                ?? (response.refreshToken == nil ? predecessor?.grant?.refreshTokenExpiryUTC : nil),
            supersededDigest: predecessor?.lastDigest, since: since,
            refusedAt: predecessor?.grant.flatMap { $0.wasJustRefused(at: now) ? $0.refusedAt : nil },
            accountID: predecessor?.grant?.accountID, formerName: predecessor?.grant?.formerName)
        self.init(
            username: username, password: response.accessToken, passwordExpiryUTC: response.expiresIn.map { now + $0 },
            oauthRefreshToken: response.refreshToken ?? predecessor?.oauthRefreshToken, grant: grant)
        authtype = predecessor?.authtype
    }

    /// The digest of the last access token: `erase` has noted that of a token that it dropped, whose place is empty now.
    var lastDigest: [UInt8]? { password.isEmpty ? grant?.supersededDigest : Self.digest(of: password) }
}
