package import CredentialCore
package import Providers

package enum RefreshOutcome {
    /// The credential is renewed, or still valid.
    case usable(StoredCredential)
    case unrefreshable
    /// The configured endpoint does not get the refresh token, which another one issued.
    case issuedElsewhere(now: HTTPSAddress)
    case refused(OAuthErrorCode)
}

extension SignInContext {
    /// ④ Renews a token without a person, by a refresh token or as an app's installation.
    ///
    /// `found` is `nil` if the keyring has nothing for the request. `isForced` is for a person who wants a new token
    /// now, and wants to know if that fails.
    ///
    /// - Throws: `OperationFailure`; all stored items are then unchanged.
    package func refreshed(
        _ found: StoredMatch?, with dependencies: Dependencies, isForced: Bool = false
    ) throws(OperationFailure) -> RefreshOutcome {
        let refresh = Refresh(context: self, dependencies: dependencies, isForced: isForced)
        return if let app = settings.app { try refresh.run(found, as: app) } else { try refresh.run(found) }
    }
}

/// ④ The refresh by a refresh token, whose use also ends it and the access token.
///
/// So the whole machine has one refresh at a time, the keyring must be writable before the refresh token is sent, and
/// signals wait from the request until the new pair is saved.
struct Refresh {
    let context: SignInContext
    let dependencies: Dependencies
    let isForced: Bool
    var lookup: Lookup { Lookup(with: dependencies) }

    fileprivate func run(_ found: StoredMatch?) throws(OperationFailure) -> RefreshOutcome {
        guard let found else { return .unrefreshable }
        guard found.credential.oauthRefreshToken != nil else { return valid(found.credential) }
        let server: SignInServer
        do {
            server = try context.server(with: dependencies)
        } catch {
            return try kept(found.credential, or: error)
        }
        let lock: (any HeldLock)?
        do {
            lock = try dependencies.hold(found.credential.username, on: context.host.name)
        } catch .stopped {
            throw .known
        } catch .timedOut {
            // After a long wait on a slow machine, the first process may have renewed the token for all.
            let current = try reread(found)
            if let renewed = lookup.answer(current, after: found, isForced: isForced) { return .usable(renewed) }
            return try kept(found.credential, or: .otherNotFinished(host: context.host.displayName))
        } catch {
            // Without the lock, two processes could use the same refresh token, and lose the new pair.
            return try kept(found.credential, or: .noLock(error))
        }
        defer { lock?.release() }
        return try renew(found, at: server)
    }

    /// Refreshes with the lock held, unless the previous holder has already done it.
    private func renew(_ found: StoredMatch, at server: SignInServer) throws(OperationFailure) -> RefreshOutcome {
        guard let current = try reread(found) else { return .unrefreshable }
        if let renewed = lookup.answer(current, after: found, isForced: isForced) { return .usable(renewed) }
        guard let refreshToken = current.credential.oauthRefreshToken else { return valid(current.credential) }
        guard server.mayTakeRefreshToken(of: current.credential) else {
            return valid(current.credential, or: .issuedElsewhere(now: server.oauth.token))
        }
        // A pair from outside is refreshed with the configured client.
        let isFromOutside = current.credential.grant?.clientID == nil
        let client = isFromOutside ? context.clientID.map(server.client(id:)) : server.client(of: current.credential)
        guard let client else { return valid(current.credential) }
        var isUnchanged = false
        do throws(KeyringError) {
            // A full disk shows only when something is written.
            if let secret = current.item.secret {
                isUnchanged = try dependencies.keyring.replace(current.item, with: secret)
            }
        } catch {
            return try kept(current.credential, or: .keyring(error))
        }
        guard isUnchanged else { return try savedBesides(current) }
        let transport = dependencies.transport(context.transport)
        dependencies.trace { "renewing the token of \(current.account)" }
        let outcome = dependencies.signals.whileSignalsWait {
            Result { () throws(OAuthFailure) in
                let response = try client.exchange(.refreshToken(refreshToken), over: transport)
                // ⑥
                let renewed = StoredCredential(
                    response, username: current.credential.username, client: client, issuer: server.issuer,
                    now: dependencies.clock.now, since: current.credential.grant?.since, renewing: current.credential)
                let fault = dependencies.fault(saving: renewed, under: current.item.attributes)
                return (renewed, response.expiresIn, fault)
            }
        }
        switch outcome {
        case .success(let (renewed, seconds, fault)):
            dependencies.trace { "renewed" + (seconds.map { ", for \($0) s" } ?? ", and does not expire") }
            if let fault { try dependencies.goOn(after: dependencies.notSaved(.keyring(fault))) }
            return .usable(renewed)
        case .failure(let failure):
            dependencies.trace { failure.outline }
            return try withoutRenewal(failure, current, at: server)
        }
    }

    private func withoutRenewal(
        _ failure: OAuthFailure, _ tried: StoredMatch, at server: SignInServer
    ) throws(OperationFailure) -> RefreshOutcome {
        let host = context.party(server.oauth.token)
        switch failure.reason {
        case .transport(let error): return try kept(tried.credential, or: .offline(host: host, error))
        case .unavailable, .malformed:
            return try kept(tried.credential, or: .serverInTrouble(host: host, failure.reason, status: failure.status))
        case .refused(let code, .invalidGrant): return try afterRefusal(tried, code, at: server)
        case .refused(let code, _) where context.wantsSecret(code, of: server.client(of: tried.credential)):
            return try afterRefusal(tried, code, at: server)
        case .refused(let code, _):
            // A server that rejects the client would reject it at a sign-in, too.
            guard code.isAboutClient, let clientID = tried.credential.grant?.clientID ?? context.clientID else {
                return valid(tried.credential, or: .refused(code))
            }
            return try kept(
                tried.credential,
                or: .clientRefused(
                    host: host, clientID: DisplayText(untrusted: clientID.utf8), code,
                    form: context.host.provider.clientForm))
        }
    }

    /// Removes the refresh token if the item is still the one that was read; everything else is kept.
    private func afterRefusal(
        _ tried: StoredMatch, _ code: OAuthErrorCode, at server: SignInServer
    ) throws(OperationFailure) -> RefreshOutcome {
        guard let current = try reread(tried) else { return .refused(code) }
        guard current.item.secret == tried.item.secret else { return valid(current.credential) }
        // A pair from outside was sent with a client that may not be its own, so the error proves nothing about it.
        if current.credential.grant?.clientID != nil {
            var spent = current.credential
            spent.oauthRefreshToken = nil
            spent.grant?.refreshTokenExpiryUTC = nil
            if context.wantsSecret(code, of: server.client(of: tried.credential)) {
                spent.grant?.exhaustedAt = dependencies.clock.now
            }
            // If this fails, the next attempt gets the same response from the server.
            let isReplaced = try? SecretText.encode(spent).map {
                try dependencies.keyring.replace(current.item, with: $0)
            }
            if isReplaced == false { return try savedBesides(tried) }
        }
        return valid(current.credential, or: .refused(code))
    }

    /// Returns the item that a program without our lock has saved meanwhile.
    private func savedBesides(_ read: StoredMatch) throws(OperationFailure) -> RefreshOutcome {
        dependencies.trace { "another program has saved something meanwhile" }
        guard let current = try reread(read) else { return .unrefreshable }
        return try kept(current.credential, or: .otherNotFinished(host: context.host.displayName))
    }

    /// Returns `nil` if the item is gone, or its grant has become a password, which git may store from any URL.
    private func reread(_ found: StoredMatch) throws(OperationFailure) -> StoredMatch? {
        let all = try rethrowing(
            as: OperationFailure.init, try lookup.all(context.query(path: found.item.attributes.object)))
        return all.first {
            $0.item.attributes == found.item.attributes
                && ($0.credential.grant != nil || found.credential.grant == nil)
        }
    }

    /// Returns the token while git would still use it; otherwise, or if forced, `outcome`.
    private func valid(_ credential: StoredCredential, or outcome: RefreshOutcome? = nil) -> RefreshOutcome {
        let isValid = credential.condition(at: dependencies.clock.now, asToken: true).isValid
        return isValid && (outcome == nil || !isForced) ? .usable(credential) : outcome ?? .unrefreshable
    }

    private func kept(_ token: StoredCredential, or error: UserFacingError) throws(OperationFailure) -> RefreshOutcome {
        try kept(token, or: .unlessInterrupted(error))
    }

    func kept(_ token: StoredCredential?, or failure: OperationFailure) throws(OperationFailure) -> RefreshOutcome {
        guard !isForced, let token, case .usable = valid(token) else { throw failure }
        return .usable(token)
    }

    /// Seconds without another token after two rejected ones.
    private static let pause: Int64 = 60

    /// ④ Renews a token as an app's installation, with an assertion that the app's key signs.
    ///
    /// A failed step can be repeated, so neither lock nor keyring is necessary. With a lock, all share a token.
    func run(_ found: StoredMatch?, as app: SignInSettings.AppSettings) throws(OperationFailure) -> RefreshOutcome {
        // The token does not belong to a person's account.
        if let asked = context.askedName, !ASCII.equalsIgnoringCase(asked, username) {
            let request = isForced ? .person : context.accountRequest(with: dependencies)
            throw .failed(
                context.nobodysAccount(request)
                    ?? .accountNotStored(
                        context.credentialContext.shown(asked), host: context.host.displayName,
                        stored: [DisplayText(account: username)]))
        }
        // A person who wants another token has not looked up the stored one.
        let found = found ?? (isForced ? stored : nil)
        let lock: (any HeldLock)?
        do {
            // Nothing is lost if two processes get a token each.
            lock = try dependencies.hold(username, on: context.host.name, orWithout: true)
        } catch {
            guard error == .timedOut else { throw .known }
            // The holder of the lock may have renewed the token for all.
            if let renewed = lookup.answer(stored, after: found, isForced: isForced) { return .usable(renewed) }
            throw .failed(.otherNotFinished(host: context.host.displayName))
        }
        defer { lock?.release() }
        let current = stored
        if let renewed = lookup.answer(current, after: found, isForced: isForced) { return .usable(renewed) }
        let (renewed, fault): (StoredCredential, KeyringError?)
        do throws(InstallationFailure) {
            if let grant = current?.credential.grant, let owner = grant.installation, !isForced,
                let time = grant.exhaustedAt, (0..<Self.pause).contains(dependencies.clock.now - time)
            {
                throw .exhausted(owner: DisplayText(untrusted: owner.utf8))
            }
            (renewed, fault) = try renew(current, app)
        } catch {
            dependencies.trace { "no token of an installation: \(error)" }
            return try kept(current?.credential, or: .unlessInterrupted(error.words(host: context.host.displayName)))
        }
        if let fault { try dependencies.goOn(after: dependencies.notSaved(.keyring(fault))) }
        return .usable(renewed)
    }

    /// The name that git gets with the token.
    private var username: [UInt8] { Array(context.host.provider.facts.anyUsername.utf8) }

    /// The stored item for this request; `nil` also if the keyring cannot be read.
    private var stored: StoredMatch? {
        let stored = try? context.with(username: username).stored(path: context.path, with: dependencies)
        return stored?.first { $0.credential.grant?.installation != nil }
    }

    /// Returns the new token, and the error if it could not be saved.
    private func renew(
        _ current: StoredMatch?, _ app: SignInSettings.AppSettings
    ) throws(InstallationFailure) -> (StoredCredential, KeyringError?) {
        let identity = try context.gitHubApp(app, with: dependencies)
        let place = context.path.flatMap { $0.isEmpty ? nil : GitHubApp.place(of: $0) }
        if place == nil, context.path?.isEmpty == false { throw .noOwner }
        if app.isRestricted, place?.repository == nil { throw .repositoryUnknown }
        dependencies.trace { "getting a token as the app \(DisplayText(untrusted: identity.id.utf8))" }
        let installation = try identity.installation(for: place?.owner)
        let token = try identity.token(of: installation, for: app.isRestricted ? place?.repository : nil)
        let (old, now) = (current?.credential, dependencies.clock.now)
        let grant = StoredCredential.Grant(
            clientID: app.id, issuedAt: now, scope: token.permissions,
            supersededDigest: old?.lastDigest, since: old?.grant?.since ?? now,
            refusedAt: old?.grant.flatMap { $0.wasJustRefused(at: now) ? $0.refusedAt : nil },
            installation: installation.owner)
        let renewed = StoredCredential(
            username: username, password: token.token, passwordExpiryUTC: now + token.expiresIn, grant: grant)
        // The item is for an owner, for a repository if tokens are for one, or for the whole host if there is no path.
        var scope: [UInt8]?
        if let place {
            scope = installation.owner.utf8.map(ASCII.folded)
            if app.isRestricted, let repository = place.repository {
                scope = (scope ?? []) + [UInt8(ascii: "/")] + repository.utf8.map(ASCII.folded)
            }
        }
        let attributes = ItemAttributes(
            protocol: CredentialContext.https, host: context.host.name, user: username, object: scope)
        let fault = dependencies.signals.whileSignalsWait { dependencies.fault(saving: renewed, under: attributes) }
        return (renewed, fault)
    }
}

extension OAuthFailure {
    fileprivate var outline: String {
        switch reason {
        case .transport(let error): "not renewed: \(error)"
        case .unavailable, .malformed: "not renewed: status \(status)"
        case .refused(let code, .invalidGrant): "the refresh token is spent: \(code)"
        case .refused(let code, _): "the server refuses to renew it: \(code)"
        }
    }
}
