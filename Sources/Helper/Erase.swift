internal import CredentialCore
internal import Providers

/// The operation `erase`: removes a credential that git reports as rejected, or that a person wants removed.
///
/// Revokes no token.
struct Erase {
    let context: CredentialContext
    let request: Request
    let dependencies: Dependencies
    let requester: Requester

    /// Removes the matching items; if the request has a password, only those with the same one.
    ///
    /// A newer password may have been saved while git worked with the old one.
    func run() {
        do throws(UserFacingError) {
            let (matching, locked, reason) = try everything()
            var went: [Forgotten] = []
            // A person hardly ever has the secret at hand. git and other programs report each rejected credential to
            // every helper, even one that was never stored.
            if matching.isEmpty, locked.isEmpty, reason == nil, !isComplete, requester == .person {
                let account = request.username.map { AskedAccount($0, in: context) }
                dependencies.ui.say(.nothingMatched(host: host, account: account))
            }
            let kept = matching.filter(isKept)
            if !kept.isEmpty { dependencies.ui.say(.signInStays(host: host, accounts: kept.map(\.account))) }
            let ending = matching.filter { found in !kept.contains { $0.item.path == found.item.path } }
            // Removed accounts are reported even if another one could not be removed.
            defer { if !went.isEmpty { sayWhatWent(went) } }
            for (place, found) in ending.enumerated() {
                do throws(UserFacingError) {
                    if let forgotten = try forgetUnlessRenewed(found) { went.append(forgotten) }
                } catch {
                    guard !went.isEmpty else { throw error.keyring.map(UserFacingError.notErased) ?? error }
                    throw .notAllErased(accounts: ending[place...].map(\.account), host: host, error)
                }
            }
            if let reason {
                // A keyring may hide the attributes of locked items.
                let names = locked.compactMap(\.shownUser).map { DisplayText(account: $0) }
                throw .notAllErased(accounts: names, host: host, .keyring(reason))
            }
            if went.isEmpty, !locked.isEmpty { rememberRefusal() }
        } catch  where error.code == .notErased && error.keyring == .interrupted {
            rememberRefusal()
        } catch {
            rememberRefusal()
            dependencies.report(error)
        }
    }

    /// Remembers a token as rejected, but no password, which could be guessed from its digest if it is short.
    private func rememberRefusal() {
        guard let username = request.username ?? (request.hasAuthtype ? [] : nil), let password = request.secret,
            context.signInHost != nil
        else { return }
        dependencies.refusedTokens.remember(password, for: .account(username, on: context.host))
    }

    /// Whether the request has a secret; a scheme without a value is none.
    private var isComplete: Bool { request.password != nil || request.hasAuthtype }
    private var isSignInHost: Bool { ContextResolver(with: dependencies).signsIn(to: context) }
    private var host: DisplayText { DisplayText(untrusted: context.host.text) }
    private func isRejected(_ found: StoredMatch) -> Bool { !isComplete || found.credential.isSame(as: request) }

    private func everything() throws(UserFacingError) -> (found: [StoredMatch], locked: [Item], because: KeyringError?)
    {
        let (found, locked, reason) = try rethrowing(
            as: UserFacingError.notErased,
            try Lookup(with: dependencies).readable(query) { readable, locked in
                // Unlock nothing more if the rejected token is found. Ask for no permission just to compare a token
                // that can be remembered as rejected.
                isComplete
                    && (readable.contains(where: isRejected) || locked.allSatisfy(\.needsConfirmation) && isSignInHost)
            })
        return (found.filter(isRejected), locked, reason)
    }

    /// Returns whether a sign-in is kept, because it is valid or can be refreshed, and only a person ends it.
    ///
    /// A program may reject a token for another reason, as git-annex does after a 404, so the host is asked. If the
    /// host gives no answer, the token is refreshed once.
    private func isKept(_ found: StoredMatch) -> Bool {
        let now = dependencies.clock.now
        guard requester != .person, found.credential.isProtected(at: now) else { return false }
        guard isComplete else { return true }
        guard requester == .program else { return false }
        let signIn = try? ContextResolver(with: dependencies).signInContext(
            of: context, username: found.credential.username)
        switch signIn?.account(found, with: dependencies).state ?? .unknown {
        case .authorized, .otherAccount: return true
        case .unknown: return !found.credential.isRefreshable || found.credential.grant?.wasJustRefused(at: now) == true
        case .expired, .revoked, .notFound: return false
        }
    }

    private struct Forgotten {
        let found: StoredMatch
        /// Whether the refresh token is still stored.
        let canBeRefreshed: Bool
    }

    /// Removes an item under the account's lock if it is unchanged; `nil` if it stays.
    ///
    /// Without the lock, a refreshed token could be removed too, or the removed one could come back.
    private func forgetUnlessRenewed(_ found: StoredMatch) throws(UserFacingError) -> Forgotten? {
        let lock: (any HeldLock)?
        do {
            // Without a refresh token, no process can be refreshing the item.
            lock = try dependencies.hold(
                found.credential.username, on: context.host, orWithout: found.credential.oauthRefreshToken == nil)
        } catch {
            guard !error.isForGood else { throw .noLock(error) }
            // The process that refreshes the token replaces it; if that fails, it is still the rejected one.
            rememberRefusal()
            return nil
        }
        guard let lock else { return try forget(found) }
        defer { lock.release() }
        let stored = try rethrowing(as: UserFacingError.keyring, try Lookup(with: dependencies).all(query))
        return try stored.first { isRejected($0) && $0.item.attributes == found.item.attributes }.map(forget)
    }

    /// A rejected password may have been returned for the path by an item for the whole host.
    private var query: ItemQuery {
        context.query(
            user: request.username, path: context.path,
            isComplete && context.path != nil ? .wholeHostServesPath : .wildcard)
    }

    /// Removes the item, or only its access token.
    ///
    /// The refresh token may still be valid after a server's rejection, unless the token was just refreshed.
    private func forget(_ found: StoredMatch) throws(UserFacingError) -> Forgotten {
        do throws(KeyringError) {
            // The item as stored: `found` may be marked as rejected by the memory of rejected tokens.
            guard isRefusal(of: found.credential), let stored = StoredMatch(found.item)?.credential,
                let rest = stored.withoutAccessToken(at: dependencies.clock.now)
            else {
                try dependencies.keyring.remove(found.item)
                return Forgotten(found: found, canBeRefreshed: false)
            }
            try dependencies.keyring.save(rest, under: found.item.attributes)
            return Forgotten(found: found, canBeRefreshed: true)
        } catch {
            throw .keyring(error)
        }
    }

    /// Returns whether a server has rejected a token, and no person wants to be signed out.
    ///
    /// git returns our state with a token since 2.46. A person cannot sign out of an app's installation.
    private func isRefusal(of credential: StoredCredential) -> Bool {
        request.carriesOurState || (isComplete && (requester != .person || credential.grant?.installation != nil))
    }

    /// Seconds after a sign-in in which its token counts as just issued; Git LFS asks again at once after a rejection.
    private static let justNow: Int64 = 60

    /// Returns whether a sign-in of this command has most likely just issued the token, which cannot be refreshed.
    private func wasJustIssued(_ forgotten: Forgotten) -> Bool {
        guard !forgotten.canBeRefreshed, let grant = forgotten.found.credential.grant, grant.installation == nil,
            let time = grant.issuedAt
        else { return false }
        return (0..<Self.justNow).contains(dependencies.clock.now - time)
    }

    /// Ends the sign-ins of this command, because another one would bring another rejected token.
    private func endAsking(as username: [UInt8]) {
        for name in [nil, username].map({ LockName.signIn(as: $0, on: context.host) }) {
            guard let lock = try? dependencies.locks.acquire(name, within: 0, whileWaiting: { false }) else { continue }
            dependencies.signInNotes.noteRefusal(of: name)
            lock.release()
        }
    }

    /// Reports the removed tokens; git itself reports only that the authentication failed.
    private func sayWhatWent(_ went: [Forgotten]) {
        // Names in a plain store are arbitrary bytes, which may control a terminal (C1 controls, CVE-2024-50349).
        guard requester != .person else {
            let storage = went.first?.found.item.storage ?? dependencies.keyring.storage
            return dependencies.ui.say(.signedOut(host: host, accounts: went.map(\.found.account), of: storage))
        }
        guard isComplete, let account = went.first.map({ context.shown($0.found.credential.username) }) else { return }
        if went.contains(where: wasJustIssued) {
            endAsking(as: went[0].found.credential.username)
            return dependencies.ui.say(.rejected(host: host, account: account, .endsAsking))
        }
        let next: AfterRejection =
            went.contains(where: \.canBeRefreshed) ? .refreshes : isSignInHost ? .signsIn : .asks
        dependencies.ui.say(.rejected(host: host, account: account, next))
    }
}
