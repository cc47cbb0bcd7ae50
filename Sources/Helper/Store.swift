internal import CredentialCore

/// The operation `store`: keeps what git says worked, for any host, as git's own libsecret helper does.
struct Store {
    private let context: CredentialContext
    private let request: Request
    private let dependencies: Dependencies

    init(_ context: CredentialContext, _ request: Request, with dependencies: Dependencies) {
        self.context = context
        self.request = request
        self.dependencies = dependencies
    }

    /// Saves, unless there is nothing to save, all of it is there already, or a sign-in stands there.
    func run() {
        guard let username = request.username, let password = request.password else { return }
        // A ready-made header value is what git has used then, and no item has a place for it.
        guard !request.isEphemeral, !request.hasAuthtype, !request.carriesOurState else { return }
        do throws(KeyringError) {
            // Mostly there is nothing to do, and for that nobody has to wait.
            if case .nothing = try decision(username, password) { return }
            let lock = try? AccountLock(with: dependencies).acquire(username, on: context.host)
            defer { lock?.release() }
            // Without the lock, a sign-in that is just being saved might be overwritten.
            guard lock != nil || !isSignInHost else { return dependencies.report(.lockImpossible) }
            switch try decision(username, password) {
            case .nothing: return
            case .keep:
                dependencies.ui.say(.signInKept(host: DisplayText(context.host.text), account: DisplayText(username)))
            case .complete(let same): try complete(same)
            case .save: try save(username, password)
            }
        } catch .interrupted {
            return
        } catch {
            dependencies.report(.notSaved(error))
        }
    }

    /// What is to be done with a password.
    private enum Decision {
        /// It is there already, or is one that has been replaced.
        case nothing
        /// A sign-in stands there, which no `store` changes.
        case keep
        /// It is there, and something new is known of it.
        case complete(StoredMatch)
        /// It is new.
        case save
    }

    private func decision(_ username: [UInt8], _ password: Secret) throws(KeyringError) -> Decision {
        let known = try known(username)
        if known.contains(where: { $0.credential.makesNeedless(request) }) { return .nothing }
        if known.contains(where: { $0.credential.isProtected(at: dependencies.clock.now) }) { return .keep }
        return known.first { $0.credential.password == password }.map { .complete($0) } ?? .save
    }

    /// What is stored already for the account.
    ///
    /// Which host is one where we sign in, only the configuration knows. But what we signed in for tells itself: such a
    /// token is for the whole host, and is not stored once more for the path where git used it.
    ///
    /// - Throws: `KeyringError.locked` where a sign-in may be behind a lock, `.denied` where it cannot be read: nobody is asked
    ///   to unlock for the sake of what a URL may have held.
    private func known(_ username: [UInt8]) throws(KeyringError) -> [StoredMatch] {
        let lookup = Lookup(with: dependencies)
        let query = context.query(user: username)
        let items = query.matching(try dependencies.keyring.items(having: query.search))
        let found = lookup.read(items, for: query)
        guard items.contains(where: { StoredMatch($0) == nil }) else { return found }
        guard isSignInHost else { return try lookup.all(query) }
        throw items.contains(where: \.isLocked) ? .locked : .denied
    }

    private var isSignInHost: Bool { ContextResolver(with: dependencies).signsIn(to: context) }

    /// The same password with an expiry or a refresh token that is new; what is known beyond that stays.
    private func complete(_ found: StoredMatch) throws(KeyringError) {
        var credential = found.credential
        credential.passwordExpiryUTC = request.passwordExpiryUTC ?? credential.passwordExpiryUTC
        credential.oauthRefreshToken = request.oauthRefreshToken ?? credential.oauthRefreshToken
        try Save(with: dependencies).run(credential, under: found.item.attributes)
    }

    /// A password that is new here: whatever belonged to another one goes with it.
    private func save(_ username: [UInt8], _ password: Secret) throws(KeyringError) {
        let credential = StoredCredential(
            username: username, password: password, passwordExpiryUTC: request.passwordExpiryUTC,
            oauthRefreshToken: request.oauthRefreshToken)
        try Save(with: dependencies).run(credential, under: context.attributes(user: username, object: context.path))
        if case .memory = dependencies.keyring.storage { dependencies.ui.say(.keptInMemory) }
    }
}
