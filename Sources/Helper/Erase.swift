internal import CredentialCore
internal import Messages
internal import Providers

/// What git says does not work, or what a person wants removed.
///
/// It never revokes a token.
struct Erase {
    let context: CredentialContext
    let request: Request
    let dependencies: Dependencies
    let requester: Requester

    /// If the request has a password, an item is removed only if its password is equal, because a newer one may have
    /// been saved while git worked with the old one.
    func run() {
        do throws(UserFacingError) {
            let (matching, locked, reason) = try everything()
            var went: [Forgotten] = []
            if matching.isEmpty, locked.isEmpty, reason == nil { sayThatNothingMatched() }
            let kept = matching.filter(isKept)
            if !kept.isEmpty { sayWhatStays(kept) }
            let ending = matching.filter { found in !kept.contains { $0.item.path == found.item.path } }
            // What has gone is said even if something else could not go.
            defer { if !went.isEmpty { sayWhatWent(went) } }
            for (place, found) in ending.enumerated() {
                do throws(UserFacingError) {
                    if let forgotten = try forgetUnlessRenewed(found) { went.append(forgotten) }
                } catch {
                    guard !went.isEmpty else { throw error.keyring.map(UserFacingError.notErased) ?? error }
                    let rest = ending[place...].map { DisplayText(account: $0.credential.username) }
                    throw .notAllErased(accounts: rest, host: host, error)
                }
            }
            if let reason { throw .notAllErased(accounts: names(of: locked), host: host, .keyring(reason)) }
            if went.isEmpty, !locked.isEmpty { rememberRefusal() }
        } catch  where error.code == .notErased && error.keyring == .interrupted {
            rememberRefusal()
        } catch {
            rememberRefusal()
            dependencies.report(error)
        }
    }

    /// This is only for tokens, because a short password could be guessed from its digest.
    ///
    /// So it does nothing for a host that may be a plain store because git's configuration cannot be read.
    private func rememberRefusal() {
        guard let username = request.username ?? (request.hasAuthtype ? [] : nil), let password = request.secret,
            context.signInHost != nil
        else { return }
        dependencies.refusedTokens.remember(password, for: .account(username, on: context.host))
    }

    /// A scheme without a value is incomplete, and means nothing at all.
    private var isComplete: Bool { request.password != nil || request.hasAuthtype }

    private var isSignInHost: Bool { ContextResolver(with: dependencies).signsIn(to: context) }

    private var host: DisplayText { DisplayText(untrusted: context.host.text) }

    /// Those of locked items; an item whose keyring hides its attributes has no name that could be told.
    private func names(of items: [Item]) -> [DisplayText] {
        items.compactMap(\.shownUser).map { DisplayText(account: $0) }
    }

    /// As far as it can be read, and what is locked.
    private func everything() throws(UserFacingError) -> (found: [StoredMatch], locked: [Item], because: KeyringError?)
    {
        do {
            let lookup = Lookup(with: dependencies)
            let isRejected = { (found: StoredMatch) in !isComplete || found.credential.isSame(as: request) }
            let (found, locked, reason) = try lookup.readable(query) { readable, locked in
                // Nobody is asked to unlock the rest if the rejected one has been found; nor to allow an access only to
                // compare, where the token can be remembered as rejected.
                isComplete
                    && (readable.contains(where: isRejected) || locked.allSatisfy(\.needsConfirmation) && isSignInHost)
            }
            return (found.filter(isRejected), locked, reason)
        } catch {
            throw .notErased(error)
        }
    }

    /// A sign-in that is valid or can be refreshed, which only a person ends.
    ///
    /// What a server has rejected costs the access token. A program may reject for another reason, as git-annex does
    /// after a 404, so the host is asked; where it does not tell, the token is replaced by a refresh, once.
    private func isKept(_ found: StoredMatch) -> Bool {
        let now = dependencies.clock.now
        guard requester != .person, found.credential.isProtected(at: now) else { return false }
        guard isComplete else { return true }
        guard requester == .program else { return false }
        let signIn = try? ContextResolver(with: dependencies).signInContext(
            of: context, username: found.credential.username)
        switch signIn?.account(found, with: dependencies).state ?? .unknown {
        case .authorized, .otherAccount: return true
        case .unknown:
            return !found.credential.isRefreshable || found.credential.grant?.wasJustRefused(at: now) == true
        case .expired, .revoked, .notFound: return false
        }
    }

    private func matching() throws(UserFacingError) -> [StoredMatch] {
        try rethrowing(as: UserFacingError.keyring, try Lookup(with: dependencies).all(query)).filter { found in
            isComplete ? found.credential.isSame(as: request) : true
        }
    }

    private struct Forgotten {
        let found: StoredMatch
        /// Its refresh token is still there.
        let canBeRefreshed: Bool
    }

    /// Only if it is still the same once no other process can be refreshing it; nil if it stays.
    ///
    /// A refreshed token, or that of a new sign-in, is in the same item: without the lock, it could be removed as well,
    /// or the removed one could come back.
    private func forgetUnlessRenewed(_ found: StoredMatch) throws(UserFacingError) -> Forgotten? {
        let lock: (any HeldLock)?
        do {
            // Without a refresh token it is never refreshed, or nothing is lost if it is.
            lock = try dependencies.hold(
                found.credential.username, on: context.host, orWithout: found.credential.oauthRefreshToken == nil)
        } catch {
            guard !error.isForGood else { throw .noLock(error) }
            // The process that refreshes it will replace it; if that fails, it is still the token that was rejected.
            rememberRefusal()
            return nil
        }
        guard let lock else { return try forget(found) }
        defer { lock.release() }
        return try matching().first { $0.item.attributes == found.item.attributes }.map(forget)
    }

    /// If the request has a password, an item for the whole host is considered as well, because it may have been
    /// returned for that path.
    private var query: ItemQuery {
        context.query(
            user: request.username, path: context.path,
            isComplete && context.path != nil ? .wholeHostServesPath : .wildcard)
    }

    /// If a server rejected a token of ours, its refresh token may still be valid, unless the token was just refreshed.
    private func forget(_ found: StoredMatch) throws(UserFacingError) -> Forgotten {
        do throws(KeyringError) {
            // As it is stored: the memory of rejected tokens may know of this very one, which was not rejected twice.
            guard isRefusal(of: found.credential), let stored = StoredMatch(found.item)?.credential,
                let rest = stored.withoutAccessToken(at: dependencies.clock.now)
            else {
                try dependencies.keyring.remove(found.item)
                return Forgotten(found: found, canBeRefreshed: false)
            }
            try Save(with: dependencies).write(rest, under: found.item.attributes)
            return Forgotten(found: found, canBeRefreshed: true)
        } catch {
            throw .keyring(error)
        }
    }

    /// Reports a token that a server has rejected, unless a person sends it, who wants to be signed out.
    ///
    /// git marks a token of ours since 2.46. From an app's installation nobody can sign out: the next `get` would get
    /// the next token, and after two rejections a third.
    private func isRefusal(of credential: StoredCredential) -> Bool {
        request.carriesOurState || (isComplete && (requester != .person || credential.grant?.installation != nil))
    }

    /// To a person who wants to be signed out.
    ///
    /// git tells every helper what a server has rejected, and so do programs with `git credential reject`: also what
    /// came from another helper, or was typed and never stored. That is no news. They name the value, which a person
    /// hardly ever has at hand.
    private func sayThatNothingMatched() {
        guard !isComplete, requester == .person else { return }
        dependencies.ui.say(
            .nothingMatched(
                host: DisplayText(untrusted: context.host.text),
                account: request.username.map { AskedAccount($0, in: context) }))
    }

    private func sayWhatStays(_ kept: [StoredMatch]) {
        let accounts = kept.map { DisplayText(account: $0.credential.username) }
        dependencies.ui.say(.signInStays(host: host, accounts: accounts))
    }

    /// Seconds in which a program such as Git LFS may ask again for what was just rejected.
    private static let justNow: Int64 = 60

    /// By a sign-in of this very command, most likely, and nothing is left that could be refreshed.
    private func wasJustIssued(_ forgotten: Forgotten) -> Bool {
        guard !forgotten.canBeRefreshed, let grant = forgotten.found.credential.grant, grant.installation == nil,
            let time = grant.issuedAt
        else { return false }
        return (0..<Self.justNow).contains(dependencies.clock.now - time)
    }

    /// Another sign-in would get another token that the server rejects.
    private func endAsking(as username: [UInt8]) {
        for name in [nil, username].map({ LockName.signIn(as: $0, on: context.host) }) {
            guard let lock = try? dependencies.locks.acquire(name, within: 0, whileWaiting: { false }) else { continue }
            dependencies.signInNotes.noteRefusal(of: name)
            lock.release()
        }
    }

    /// git itself says only that the authentication failed.
    private func sayWhatWent(_ went: [Forgotten]) {
        // Names in a plain store are arbitrary bytes, and may contain terminal control characters (C1 controls,
        // CVE-2024-50349).
        guard requester != .person else {
            let accounts = went.map { DisplayText(account: $0.found.credential.username) }
            let storage = went.first?.found.item.storage ?? dependencies.keyring.storage
            return dependencies.ui.say(.signedOut(host: host, accounts: accounts, of: storage))
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
