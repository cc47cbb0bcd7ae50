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
        do throws(KeyringError) {
            var went: [StoredMatch] = []
            for found in try matching() {
                if try forgetUnlessRenewed(found) { went.append(found) }
            }
            if !went.isEmpty, dependencies.isPersonsOwnCommand() { sayWhatWent(went) }
        } catch .interrupted {
            return
        } catch {
            dependencies.report(.notErased(error))
        }
    }

    private func matching() throws(KeyringError) -> [StoredMatch] {
        try Lookup(with: dependencies).all(query).filter { found in
            request.password.map { $0 == found.credential.password } ?? true
        }
    }

    /// Forgets what was found, if it is still that when nobody else can be renewing it.
    ///
    /// A renewed token lies in the same item: without the lock of the renewal, it would go with the old one's name.
    ///
    /// - Returns: whether it was forgotten.
    private func forgetUnlessRenewed(_ found: StoredMatch) throws(KeyringError) -> Bool {
        // What is never renewed, or goes whatever it is, needs no lock.
        guard request.password != nil, found.credential.oauthRefreshToken != nil else {
            try forget(found)
            return true
        }
        let lock: (any HeldLock)?
        do {
            let name = LockName.refresh(of: found.credential.username, on: context.host)
            lock = try dependencies.locks.acquire(name, within: Refresh.longestWait) {
                if case .elapsed = dependencies.ui.wait(milliseconds: 0, until: nil) { true } else { false }
            }
        } catch .impossible {
            // There is still the second look.
            lock = nil
        } catch {
            return false
        }
        defer { lock?.release() }
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

    /// A token of ours that the server refused: its refresh token may still be good.
    private func forget(_ found: StoredMatch) throws(KeyringError) {
        guard request.carriesOurState, found.credential.grant != nil, found.credential.oauthRefreshToken != nil else {
            return try dependencies.keyring.remove(found.item)
        }
        var rest = found.credential
        rest.grant?.supersededDigest = StoredCredential.digest(of: rest.password)
        rest.password = Secret([])
        rest.passwordExpiryUTC = 1
        try Save(with: dependencies).run(rest, under: found.item.attributes)
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
