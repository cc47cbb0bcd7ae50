internal import CredentialCore
internal import OAuth

/// The operation `erase`: forgets what git says does not work, or what a person wants forgotten.
///
/// Never revokes.
struct Erase {
    private let context: CredentialContext
    private let request: Request
    private let dependencies: Dependencies

    init(_ context: CredentialContext, _ request: Request, with dependencies: Dependencies) {
        self.context = context
        self.request = request
        self.dependencies = dependencies
    }

    /// Removes, item by item, what matches: with a password only where the stored one is equal, since a newer one may
    /// have been saved while git worked with the old one.
    func run() {
        do throws(UserFacingError) {
            var went: [StoredMatch] = []
            for found in try matching() {
                if try forgetUnlessRenewed(found) { went.append(found) }
            }
            if !went.isEmpty, dependencies.isPersonsOwnCommand() { sayWhatWent(went) }
        } catch .notErased(.interrupted) {
            rememberRefusal()
        } catch {
            rememberRefusal()
            dependencies.report(error)
        }
    }

    /// What could not be forgotten must not be handed out again all the same.
    ///
    /// That is for tokens alone: a password of few characters could be guessed from its digest. So a host of which nobody
    /// knows, since git's configuration cannot be read, is left out.
    private func rememberRefusal() {
        guard let username = request.username, let password = request.password,
            context.builtIn != nil || (try? ContextResolver(with: dependencies).signInContext(of: context)) != nil
        else { return }
        dependencies.refusedTokens.remember(password, for: .account(username, on: context.host))
    }

    private func matching() throws(UserFacingError) -> [StoredMatch] {
        do {
            return try Lookup(with: dependencies).all(query).filter { found in
                request.password.map { $0 == found.credential.password } ?? true
            }
        } catch {
            throw .notErased(error)
        }
    }

    /// Forgets what was found, if it is still that when nobody else can be renewing it.
    ///
    /// A renewed token, or that of a new sign-in, lies in the same item: without the lock, it would go with the old one's name,
    /// or come back after it was forgotten.
    ///
    /// - Returns: whether it was forgotten.
    private func forgetUnlessRenewed(_ found: StoredMatch) throws(UserFacingError) -> Bool {
        let lock: any HeldLock
        do {
            lock = try AccountLock(with: dependencies).acquire(found.credential.username, on: context.host)
        } catch .impossible where found.credential.oauthRefreshToken == nil {
            // It is never renewed.
            try forget(found)
            return true
        } catch .impossible {
            throw .lockImpossible
        } catch {
            // Whoever renews it will have replaced it; if they fail, it is still the one that was refused.
            rememberRefusal()
            return false
        }
        defer { lock.release() }
        guard let current = try matching().first(where: { $0.item.attributes == found.item.attributes }) else {
            return false
        }
        try forget(current)
        return true
    }

    /// With a password, an item for the whole host is looked at as well: it may have been handed out for that path.
    private var query: ItemQuery {
        ItemQuery(
            protocol: context.protocol, host: context.host, user: request.username, path: context.path,
            paths: request.password != nil && context.path != nil ? .wholeHostServesPath : .wildcard)
    }

    /// A token of ours that the server refused: its refresh token may still be good, unless the token has just come of it.
    private func forget(_ found: StoredMatch) throws(UserFacingError) {
        do throws(KeyringError) {
            guard request.carriesOurState, let rest = found.credential.withoutAccessToken(at: dependencies.clock.now)
            else { return try dependencies.keyring.remove(found.item) }
            try Save(with: dependencies).run(rest, under: found.item.attributes)
        } catch {
            throw .notErased(error)
        }
    }

    private func sayWhatWent(_ went: [StoredMatch]) {
        // Names of a plain store are anybody's bytes, and may hold what a terminal acts on (C1 controls, CVE-2024-50349).
        dependencies.ui.say(
            .signedOut(
                host: DisplayText(context.host.text),
                accounts: went.map { DisplayText($0.credential.username) }
            ))
    }
}
