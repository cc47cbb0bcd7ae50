package import CredentialCore
package import Helper
package import Messages
internal import Providers

/// The verb `status`: every account of the hosts where we sign in, and its state.
package struct Status: Command {
    private let request: Request?
    private let dependencies: Dependencies
    private let isOffline: Bool
    private let files: (any ConfigurationFiles)?

    /// A look at what is stored.
    ///
    /// - Parameters:
    ///   - request: names the host to look at; nil for all where something is stored.
    ///   - isOffline: whether to ask no server.
    ///   - files: git's configuration, by its lines; nil to leave out what makes an account the default.
    ///   - dependencies: everything outside.
    package init(
        _ request: Request?, isOffline: Bool, files: (any ConfigurationFiles)? = nil, with dependencies: Dependencies
    ) {
        self.files = files
        self.request = request
        self.isOffline = isOffline
        self.dependencies = dependencies
    }

    /// More than all scopes of GitHub's together.
    private static let longestScopes = 1_000

    /// The state of an account.
    package enum State: String {
        /// The token is valid, as far as we asked.
        case authorized
        /// The token has expired; there may be a refresh token.
        case expired
        /// The server no longer accepts the token.
        case revoked
        /// The token is valid, and belongs to another account than the one that it is stored for.
        case otherAccount = "other_account"
        /// Nothing is stored.
        case notFound = "not_found"
        /// Not known just now.
        case unknown
    }

    /// One account.
    package struct Account {
        /// The host, as shown to people.
        package let host: DisplayText
        /// What kind of service it is; nil for a plain store.
        package let provider: ProviderID?
        /// The account's name; nil where nothing is stored.
        package let username: DisplayText?
        /// Whose installation of an app it is; nil for a person's account.
        package let installation: Installation?
        /// How it signs in again; nil for a plain store, and where nothing is stored.
        package let signInAgain: SignInAgain?
        /// Its state.
        package let state: State
        /// What the host calls the token's owner; nil if it was not asked, or did not tell.
        package let owner: DisplayText?
        /// Whether it can be refreshed without a person.
        package let isRefreshable: Bool
        /// When the token expires, in seconds since 1970; nil for never or unknown.
        package let expiresAt: Int64?
        /// When the refresh token expires, likewise.
        package let refreshExpiresAt: Int64?
        /// What was granted; nil if the server did not say.
        package let scopes: DisplayText?
        /// Where it is kept; nil where nothing is stored.
        package let storage: CredentialStorage?
        /// Why git uses it for remotes that name no account; nil if it does not.
        package let defaultBecause: DefaultAccount.Reason?
        /// Whether it is the only account of its host, which then need not be named.
        package let isOnly: Bool
    }

    /// An app, and for whom it is installed.
    package struct Installation: Equatable {
        /// The app's ID.
        package let app: DisplayText
        /// The owner's name.
        package let owner: DisplayText
    }

    /// An account that git's configuration names for remotes that name none, and that is not stored.
    package struct AbsentDefault: Equatable {
        /// The host that the line is for.
        package let host: DisplayText
        /// The value of `credential.<url>.username`.
        package let username: DisplayText
        /// Where a person changes it.
        package let line: ConfigurationLine
    }

    /// The accounts by host; the one that git would use comes first.
    package struct Report {
        /// In the order in which they are shown.
        package let accounts: [Account]
        /// Configured names that are not stored.
        package let absentDefaults: [AbsentDefault]
        /// The hosts among them to which git sends the token with its first request.
        package let proactiveHosts: [DisplayText]
        /// The helpers that git asks before us, or in our place.
        package let helpersInFront: [OtherHelper]
        /// The keyrings that are locked, so that accounts in them are not shown.
        package let lockedKeyrings: [DisplayText]

        package init(
            accounts: [Account], absentDefaults: [AbsentDefault] = [], proactiveHosts: [DisplayText] = [],
            helpersInFront: [OtherHelper] = [], lockedKeyrings: [DisplayText] = []
        ) {
            self.lockedKeyrings = lockedKeyrings
            self.accounts = accounts
            self.absentDefaults = absentDefaults
            self.proactiveHosts = proactiveHosts
            self.helpersInFront = helpersInFront
        }
    }

    /// Looks, and fails if nobody is signed in.
    package func run(_ tell: (Report) -> Void) throws(UserFacingError) -> ExitStatus {
        let report = try report()
        // Without the keyring, it is unknown who is signed in.
        if !report.accounts.contains(where: { $0.state != .notFound }), let absence = dependencies.keyring.absence {
            let host = report.accounts.first?.host ?? (absence.isSurelyEmpty ? defaultHost : nil)
            throw host.map { .keyringAbsent(absence, host: $0) } ?? .keyring(absence)
        }
        tell(report)
        return report.accounts.contains { $0.state != .notFound } ? .done : .failed
    }

    /// github.com, unless it has no client and another host is configured.
    private var defaultHost: DisplayText {
        let resolver = ContextResolver(with: dependencies)
        let main = try? resolver.signInContext(of: HostName(name: "github.com"))
        guard main?.clientID == nil, let other = (try? resolver.configuredHosts)?.first else { return "github.com" }
        return other.host.displayName
    }

    private func report() throws(UserFacingError) -> Report {
        do {
            guard let request else { return try allHosts() }
            let resolver = ContextResolver(with: dependencies)
            let context = try resolver.credentialContext(of: request)
            let signIn = try resolver.signInContext(of: context)
            let report = try accounts(of: context, signIn, user: request.username, configuredLines())
            guard report.accounts.isEmpty else { return report }
            return Report(
                accounts: [missing(context.host, signIn)], absentDefaults: report.absentDefaults,
                helpersInFront: report.helpersInFront, lockedKeyrings: report.lockedKeyrings)
        } catch {
            throw UserFacingError(whileLookingUp: error)
        }
    }

    private func allHosts() throws -> Report {
        let (items, reason) = try Lookup(with: dependencies).unlocked(
            ItemAttributes(named: [(ItemAttributes.Name.protocol, CredentialContext.https)]))
        let resolver = ContextResolver(with: dependencies)
        var hosts = Set(items.compactMap(Self.host))
        // git's cache lists nothing; it has to be asked for each host.
        if dependencies.keyring.storage == .memory {
            hosts.formUnion(try HelperHosts(resolver).all.map(\.name))
        }
        let lines = configuredLines()
        var (accounts, absent, proactive): ([Account], [AbsentDefault], [DisplayText]) = ([], [], [])
        var helpersInFront: [OtherHelper] = []
        var seen: Set<HostName> = []
        for host in hosts.sorted(by: { $0.text.lexicographicallyPrecedes($1.text) }) {
            guard let signIn = try resolver.signInContext(of: host), seen.insert(signIn.host.name).inserted else {
                continue
            }
            let context = CredentialContext(signIn.host, path: nil)
            // A person who closed a prompt is not asked again for each host.
            let report = try self.accounts(of: context, signIn, user: nil, lines, mayUnlock: reason == nil)
            accounts += report.accounts
            absent += report.accounts.isEmpty ? [] : report.absentDefaults
            proactive += report.proactiveHosts
            helpersInFront += report.helpersInFront
        }
        if accounts.isEmpty, let reason { throw reason }
        return Report(
            accounts: accounts, absentDefaults: absent, proactiveHosts: proactive, helpersInFront: helpersInFront,
            lockedKeyrings: dependencies.keyring.lockedCollections)
    }

    private static func host(of item: Item) -> HostName? {
        item.attributes.user == nil ? nil : item.attributes.hostName
    }

    /// A failure here only leaves out which account is the default.
    private func configuredLines() -> [OriginatedEntry] { (try? files?.entries()) ?? [] }

    private func accounts(
        of context: CredentialContext, _ signIn: SignInContext?, user: [UInt8]?, _ lines: [OriginatedEntry],
        mayUnlock: Bool = true
    ) throws(KeyringError) -> Report {
        let (all, _, reason) = try Lookup(with: dependencies).readable(context.everything(user: nil)) { _, _ in
            !mayUnlock
        }
        let lockedKeyrings = request == nil ? [] : dependencies.keyring.lockedCollections
        let configured = ConfiguredUsername(lines, for: context.host)
        let chosen = DefaultAccount(of: all, configured: configured)
        let isOnly = all.usernames.count == 1
        let accounts = all.filter { user == nil || $0.credential.username == user }.map { match in
            account(
                match, on: context.host, signIn,
                defaultBecause: chosen?.username == match.credential.username ? chosen?.reason : nil, isOnly: isOnly)
        }
        let isProactive = !accounts.isEmpty && ProactiveAuthentication.isOn(for: context.host, lines)
        let proactive = isProactive ? [DisplayText(context.host.text)] : []
        let inFront = signIn.flatMap { CredentialHelpers(lines, for: $0.host.name).inFront }.map { [$0] } ?? []
        guard let line = configured.line, let chosen, !all.usernames.contains(chosen.username) else {
            if accounts.isEmpty, let reason { throw reason }
            return Report(
                accounts: accounts, proactiveHosts: proactive, helpersInFront: inFront, lockedKeyrings: lockedKeyrings)
        }
        let absent = AbsentDefault(
            host: DisplayText(context.host.text), username: DisplayText(chosen.username), line: ConfigurationLine(line))
        return Report(
            accounts: accounts, absentDefaults: [absent], proactiveHosts: proactive, helpersInFront: inFront,
            lockedKeyrings: lockedKeyrings)
    }

    private func missing(_ name: HostName, _ signIn: SignInContext?) -> Account {
        Account(
            host: DisplayText(name.text), provider: signIn?.host.providerID,
            username: nil, installation: nil, signInAgain: nil, state: .notFound, owner: nil, isRefreshable: false,
            expiresAt: nil,
            refreshExpiresAt: nil, scopes: nil,
            storage: nil, defaultBecause: nil, isOnly: true)
    }

    private func account(
        _ found: StoredMatch, on name: HostName, _ signIn: SignInContext?,
        defaultBecause reason: DefaultAccount.Reason?, isOnly: Bool
    ) -> Account {
        let credential = found.credential
        let (state, owner, told) = standing(of: credential, signIn)
        let scopes = told?.scopes ?? credential.grant?.scope
        return Account(
            host: DisplayText(name.text), provider: signIn?.host.providerID,
            username: DisplayText(credential.username),
            installation: credential.grant?.installation.map { owner in
                Installation(
                    app: DisplayText((credential.grant?.clientID ?? "").utf8), owner: DisplayText(owner.utf8))
            }, signInAgain: signIn?.signInAgain(as: credential.username), state: state, owner: owner,
            isRefreshable: credential.isRenewable,
            expiresAt: credential.ownExpiry ?? told?.expiresIn.map { dependencies.clock.now + $0 },
            refreshExpiresAt: credential.grant?.refreshTokenExpiryUTC,
            scopes: scopes.map { DisplayText($0.utf8, longest: Self.longestScopes) },
            storage: found.item.storage, defaultBecause: reason, isOnly: isOnly)
    }

    /// A credential's state, whose the token is, and what else the host tells about it.
    private func standing(
        of credential: StoredCredential, _ signIn: SignInContext?
    ) -> (State, owner: DisplayText?, told: TokenDetails?) {
        guard credential.isAlive(at: dependencies.clock.now) else {
            let isRejected = credential.passwordExpiryUTC != nil && credential.ownExpiry == nil
            return (isRejected && !credential.isRenewable ? .revoked : .expired, nil, nil)
        }
        guard !isOffline, let signIn else { return (isOffline ? .unknown : .authorized, nil, nil) }
        let details = {
            let transport = dependencies.transport(signIn.transport)
            return signIn.host.provider.details(of: credential.password, on: signIn.host, over: transport)
        }
        switch signIn.standing(of: credential, at: try? signIn.server(with: dependencies), with: dependencies) {
        case .accepted(let owner), .unclaimed(let owner): return (.authorized, owner, details())
        case .otherAccount(let owner): return (.otherAccount, owner, details())
        case .rejected: return (.revoked, nil, nil)
        case .interrupted: return (.unknown, nil, nil)
        case .unknown:
            // A token may be good for git, and not for the question whose it is.
            let details = details()
            return (details == nil ? .unknown : .authorized, nil, details)
        }
    }
}
