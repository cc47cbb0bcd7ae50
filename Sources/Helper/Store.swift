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

    /// Saves, unless there is nothing to save or all of it is there already.
    func run() {
        guard let username = request.username, let password = request.password else { return }
        // A ready-made header value is what git has used then, and no item has a place for it.
        guard !request.isEphemeral, !request.hasAuthtype, !request.carriesOurState else { return }
        do throws(KeyringError) {
            let known = try known(username)
            guard !known.contains(where: { $0.credential.makesNeedless(request) }) else { return }
            if let same = known.first(where: { $0.credential.password == password }) {
                try complete(same)
            } else {
                try save(username, password)
            }
        } catch .interrupted {
            return
        } catch {
            dependencies.report(.notSaved(error))
        }
    }

    /// What is stored already for the account.
    ///
    /// Which host is one where we sign in, only the configuration knows. But what we signed in for tells itself: such a
    /// token is for the whole host, and is not stored once more for the path where git used it.
    private func known(_ username: [UInt8]) throws(KeyringError) -> [StoredMatch] {
        let lookup = Lookup(with: dependencies)
        let exact = try lookup.all(context.query(user: username))
        guard exact.isEmpty, context.path != nil, context.builtIn == nil else { return exact }
        let wholeHost = context.everything(user: username)
        return try lookup.all(wholeHost).filter { $0.item.attributes.object == nil && $0.credential.grant != nil }
    }

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
