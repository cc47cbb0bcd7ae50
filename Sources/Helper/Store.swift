internal import CredentialCore
internal import Providers

/// ⑥ The operation `store`, for any host, as git's own libsecret helper does it.
struct Store {
    let context: CredentialContext
    let request: Request
    let dependencies: Dependencies

    /// Stores a credential, unless it is incomplete, stored already, or named like a token; a sign-in stays.
    func run() {
        // A credential with a scheme may lack a name, and is then stored under an empty one.
        guard let password = request.secret, let username = request.username ?? (request.hasAuthtype ? [] : nil) else {
            return
        }
        guard !request.isEphemeral, !request.carriesOurState else { return }
        guard !TokenShape.fits(username) else { return reportToken(username) }
        do throws(KeyringError) {
            // Usually there is nothing to do, and no lock is needed.
            if case .nothing = try decision(username) { return }
            let lock: (any HeldLock)?
            do {
                lock = try dependencies.hold(username, on: context.host)
            } catch {
                guard error != .stopped else { return }
                // Without the lock, a sign-in that is just being saved could be overwritten.
                guard !isSignInHost else { return dependencies.report(.notSaved(.notLocked(error))) }
                lock = nil
            }
            defer { lock?.release() }
            switch try decision(username) {
            case .nothing: return
            case .keep:
                dependencies.ui.say(
                    .signInKept(
                        host: DisplayText(untrusted: context.host.text), account: DisplayText(account: username)))
            case .complete(let same): try complete(same)
            case .save(let attributes): try save(username, password, under: attributes)
            }
        } catch .interrupted {
            return
        } catch {
            dependencies.report(isSignInHost ? .notSaved(.keyring(error)) : .passwordNotSaved(error))
        }
    }

    /// Reports a token as a name, except a remote's, which every fetch would repeat and `doctor` reports.
    private func reportToken(_ username: [UInt8]) {
        let isRemotes = dependencies.askingRepository().remotes.contains {
            TypedAddress($0.address).username.map { $0.utf8.elementsEqual(username) } == true
        }
        if !isRemotes { dependencies.report(.tokenAsName(host: DisplayText(untrusted: context.host.text))) }
    }

    private enum Decision {
        /// The credential is stored already, or was replaced by the stored one, or the host is an app's.
        case nothing
        case keep
        /// The password is stored already, but the request has a new expiry or refresh token.
        case complete(StoredMatch)
        /// The credential is new, and goes under the name by which the account is stored already.
        case save(under: ItemAttributes)
    }

    private func decision(_ username: [UInt8]) throws(KeyringError) -> Decision {
        guard let known = try known(username) else { return .nothing }
        if known.contains(where: { $0.credential.alreadyCovers(request) }) { return .nothing }
        if known.contains(where: { $0.credential.isProtected(at: dependencies.clock.now) }) { return .keep }
        if let same = known.first(where: { $0.credential.isSame(as: request) }) { return .complete(same) }
        // An app's installation is the account there: a choice of the person, as a sign-in is.
        let signIn = try? ContextResolver(with: dependencies).signInContext(of: context)
        guard signIn?.needsNoPerson != true else { return .nothing }
        let own = context.attributes(user: username, object: context.path)
        return .save(under: known.map(\.item.attributes).first { $0.object == own.object } ?? own)
    }

    /// Returns the stored matches.
    ///
    /// - Returns: `nil` if a person has to allow each access to the account's item: nobody is asked once more just to
    ///   compare it with the credential that git has most likely just got from it.
    /// - Throws: `KeyringError.locked` if a sign-in may be in a locked item, `.denied` if an item cannot be read:
    ///   nobody is asked to unlock the keyring for a password that may come from a URL.
    private func known(_ username: [UInt8]) throws(KeyringError) -> [StoredMatch]? {
        let lookup = Lookup(with: dependencies)
        let query = context.query(user: username)
        let items = try items(query)
        guard !items.contains(where: \.needsConfirmation) else { return nil }
        guard !items.contains(where: \.isLocked) else { throw .locked }
        guard !items.contains(where: { StoredMatch($0) == nil }) || !isSignInHost else { throw .denied }
        return lookup.read(items, for: query)
    }

    /// Unlocks the items on hosts without sign-ins, since a password cannot be saved otherwise.
    private func items(_ query: ItemQuery) throws(KeyringError) -> [Item] {
        do {
            let items = query.matching(try dependencies.keyring.items(having: query.search))
            let locked = items.filter { $0.isLocked && !$0.needsConfirmation }
            guard !locked.isEmpty, !isSignInHost else { return items }
            _ = try dependencies.keyring.unlock(locked)
        } catch {
            guard error == .locked, !isSignInHost else { throw error }
            try dependencies.keyring.checkWritable(mayPrompt: true)
        }
        return query.matching(try dependencies.keyring.items(having: query.search))
    }

    private var isSignInHost: Bool { ContextResolver(with: dependencies).signsIn(to: context) }

    /// Adds a new expiry or refresh token to the stored password, and keeps everything else.
    private func complete(_ found: StoredMatch) throws(KeyringError) {
        var credential = found.credential
        credential.passwordExpiryUTC = request.passwordExpiryUTC ?? credential.passwordExpiryUTC
        credential.oauthRefreshToken = request.oauthRefreshToken ?? credential.oauthRefreshToken
        try dependencies.keyring.save(credential, under: found.item.attributes)
    }

    /// Saves a new password; nothing of the stored credential is kept.
    private func save(_ username: [UInt8], _ password: Secret, under attributes: ItemAttributes) throws(KeyringError) {
        var credential = StoredCredential(
            username: username, password: password, passwordExpiryUTC: request.passwordExpiryUTC,
            oauthRefreshToken: request.oauthRefreshToken)
        credential.authtype = request.authtype
        credential.isEmptyByChoice = password.isEmpty
        try dependencies.keyring.save(credential, under: attributes)
        guard case .memory = dependencies.keyring.storage else { return }
        dependencies.ui.say(.keptInMemory)
        if let share = dependencies.shareInstead { dependencies.ui.say(.shareInstead(share)) }
    }
}
