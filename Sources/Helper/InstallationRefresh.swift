package import CredentialCore
package import Providers

extension Refresh {
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

extension SignInContext {
    /// - Throws: the error of the settings or the key; nothing has been sent then.
    package func gitHubApp(
        _ settings: SignInSettings.AppSettings, with dependencies: Dependencies
    ) throws(InstallationFailure) -> GitHubApp {
        guard let id = settings.id else { throw .incomplete(missing: .githubAppId) }
        guard let key = settings.key else { throw .incomplete(missing: .githubAppKey) }
        guard let gitHub = host.provider.gitHub else { throw .unsupported }
        return try rethrowing(
            as: { (error: SigningKeyError) in InstallationFailure.key(error, place: DisplayText(untrusted: key.utf8)) },
            try GitHubApp(
                id, on: gitHub, by: dependencies.signingKey(key), over: dependencies.transport(transport),
                now: { dependencies.clock.now }))
    }
}
