package import CredentialCore
package import Helper
internal import OAuth
internal import Providers

/// The verb `status`: every account of the hosts where we sign in, and how it stands.
package struct Status: Command {
    private let request: Request?
    private let dependencies: Dependencies
    private let isOffline: Bool

    /// A look at what is stored.
    ///
    /// - Parameters:
    ///   - request: names the host to look at; nil for all where something is stored.
    ///   - isOffline: whether the servers are left alone.
    ///   - dependencies: everything outside.
    package init(_ request: Request?, isOffline: Bool, with dependencies: Dependencies) {
        self.request = request
        self.isOffline = isOffline
        self.dependencies = dependencies
    }

    /// More than all scopes of GitHub's together.
    private static let longestScopes = 1_000

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
        package let host: DisplayText
        /// What kind of service it is; nil for a plain store.
        package let provider: ProviderID?
        /// The account's name; nil where nothing is stored.
        package let username: DisplayText?
        /// How it stands.
        package let state: State
        /// Whether it can be renewed without a person.
        package let isRefreshable: Bool
        /// When the token ends, in seconds since 1970; nil for never or unknown.
        package let expiresAt: Int64?
        /// When the refresh token ends, likewise.
        package let refreshExpiresAt: Int64?
        /// What was granted; nil if the server did not say.
        package let scopes: DisplayText?
        /// Where it is kept; nil where nothing is stored.
        package let storage: CredentialStorage?
    }

    /// The accounts, in the order of their hosts and names.
    package struct Report {
        package let accounts: [Account]
    }

    /// Looks, and fails if nobody is signed in.
    package func run(_ tell: (Report) -> Void) throws(UserFacingError) -> ExitStatus {
        let accounts = try accounts()
        tell(Report(accounts: accounts))
        return accounts.contains { $0.state != .notFound } ? .done : .failed
    }

    private func accounts() throws(UserFacingError) -> [Account] {
        do {
            guard let request else { return try allAccounts() }
            let resolver = ContextResolver(with: dependencies)
            let context = try resolver.credentialContext(of: request)
            let found = try Lookup(with: dependencies).all(context.everything(user: request.username))
            let signIn = try resolver.signInContext(of: context)
            let accounts = found.map { account($0, on: context.host, signIn) }
            return accounts.isEmpty ? [missing(context.host, signIn)] : accounts
        } catch let refusal as CredentialContext.Refusal {
            throw UserFacingError(refusal)
        } catch let error as ConfigurationError {
            throw .configurationUnreadable(error)
        } catch let error as KeyringError {
            throw .keyring(error)
        } catch {
            throw .keyring(.other("\(error)"))
        }
    }

    private func allAccounts() throws -> [Account] {
        var items = try dependencies.keyring.items(
            having: ItemAttributes(named: [(ItemAttributes.Name.protocol, CredentialContext.https)]))
        // A locked item need not even say which host it is for.
        let locked = items.filter(\.isLocked)
        if !locked.isEmpty { items = items.filter { !$0.isLocked } + (try dependencies.keyring.unlock(locked)) }
        let hosts = Set(items.compactMap(Self.host)).sorted { $0.text.lexicographicallyPrecedes($1.text) }
        let resolver = ContextResolver(with: dependencies)
        var accounts: [Account] = []
        for host in hosts {
            guard let signIn = try resolver.signInContext(of: host) else { continue }
            let context = CredentialContext(signIn.host, path: nil)
            accounts += try Lookup(with: dependencies).all(context.everything(user: nil)).map {
                account($0, on: context.host, signIn)
            }
        }
        return accounts
    }

    private static func host(of item: Item) -> HostName? {
        item.attributes.user == nil ? nil : item.attributes.hostName
    }

    private func missing(_ name: HostName, _ signIn: SignInContext?) -> Account {
        Account(
            host: DisplayText(name.text), provider: signIn?.host.providerID,
            username: nil, state: .notFound, isRefreshable: false, expiresAt: nil, refreshExpiresAt: nil, scopes: nil,
            storage: nil)
    }

    private func account(_ found: StoredMatch, on name: HostName, _ signIn: SignInContext?) -> Account {
        let credential = found.credential
        return Account(
            host: DisplayText(name.text), provider: signIn?.host.providerID,
            username: DisplayText(credential.username), state: state(of: credential, signIn),
            isRefreshable: credential.oauthRefreshToken != nil, expiresAt: credential.passwordExpiryUTC,
            refreshExpiresAt: credential.grant?.refreshTokenExpiryUTC,
            scopes: credential.grant?.scope.map { DisplayText($0.utf8, longest: Self.longestScopes) },
            storage: dependencies.keyring.storage)
    }

    private func state(of credential: StoredCredential, _ signIn: SignInContext?) -> State {
        guard credential.isAlive(at: dependencies.clock.now) else { return .expired }
        guard !isOffline, let signIn else { return isOffline ? .unknown : .authorized }
        let transport = dependencies.transport(signIn.transport)
        switch signIn.host.provider.account(of: credential.password, on: signIn.host, over: transport) {
        case .username: return .authorized
        case .rejected: return .revoked
        case .unknown, .interrupted: return .unknown
        }
    }
}
