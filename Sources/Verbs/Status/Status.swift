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
        // A password of a host that nobody has configured is no sign-in, unless the person asks for that host.
        let isSignedIn = search.accounts.contains { $0.state != .notFound && (host != nil || $0.provider != nil) }
        // Without the keyring, it is unknown who is signed in.
        if !isSignedIn, let absence = dependencies.keyring.absence {
            let host = search.accounts.first?.host ?? (absence.isSurelyEmpty ? search.defaultHost : nil)
            throw host.map { .keyringAbsent(absence, host: $0) } ?? .keyring(absence)
        }
        search.look(
            at: (try? outside.limitedTokens(mayUnlock: false)) ?? [], on: host == nil ? nil : HostName(request.host))
        if json {
            outside.print(JSONText.array((search.accounts + search.limited).map(\.json)))
        } else {
            outside.say(search.words)
        }
        return isSignedIn ? .done : .failed
    }
}

/// Whether git asks us, then what is found, a host after the other.
private struct StatusSearch {
    let dependencies: Dependencies
    /// git's configuration.
    let lines: [OriginatedEntry]
    let isOffline: Bool

    /// By host; the one that git would use comes first.
    var accounts: [StatusAccount] = []
    /// Tokens of shares, each for one repository.
    private(set) var limited: [StatusAccount] = []
    /// Where git does not ask us, or not first.
    private var notAsked: [[Message]] = []
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
        let hosts = accounts.reduce(into: [[StatusAccount]]()) { hosts, account in
            if hosts.last?.first?.host == account.host {
                hosts[hosts.count - 1].append(account)
            } else {
                hosts.append([account])
            }
        }
        var blocks = notAsked
        blocks += hosts.map { accounts in
            accounts[0].username == nil
                ? StatusAccount.invitation(accounts[0].host)
                : [Message(verbatim: accounts[0].host)] + accounts.flatMap(\.words)
        }
        if accounts.isEmpty, lockedKeyrings.isEmpty { blocks.append(StatusAccount.invitation(nil)) }
        if !limited.isEmpty { blocks.append([Message("Tokens of shares:")] + limited.flatMap(\.words)) }
        blocks += absentDefaults
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

    /// Of one host, or of all (nil).
    mutating func look(at tokens: [StoredLimitedToken], on host: HostName?) {
        for token in tokens where host == nil || host?.canonicalForHTTPS == token.signIn.host.name.canonicalForHTTPS {
            var account = account(token.match, token.signIn.host.displayName, token.signIn)
            account.limit = token.limit
            limited.append(account)
        }
    }

    mutating func lookEverywhere() throws {
        let (items, reason) = try Lookup(with: dependencies).unlocked(
            ItemAttributes(named: [(ItemAttributes.Name.protocol, CredentialContext.https)]))
        let resolver = ContextResolver(with: dependencies)
        var hosts = Set(items.filter { $0.attributes.user != nil }.compactMap(\.attributes.hostName))
        // git's cache lists nothing; it has to be asked for each host.
        if dependencies.keyring.storage == .memory {
            hosts.formUnion(try HelperHosts.known(resolver))
        }
        var seen: Set<HostName> = []
        for host in hosts.sorted(by: { $0.text.lexicographicallyPrecedes($1.text) }) {
            let signIn = try resolver.signInContext(of: host)
            guard seen.insert(signIn?.host.name ?? host).inserted else { continue }
            let context =
                try signIn.map { CredentialContext($0.host, path: nil) }
                ?? CredentialContext(protocol: CredentialContext.https, host: host)
            let before = accounts.count
            // A person who closed a prompt is not asked again for each host.
            let absent = try look(context, signIn, mayUnlock: reason == nil)
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
        let chosen = DefaultAccount(of: all, at: context.host, lines)
        let found = all.filter { user == nil || $0.credential.username == user }.map { match in
            var account = account(match, host, signIn)
            account.isOnly = all.usernames.count == 1
            if chosen?.username == match.credential.username { account.defaultBecause = chosen?.reason }
            return account
        }
        accounts += found
        if !found.isEmpty, ProactiveAuthentication.isOn(for: context.host, lines) { proactiveHosts.append(host) }
        if signIn != nil { notAsked += missing(context.host, host, hasAccount: !found.isEmpty) }
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

    /// What to say if git does not ask us first.
    private func missing(_ name: HostName, _ host: DisplayText, hasAccount: Bool) -> [[Message]] {
        let helpers = CredentialHelpers(lines, for: name)
        let sentence: Message
        if let other = helpers.inFront {
            sentence = other.sentence
        } else if helpers.own == nil, hasAccount {
            sentence = Message("git is not set up to use gitspace for %1$s", host)
        } else {
            return []
        }
        let command: DisplayText = "git credential-gitspace configure \(word: host)"
        return [[sentence, Message("To have git use gitspace: %1$s", Verbatim(command))]]
    }

    // MARK: An account

    /// More than all scopes of GitHub's together.
    private static let longestScopes = 1_000

    private func account(_ found: StoredMatch, _ host: DisplayText, _ signIn: SignInContext?) -> StatusAccount {
        let credential = found.credential
        let (state, owner, told, notChecked) = standing(of: credential, host, signIn)
        var account = StatusAccount(host: host, provider: signIn?.host.providerID)
        account.notChecked = notChecked
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

    /// A credential's state, whose the token is, what else the host tells about it, and why it was not asked.
    private func standing(
        of credential: StoredCredential, _ host: DisplayText, _ signIn: SignInContext?
    ) -> (StatusAccount.State, owner: DisplayText?, told: TokenDetails?, notChecked: Message?) {
        guard !credential.isLost || credential.isRefreshable else { return (.notFound, nil, nil, nil) }
        guard credential.isAlive(at: dependencies.clock.now) else {
            let isRejected = credential.passwordExpiryUTC != nil && credential.ownExpiry == nil
            return (isRejected && !credential.isRefreshable ? .revoked : .expired, nil, nil, nil)
        }
        guard let signIn else { return (isOffline ? .unknown : .authorized, nil, nil, nil) }
        guard !isOffline else { return (.unknown, nil, nil, Message("--offline was given")) }
        var failure: TransportError?
        var dependencies = dependencies
        dependencies.transport = { [transport = dependencies.transport] configuration in
            WatchedTransport(transport(configuration)) { failure = $0 }
        }
        let details = {
            let transport = dependencies.transport(signIn.transport)
            return signIn.host.provider.details(of: credential.password, on: signIn.host, over: transport)
        }
        switch signIn.standing(
            of: credential, at: signIn.server(of: credential, with: dependencies), with: dependencies)
        {
        case .accepted(let owner), .unclaimed(let owner): return (.authorized, owner, details(), nil)
        case .otherAccount(let owner): return (.otherAccount, owner, details(), nil)
        case .rejected: return (.revoked, nil, nil, nil)
        case .interrupted: return (.unknown, nil, nil, Message("interrupted"))
        case .unknown:
            // A token may be good for git, and not for the question whose it is.
            if let details = details() { return (.authorized, nil, details, nil) }
            let why = failure?.words(host: host).text ?? Message("%1$s did not say", host)
            return (.unknown, nil, nil, why)
        }
    }
}

/// Tells of a failure that whoever sends a request does not pass on.
private final class WatchedTransport: Transport {
    private let transport: any Transport
    private let tell: (TransportError) -> Void

    init(_ transport: any Transport, _ tell: @escaping (TransportError) -> Void) {
        self.transport = transport
        self.tell = tell
    }

    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        do {
            return try transport.send(request)
        } catch {
            tell(error)
            throw error
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
    /// Why the host was not asked about the token, as the end of a sentence.
    var notChecked: Message?
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
    /// Whose share the token is for, and what it reaches; nil for an account's own.
    var limit: RepositoryLimit?

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

    /// Below the host's name.
    var words: [Message] {
        guard let username else { return [] }
        let heading = Message.indented(Message("%1$s (%2$s)", sentence(username), place))
        // A password of a plain store: nothing is known about it, and nothing has to be done.
        guard provider != nil || state == .notFound else { return [heading] }
        if let limit { return words(username, limit) }
        var lines = [token].compactMap(\.self)
        if let scopes { lines.append(Message("Scopes: %1$s", scopes)) }
        switch defaultBecause {
        case nil, .only: break
        case .first: lines.append(Message("Default (first signed in)"))
        case .configured(let line):
            switch line.reach {
            case .everywhere: lines.append(Message("Default (set by %1$s in %2$s)", line.key, line.origin))
            case .repository:
                lines.append(Message("Default in this repository (set by %1$s in %2$s)", line.key, line.origin))
            case .folder(let path):
                lines.append(
                    Message("Default in repositories below %1$s (set by %2$s in %3$s)", path, line.key, line.origin))
            }
        }
        return [heading] + (lines + nextSteps(username)).map { .indented(.indented($0)) }
    }

    private func words(_ username: DisplayText, _ limit: RepositoryLimit) -> [Message] {
        let place = DisplayText(trusted: limit.place.text)
        let heading = Message(
            "%1$s on %2$s, as %3$s, for \"%4$s\": %5$s", DisplayText(untrusted: limit.repository.utf8), host, username,
            place, limit.right)
        let command: DisplayText = "git credential-gitspace share stop \(word: limit.place.text)"
        let state: Message? = state == .revoked ? Message("Token: rejected") : token
        return [.indented(heading)]
            + ([state].compactMap(\.self) + [Message("To end it: %1$s", Verbatim(command))])
            .map { .indented(.indented($0)) }
    }

    private var place: Message { storage == .memory ? Message("memory") : Message("keyring") }

    private func sentence(_ username: DisplayText) -> Message {
        guard provider != nil || state == .notFound else { return Message("Password of %1$s", username) }
        if let installation, state == .authorized || state == .unknown || isRefreshable {
            return Message("The app %1$s, installed for %2$s", installation.app, installation.owner)
        }
        return switch state {
        case .authorized: Message("Signed in as %1$s", username)
        case .expired where isRefreshable: Message("Signed in as %1$s", username)
        case .notFound: Message("%1$s: token lost by the keyring", username)
        case .unknown:
            notChecked.map { Message("Signed in as %1$s, not checked: %2$s", username, $0) }
                ?? Message("Signed in as %1$s", username)
        case .expired:
            expiresAt.map { Message("%1$s: token expired on %2$s", username, LocalTime.text($0)) }
                ?? Message("%1$s: token expired", username)
        case .revoked: Message("%1$s: token rejected", username)
        case .otherAccount: Message("%1$s: token belongs to %2$s", username, owner ?? "")
        }
    }

    /// Until when it is valid; nil where the sentence above says what is wrong with it.
    private var token: Message? {
        switch state {
        case .revoked, .otherAccount, .notFound: nil
        case .expired: isRefreshable ? Message("Token: expired; git refreshes it") : nil
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
        let named: DisplayText = isOnly ? "" : " --username \(word: username)"
        var steps: [Message] = []
        if let signInAgain, [.revoked, .otherAccount, .notFound].contains(state) || state == .expired && !isRefreshable
        {
            steps.append(Message("To sign in again: %1$s", Verbatim(signInAgain.remedyCommand(host))))
        }
        let command: DisplayText = "git credential-gitspace logout \(word: host)\(named)"
        return steps + [Message("To sign out: %1$s", Verbatim(command))]
    }

    // MARK: JSON

    private var limitMembers: [(name: DisplayText, value: String?)] {
        guard let limit else { return [] }
        return [
            ("share", JSONText.string(DisplayText(trusted: limit.place.text))),
            ("repository", JSONText.string(DisplayText(untrusted: limit.repository.utf8))),
            ("read_only", String(limit.isReadOnly)),
        ]
    }

    var json: String {
        let place: DisplayText =
            switch storage {
            case .keyring: "keyring"
            case .memory: "memory"
            case nil: "none"
            }
        return JSONText.object(
            [
                ("host", JSONText.string(host)),
                ("provider", provider.map { JSONText.string($0) } ?? JSONText.string("")),
                ("username", username.map { JSONText.string($0) }),
                ("installation", installation.map { JSONText.string($0.owner) }),
                ("state", JSONText.string(state)), ("owner", owner.map { JSONText.string($0) }),
                ("refreshable", String(isRefreshable)), ("expires_at", expiresAt.map { String($0) }),
                ("refresh_expires_at", refreshExpiresAt.map { String($0) }),
                ("scopes", scopes.map { JSONText.string($0) }), ("storage", JSONText.string(place)),
                ("selected", String(defaultBecause != nil)),
            ] + limitMembers)
    }
}
