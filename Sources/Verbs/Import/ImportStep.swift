internal import CredentialCore
internal import Helper
internal import Providers

/// Imports one credential after the other, each only if nothing better is stored.
struct ImportStep {
    private let isDryRun: Bool
    private let dependencies: Dependencies
    /// What was imported in this run, also in a dry run.
    private var taken: [ItemAttributes: Secret] = [:]
    /// What hosts answered about the tokens; each is checked once.
    private var answers: [(token: Secret, standing: TokenStanding)] = []

    init(isDryRun: Bool, with dependencies: Dependencies) {
        self.isDryRun = isDryRun
        self.dependencies = dependencies
    }

    /// Imports a credential.
    ///
    /// On a host where we sign in, it is a sign-in like any other, so that only the person replaces it; but its client
    /// is unknown, so it is never refreshed.
    ///
    /// - Returns: what became of it.
    /// - Throws: why the keyring could not be searched; a failed save is an outcome.
    mutating func take(_ credential: ForeignCredential) throws(KeyringError) -> Import.Outcome {
        guard let (attributes, signIn) = try attributes(of: credential) else { return .unstorable }
        if let earlier = taken[attributes] {
            guard earlier == credential.password else { return .kept }
            return isKnownRejected(credential) ? .storedRejected : .alreadyThere
        }
        let settled = try settled(credential, attributes)
        if let settled, settled != .alreadyThere { return settled }
        switch signIn.flatMap({ standing(of: credential, $0) }) {
        case .rejected?:
            guard settled != nil else { return .rejected }
            taken[attributes] = credential.password
            return .storedRejected
        case .otherAccount(let owner)?: return .otherAccount(owner: owner)
        default: if let settled { return settled }
        }
        guard !isDryRun else {
            taken[attributes] = credential.password
            return .imported
        }
        return try save(credential, under: attributes, isSignIn: signIn != nil)
    }

    /// Saves a credential, if nothing better was stored while the host was asked: without the account's lock, a refresh
    /// or a sign-in that has just ended could be undone.
    private mutating func save(
        _ credential: ForeignCredential, under attributes: ItemAttributes, isSignIn: Bool
    ) throws(KeyringError) -> Import.Outcome {
        guard let host = attributes.hostName else { return .unstorable }
        let lock: any HeldLock
        do throws(LockError) {
            lock = try AccountLock(with: dependencies).acquire(credential.user, on: host)
        } catch {
            switch error {
            case .timedOut: return .busy
            case .impossible: return .lockImpossible
            case .stopped: throw .interrupted
            }
        }
        defer { lock.release() }
        if let outcome = try settled(credential, attributes) { return outcome }
        taken[attributes] = credential.password
        do throws(KeyringError) {
            let copy = StoredCredential(
                username: attributes.user ?? [], password: credential.password,
                grant: isSignIn ? .init(clientID: nil, since: dependencies.clock.now) : nil)
            try Save(with: dependencies).run(copy, under: attributes)
            return try self.stored(attributes)?.credential.password == credential.password ? .imported : .failed
        } catch .unstorable {
            return .unstorable
        } catch {
            return .failed
        }
    }

    /// What becomes of a credential because of what is stored; nil if it can be imported.
    private func settled(
        _ credential: ForeignCredential, _ attributes: ItemAttributes
    ) throws(KeyringError) -> Import.Outcome? {
        guard let stored = try stored(attributes) else { return nil }
        if stored.credential.password == credential.password { return .alreadyThere }
        return gives(way: stored, to: credential) ? nil : .kept
    }

    private func isKnownRejected(_ credential: ForeignCredential) -> Bool {
        answers.last { $0.token == credential.password }?.standing == .rejected
    }

    /// Whether the host has accepted the token; nil if it was not asked.
    func isVerified(_ credential: ForeignCredential) -> Bool? {
        answers.last { $0.token == credential.password }.map {
            switch $0.standing {
            case .accepted, .unclaimed: true
            default: false
            }
        }
    }

    /// What the host says of it; if it cannot be asked, the token is imported anyway.
    private mutating func standing(of credential: ForeignCredential, _ signIn: SignInContext) -> TokenStanding? {
        guard credential.password.isToken else { return nil }
        let standing = signIn.standing(of: credential.stored, at: nil, with: dependencies)
        answers.append((credential.password, standing))
        return standing
    }

    /// The attributes to store a credential under, by the rules for git's requests, and whether we sign in there.
    private func attributes(
        of credential: ForeignCredential
    ) throws(KeyringError) -> (ItemAttributes, signIn: SignInContext?)? {
        var lines = Array("protocol=".utf8) + credential.protocol + Array("\nhost=".utf8) + credential.host
        lines += Array("\nusername=".utf8) + credential.user
        if let path = credential.path { lines += Array("\npath=".utf8) + path }
        let parts = [credential.protocol, credential.host, credential.user, credential.path ?? []]
        let resolver = ContextResolver(with: dependencies)
        // A line break would add another attribute.
        guard !parts.joined().contains(0x0a), let request = try? Request(parsing: lines + [0x0a]),
            let context = try? resolver.credentialContext(of: request)
        else { return nil }
        // A token is for the whole host where we sign in.
        do {
            let signIn = try resolver.signInContext(of: context)
            return (context.attributes(user: credential.user, object: signIn == nil ? context.path : nil), signIn)
        } catch {
            throw .unconfigured(error)
        }
    }

    /// What is stored under exactly these attributes.
    private func stored(_ attributes: ItemAttributes) throws(KeyringError) -> StoredMatch? {
        guard let scheme = attributes.protocol, let host = attributes.hostName else { return nil }
        let query = ItemQuery(
            protocol: scheme, host: host, user: attributes.user, path: attributes.object, paths: .exact)
        return try Lookup(with: dependencies).all(query).first { $0.item.attributes == attributes }
    }

    /// What has expired is replaced; what came from outside, by something newer; what we signed in for stays.
    private func gives(way stored: StoredMatch, to credential: ForeignCredential) -> Bool {
        guard stored.credential.isUsable(at: dependencies.clock.now) else { return true }
        guard stored.credential.grant?.clientID == nil, let modified = credential.modified else { return false }
        return modified > stored.item.modified
    }
}
