package import CredentialCore
internal import Providers

/// ⑥ The save of a credential, which replaces an item with the same attributes.
package struct Save {
    private let dependencies: Dependencies
    package init(with dependencies: Dependencies) { self.dependencies = dependencies }

    /// - Throws: `KeyringError.unstorable` for values that the secret's text cannot contain; otherwise the keyring's
    ///   error.
    package func write(_ credential: StoredCredential, under attributes: ItemAttributes) throws(KeyringError) {
        guard let text = SecretText.encode(credential) else { throw .unstorable }
        try dependencies.keyring.save(text, under: attributes)
    }

    /// Returns false if another process has saved the item since it was read; that one stays.
    package func replace(_ item: Item, with credential: StoredCredential) throws(KeyringError) -> Bool {
        guard let text = SecretText.encode(credential) else { throw .unstorable }
        return try dependencies.keyring.replace(item, with: text)
    }

    /// Replaces the account's item, whatever the case of its stored name, and keeps the time since which it is stored.
    ///
    /// Takes the account's lock: otherwise, a refresh in progress could overwrite the item with its own pair. The
    /// context is without a path. If `stays` is true for a stored credential, returns false and changes nothing.
    package func signIn(
        _ credential: StoredCredential, of context: CredentialContext, unless stays: ((StoredCredential) -> Bool)? = nil
    ) -> Result<Bool, UserFacingError> {
        let lock: (any HeldLock)?
        do {
            lock = try dependencies.hold(credential.username, on: context.host, isInterruptible: false)
        } catch {
            let why: UserFacingError =
                error.isForGood
                ? .noLock(error) : .otherNotFinished(host: DisplayText(untrusted: context.host.text))
            return .failure(dependencies.notSaved(why))
        }
        defer { lock?.release() }
        var credential = credential
        let query = context.query(user: credential.username)
        do throws(KeyringError) {
            var stored: [StoredMatch] = []
            do throws(KeyringError) {
                stored = try Lookup(with: dependencies).all(query)
            } catch  where stays == nil {
                // The person has signed in for this token, so an unreadable item does not keep it from being saved.
            }
            if let stays, stored.contains(where: { stays($0.credential) }) { return .success(false) }
            if let since = stored.first?.since { credential.grant?.since = since }
            let known = stored.map(\.item.attributes)
            let own = context.attributes(user: credential.username)
            let attributes = known.contains(own) ? own : known.first ?? own
            try write(credential, under: attributes)
            return .success(true)
        } catch {
            return .failure(dependencies.notSaved(.keyring(error)))
        }
    }
}

extension Dependencies {
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
                guard isInterruptible else { return true }
                if case .elapsed = ui.wait(milliseconds: 0, until: nil) { return true }
                return false
            }
        } catch {
            guard isNeedless, error.isForGood else { throw error }
            return nil
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
