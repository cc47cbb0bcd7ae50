internal import Bytes
internal import CredentialProtocol
internal import Keyring

/// The operation `store`: keeps what git says worked, for any host, as git's own libsecret helper does.
struct Store {
    private let place: Place
    private let request: Request
    private let world: World

    init(_ place: Place, _ request: Request, in world: World) {
        self.place = place
        self.request = request
        self.world = world
    }

    /// Saves, unless there is nothing to save or all of it is there already.
    func run() {
        guard let username = request.username, let password = request.password else { return }
        // A ready-made header value is what git has used then, and no item has a place for it.
        guard !request.isEphemeral, !request.hasAuthtype, !request.carriesOurMark else { return }
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
            world.complain(.notSaved(error))
        }
    }

    /// What is stored already for the account.
    ///
    /// Which host is one where we sign in, only the configuration knows. But what we signed in for tells itself: such a
    /// token is for the whole host, and is not stored once more for the path where git used it.
    private func known(_ username: [UInt8]) throws(KeyringError) -> [Found] {
        let lookup = Lookup(in: world)
        let exact = try lookup.all(place.query(user: username))
        guard exact.isEmpty, place.path != nil, place.builtIn == nil else { return exact }
        let wholeHost = ItemQuery(
            protocol: place.protocol, host: place.host, user: username, path: nil, paths: .exact)
        return try lookup.all(wholeHost).filter { $0.item.attributes.object == nil && $0.credential.grant != nil }
    }

    /// The same password with an expiry or a refresh token that is new; what is known beyond that stays.
    private func complete(_ found: Found) throws(KeyringError) {
        var credential = found.credential
        credential.passwordExpiryUTC = request.passwordExpiryUTC ?? credential.passwordExpiryUTC
        credential.oauthRefreshToken = request.oauthRefreshToken ?? credential.oauthRefreshToken
        try Save(in: world).run(credential, under: found.item.attributes)
    }

    /// A password that is new here: whatever belonged to another one goes with it.
    private func save(_ username: [UInt8], _ password: Secret) throws(KeyringError) {
        let credential = StoredCredential(
            username: username, password: password, passwordExpiryUTC: request.passwordExpiryUTC,
            oauthRefreshToken: request.oauthRefreshToken)
        try Save(in: world).run(credential, under: place.attributes(user: username, object: place.path))
        if case .memory = world.keyring.place { world.person.say(.keptInMemory) }
    }
}
