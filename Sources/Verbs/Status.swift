internal import ArgumentParser
internal import CredentialCore
internal import Helper
internal import Messages
internal import Providers

/// The verb `status`: every account of the hosts where we sign in, and the state of its token.
struct Status: Verb {
    static let configuration = CommandConfiguration(
        "status",
        Message("Show your accounts and the state of their tokens."),
        Message("Exits with 1 if no account is signed in. Tokens are never shown."))

    @Argument(help: ArgumentHelp(Message("The host to show. Default: all hosts.")))
    var host: String?

    @Flag(help: ArgumentHelp(Message("Print a JSON array for programs.")))
    var json = false

    @Flag(help: ArgumentHelp(Message("Do not check the tokens with the servers.")))
    var offline = false

    func run(with outside: VerbDependencies) throws(UserFacingError) -> ExitStatus {
        let (request, dependencies) = try outside.request(host ?? "github.com", for: "status")
        // Without git's lines, only what makes an account the default is left out.
        var search = StatusSearch(
            dependencies: dependencies, lines: (try? outside.files.entries()) ?? [], isOffline: offline)
        do {
            if host == nil { try search.lookEverywhere() } else { try search.look(request) }
        } catch {
            throw UserFacingError(whileLookingUp: error)
        }
        let isSignedIn = search.accounts.contains { $0.state != .notFound }
        // Without the keyring, it is unknown who is signed in.
        if !isSignedIn, let absence = dependencies.keyring.absence {
            let host = search.accounts.first?.host ?? (absence.isSurelyEmpty ? search.defaultHost : nil)
            throw host.map { .keyringAbsent(absence, host: $0) } ?? .keyring(absence)
        }
        if json { outside.print(JSONText.array(search.accounts.map(\.json))) } else { outside.say(search.words) }
        return isSignedIn ? .done : .failed
    }
}

/// What is found, a host after the other.
private struct StatusSearch {
    let dependencies: Dependencies
    /// git's configuration.
    let lines: [OriginatedEntry]
    let isOffline: Bool

    /// By host; the one that git would use comes first.
    var accounts: [StatusAccount] = []
    private var helpersInFront: [[Message]] = []
    private var absentDefaults: [[Message]] = []
    /// The hosts among them to which git sends the token with its first request.
    private var proactiveHosts: [DisplayText] = []

    init(dependencies: Dependencies, lines: [OriginatedEntry], isOffline: Bool) {
        self.dependencies = dependencies
        self.lines = lines
        self.isOffline = isOffline
    }

    var words: [Message] {
        let lockedKeyrings = dependencies.keyring.lockedCollections
        let isKnown = !accounts.isEmpty || !lockedKeyrings.isEmpty
        var blocks = isKnown ? accounts.map(\.words) : [StatusAccount.invitation(nil)]
        blocks += helpersInFront + absentDefaults
        if !proactiveHosts.isEmpty {
            // The same text as in `doctor`.
            let hosts = proactiveHosts.joined(separator: ", ")
            blocks.append([Message("git sends your token with its first request to %1$s", hosts)])
        }
        blocks += lockedKeyrings.map {
            [Message("The keyring %1$s is locked; accounts in it are not shown.", $0)]
        }
        return Array(blocks.joined(separator: [.blank]))
    }

    /// github.com, unless it has no client and another host is configured.
    var defaultHost: DisplayText {
        let resolver = ContextResolver(with: dependencies)
        let main = try? resolver.signInContext(of: HostName(name: "github.com"))
        guard main?.clientID == nil, let other = (try? resolver.configuredHosts)?.first else { return "github.com" }
        return other.host.displayName
    }

    // MARK: What is stored

    mutating func look(_ request: Request) throws {
        let resolver = ContextResolver(with: dependencies)
        let context = try resolver.credentialContext(of: request)
        let signIn = try resolver.signInContext(of: context)
        let absent = try look(context, signIn, user: request.username)
        if accounts.isEmpty {
            accounts = [
                StatusAccount(host: DisplayText(untrusted: context.host.text), provider: signIn?.host.providerID)
            ]
        }
        absentDefaults += absent
    }

    mutating func lookEverywhere() throws {
        let (items, reason) = try Lookup(with: dependencies).unlocked(
            ItemAttributes(named: [(ItemAttributes.Name.protocol, CredentialContext.https)]))
        let resolver = ContextResolver(with: dependencies)
        var hosts = Set(items.filter { $0.attributes.user != nil }.compactMap(\.attributes.hostName))
        // git's cache lists nothing; it has to be asked for each host.
        if dependencies.keyring.storage == .memory {
            hosts.formUnion(try HelperHosts(resolver).all.map(\.name))
        }
        var seen: Set<HostName> = []
        for host in hosts.sorted(by: { $0.text.lexicographicallyPrecedes($1.text) }) {
            guard let signIn = try resolver.signInContext(of: host), seen.insert(signIn.host.name).inserted else {
                continue
            }
            let before = accounts.count
            // A person who closed a prompt is not asked again for each host.
            let absent = try look(CredentialContext(signIn.host, path: nil), signIn, mayUnlock: reason == nil)
            if accounts.count > before { absentDefaults += absent }
        }
        if accounts.isEmpty, let reason { throw reason }
    }

    /// Looks at one host.
    ///
    /// - Returns: what to say if git's configuration names an account for remotes that name none, and it is not stored.
    private mutating func look(
        _ context: CredentialContext, _ signIn: SignInContext?, user: [UInt8]? = nil, mayUnlock: Bool = true
    ) throws(KeyringError) -> [[Message]] {
        let (all, _, reason) = try Lookup(with: dependencies).readable(context.everything(user: nil)) { _, _ in
            !mayUnlock
        }
        let host = DisplayText(untrusted: context.host.text)
        let configured = ConfiguredUsername(lines, for: context.host)
        let chosen = DefaultAccount(of: all, configured: configured)
        let found = all.filter { user == nil || $0.credential.username == user }.map { match in
            var account = account(match, host, signIn)
            account.isOnly = all.usernames.count == 1
            if chosen?.username == match.credential.username { account.defaultBecause = chosen?.reason }
            return account
        }
        accounts += found
        if !found.isEmpty, ProactiveAuthentication.isOn(for: context.host, lines) { proactiveHosts.append(host) }
        if let signIn, let helper = CredentialHelpers(lines, for: signIn.host.name).inFront {
            helpersInFront.append([
                helper.sentence,
                Message("To have git use gitspace: %1$s", Verbatim("git credential-gitspace configure")),
            ])
        }
        guard let line = configured.line, let chosen, !all.usernames.contains(chosen.username) else {
            if found.isEmpty, let reason { throw reason }
            return []
        }
        let place = ConfigurationLine(line)
        return [
            [
                Message(verbatim: host),
                .indented(
                    Message("Default account: %1$s, which is not signed in", DisplayText(untrusted: chosen.username))),
                .indented(Message("Set by %1$s in %2$s", place.key, place.origin)),
                .indented(
                    Message("To choose another: %1$s", Verbatim("git credential-gitspace switch \(word: host)"))),
            ]
        ]
    }

    // MARK: An account

    /// More than all scopes of GitHub's together.
    private static let longestScopes = 1_000

    private func account(_ found: StoredMatch, _ host: DisplayText, _ signIn: SignInContext?) -> StatusAccount {
        let credential = found.credential
        let (state, owner, told) = standing(of: credential, signIn)
        var account = StatusAccount(host: host, provider: signIn?.host.providerID)
        account.username = DisplayText(untrusted: credential.username)
        account.installation = credential.grant?.installation.map { owner in
            (
                app: DisplayText(untrusted: (credential.grant?.clientID ?? "").utf8),
                owner: DisplayText(untrusted: owner.utf8)
            )
        }
        account.signInAgain = signIn?.signInAgain(as: credential.username)
        account.state = state
        account.owner = owner
        account.isRefreshable = credential.isRefreshable
        account.expiresAt = credential.ownExpiry ?? told?.expiresIn.map { dependencies.clock.now + $0 }
        account.refreshExpiresAt = credential.grant?.refreshTokenExpiryUTC
        account.scopes = (told?.scopes ?? credential.grant?.scope).map {
            DisplayText(untrusted: $0.utf8, longest: Self.longestScopes)
        }
        account.storage = found.item.storage
        return account
    }

    /// A credential's state, whose the token is, and what else the host tells about it.
    private func standing(
        of credential: StoredCredential, _ signIn: SignInContext?
    ) -> (StatusAccount.State, owner: DisplayText?, told: TokenDetails?) {
        guard credential.isAlive(at: dependencies.clock.now) else {
            let isRejected = credential.passwordExpiryUTC != nil && credential.ownExpiry == nil
            return (isRejected && !credential.isRefreshable ? .revoked : .expired, nil, nil)
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

/// An account, or a host where nothing is stored; for people and for programs.
private struct StatusAccount {
    /// As programs read it.
    enum State: String {
        case authorized
        case expired
        case revoked
        /// The token is valid, and belongs to another account than the one that it is stored for.
        case otherAccount = "other_account"
        case notFound = "not_found"
        case unknown
    }

    let host: DisplayText
    /// Nil for a plain store.
    let provider: ProviderID?
    var username: DisplayText?
    /// The app's ID, and for whom it is installed; nil for a person's account.
    var installation: (app: DisplayText, owner: DisplayText)?
    /// Nil for a plain store.
    var signInAgain: SignInAgain?
    var state = State.notFound
    /// What the host calls the token's owner; nil if it was not asked, or did not tell.
    var owner: DisplayText?
    var isRefreshable = false
    /// In seconds since 1970; nil for never or unknown.
    var expiresAt: Int64?
    var refreshExpiresAt: Int64?
    /// Nil if the server did not say.
    var scopes: DisplayText?
    var storage: CredentialStorage?
    /// Why git uses it for remotes that name no account; nil if it does not.
    var defaultBecause: DefaultAccount.Reason?
    /// Whether it is the only account of its host, which then need not be named.
    var isOnly = true

    init(host: DisplayText, provider: ProviderID?) {
        self.host = host
        self.provider = provider
    }

    // MARK: Words

    /// By `setup`, which works whether git asks this program already or not, and with or without a client ID.
    static func invitation(_ host: DisplayText?) -> [Message] {
        guard let host else {
            return [
                Message("Not signed in to any host. To sign in:"), .command("git credential-gitspace setup"),
            ]
        }
        return [
            Message("Not signed in to %1$s. To sign in:", host),
            .command("git credential-gitspace setup \(word: host)"),
        ]
    }

    var words: [Message] {
        guard let username else { return Self.invitation(host) }
        var lines = [Message(verbatim: host), .indented(sentence(username)), .indented(token)]
        if let scopes { lines.append(.indented(Message("Scopes: %1$s", scopes))) }
        switch defaultBecause {
        case nil, .only: break
        case .first: lines.append(.indented(Message("Default account: signed in first")))
        case .configured(let line):
            lines.append(.indented(Message("Default account: set by %1$s in %2$s", line.key, line.origin)))
        }
        return lines + nextSteps(username).map(Message.indented)
    }

    private func sentence(_ username: DisplayText) -> Message {
        let place = storage == .memory ? Message("memory") : Message("keyring")
        if let installation, state == .authorized || state == .unknown || isRefreshable {
            return Message("The app %1$s, installed for %2$s (%3$s)", installation.app, installation.owner, place)
        }
        return switch state {
        case .authorized: Message("Signed in as %1$s (%2$s)", username, place)
        case .expired where isRefreshable: Message("Signed in as %1$s (%2$s)", username, place)
        case .notFound: Message("Not signed in")
        case .unknown: Message("Signed in as %1$s (%2$s), not checked", username, place)
        case .expired, .revoked, .otherAccount: Message("Not usable: %1$s (%2$s)", username, place)
        }
    }

    private var token: Message {
        switch state {
        case .revoked: Message("Token: rejected by %1$s", host)
        case .otherAccount: Message("Token: belongs to %1$s", owner ?? "")
        case .expired where isRefreshable: Message("Token: refreshed when git next needs it")
        case .expired:
            expiresAt.map { Message("Token: expired on %1$s", LocalTime.text($0)) } ?? Message("Token: expired")
        default:
            switch (expiresAt.map(LocalTime.text), isRefreshable) {
            case (let end?, true): Message("Token: valid until %1$s, then refreshed automatically", end)
            case (let end?, false): Message("Token: valid until %1$s", end)
            case (nil, _): Message("Token: does not expire")
            }
        }
    }

    /// What can be done about it, each by a command that works for this account.
    private func nextSteps(_ username: DisplayText) -> [Message] {
        let name: DisplayText = " --username \(word: username)"
        let named: DisplayText = isOnly ? "" : name
        var steps: [Message] = []
        if let signInAgain, state == .revoked || state == .expired || state == .otherAccount {
            if isRefreshable, state != .otherAccount {
                let command: DisplayText = "git credential-gitspace refresh \(word: host)\(named)"
                if state == .revoked { steps.append(Message("To refresh it: %1$s", Verbatim(command))) }
            } else {
                steps.append(Message("To sign in again: %1$s", Verbatim(signInAgain.command(host))))
            }
        }
        let command: DisplayText = "git credential-gitspace logout \(word: host)\(named)"
        return steps + [Message("To sign out: %1$s", Verbatim(command))]
    }

    // MARK: JSON

    var json: String {
        let place: DisplayText =
            switch storage {
            case .keyring: "keyring"
            case .memory: "memory"
            case nil: "none"
            }
        return JSONText.object([
            ("host", JSONText.string(host)),
            ("provider", provider.map { JSONText.string($0) } ?? JSONText.string("")),
            ("username", username.map { JSONText.string($0) }),
            ("installation", installation.map { JSONText.string($0.owner) }),
            ("state", JSONText.string(state)), ("owner", owner.map { JSONText.string($0) }),
            ("refreshable", String(isRefreshable)), ("expires_at", expiresAt.map { String($0) }),
            ("refresh_expires_at", refreshExpiresAt.map { String($0) }),
            ("scopes", scopes.map { JSONText.string($0) }), ("storage", JSONText.string(place)),
            ("selected", String(defaultBecause != nil)),
        ])
    }
}
