internal import Bytes
internal import Configuration
package import CredentialProtocol
internal import Hosts
internal import Keyring
internal import OAuth

/// The verb `status`: every account of the hosts where we sign in, and how it stands.
package struct Status {
    private let world: World
    private let isOffline: Bool

    /// A look at what is stored.
    ///
    /// - Parameters:
    ///   - isOffline: whether the servers are left alone.
    ///   - world: everything outside.
    package init(isOffline: Bool, in world: World) {
        self.isOffline = isOffline
        self.world = world
    }

    /// How an account stands.
    package enum State: String {
        /// The token is good, as far as we have asked.
        case authorized
        /// The token has ended; a refresh token may be there.
        case expired
        /// The server no longer accepts the token.
        case revoked
        /// Nothing is stored.
        case notFound = "not_found"
        /// Nobody can tell just now.
        case unknown
    }

    /// One account.
    package struct Account {
        /// The host as it is said to people.
        package let host: String
        /// What kind of service it is; empty for a plain store.
        package let provider: String
        /// The account's name; nil where nothing is stored.
        package let username: String?
        /// How it stands.
        package let state: State
        /// Whether it can be renewed without a person.
        package let isRefreshable: Bool
        /// When the token ends, in seconds since 1970; nil for never or unknown.
        package let expiresAt: Int64?
        /// When the refresh token ends, likewise.
        package let refreshExpiresAt: Int64?
        /// What was granted; nil if the server did not say.
        package let scopes: String?
        /// Where it is kept.
        package let storage: String
    }

    /// Looks at one host, or at all where something is stored.
    ///
    /// - Parameter request: names the host; nil for all.
    /// - Returns: the accounts, in the order of their hosts and names; nil if the keyring cannot say, after a complaint.
    package func accounts(_ request: Request?) -> [Account]? {
        do {
            guard let request else { return try allAccounts() }
            let place = try Place(of: request, in: world)
            let found = try Lookup(in: world).all(
                ItemQuery(
                    protocol: place.protocol, host: place.host, user: request.username, path: nil, paths: .wildcard))
            let accounts = found.map { account($0, on: place.host) }
            return accounts.isEmpty ? [missing(place.host)] : accounts
        } catch let refusal as Place.Refusal {
            world.complain(Complaint(refusal))
        } catch let error as KeyringError {
            world.complain(.keyring(error))
        } catch {
            world.complain(.keyring(.other("\(error)")))
        }
        return nil
    }

    private func allAccounts() throws(KeyringError) -> [Account] {
        var items = try world.keyring.items(
            having: ItemAttributes(named: [(ItemAttributes.Name.protocol, Place.https)]))
        // A locked item need not even say which host it is for.
        let locked = items.filter(\.isLocked)
        if !locked.isEmpty { items = items.filter { !$0.isLocked } + (try world.keyring.unlock(locked)) }
        let hosts = Set(items.compactMap(Self.host))
        let known = hosts.filter { knownHost($0) != nil }.sorted { $0.text.lexicographicallyPrecedes($1.text) }
        var accounts: [Account] = []
        for host in known {
            let query = ItemQuery(protocol: Place.https, host: host, user: nil, path: nil, paths: .wildcard)
            accounts += try Lookup(in: world).all(query).map { account($0, on: host) }
        }
        return accounts
    }

    private static func host(of item: Item) -> HostName? {
        guard let server = item.attributes.server, item.attributes.user != nil else { return nil }
        return HostName(server + (item.attributes.port.map { Array(":".utf8) + $0 } ?? []))
    }

    private func knownHost(_ name: HostName) -> KnownHost? {
        KnownHost(builtIn: name)
            ?? settings(name).provider.flatMap { KnownHost(configured: name, provider: $0) }
    }

    private func settings(_ name: HostName) -> SignInSettings {
        SignInSettings(
            Configuration(world.configuration(), for: name), host: name, environment: world.environment)
    }

    private func missing(_ name: HostName) -> Account {
        Account(
            host: ServerText.shown(name.text), provider: knownHost(name)?.provider.rawValue ?? "",
            username: nil, state: .notFound, isRefreshable: false, expiresAt: nil, refreshExpiresAt: nil, scopes: nil,
            storage: "none")
    }

    private func account(_ found: Found, on name: HostName) -> Account {
        let credential = found.credential
        let host = knownHost(name)
        return Account(
            host: ServerText.shown(name.text), provider: host?.provider.rawValue ?? "",
            username: ServerText.shown(credential.username), state: state(of: credential, on: host),
            isRefreshable: credential.oauthRefreshToken != nil, expiresAt: credential.passwordExpiryUTC,
            refreshExpiresAt: credential.grant?.refreshTokenExpiryUTC, scopes: credential.grant?.scope,
            storage: world.keyring.place == .keyring ? "keyring" : "memory")
    }

    private func state(of credential: StoredCredential, on host: KnownHost?) -> State {
        guard credential.isAlive(at: world.clock.now) else { return .expired }
        guard !isOffline, let host else { return isOffline ? .unknown : .authorized }
        let configuration = Configuration(world.configuration(), for: host.name)
        let transport = world.transport(TransportConfiguration(configuration, environment: world.environment))
        switch OAuth.Account.ask(credential.password, at: host.apiBase.appending("/user"), over: transport) {
        case .login: return .authorized
        case .rejected: return .revoked
        case .unknown, .interrupted: return .unknown
        }
    }
}
