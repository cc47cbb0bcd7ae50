internal import CredentialCore
internal import Helper
internal import Providers

/// A host for which a person brings a token: one where we sign in, or one without a sign-in.
struct TokenTarget {
    let provider: any Provider
    let username: [UInt8]?
    /// Whether a client ID is all that a sign-in would need.
    let takesClient: Bool
    let context: CredentialContext
    let authtype: [UInt8]?
    let transport: any Transport
    /// The place to try the token by git's own protocol; `nil` if the host checks it otherwise, or cannot.
    var place: TokenTrialPlace?
    /// The context in which we sign in, or `nil` for a host without a sign-in.
    let signIn: SignInContext?

    var host: DisplayText { provider.host.displayName }

    /// The page where a person makes a token; its permissions are in the words of that page.
    var page: HTTPSAddress? { provider.page(.newToken) }
    var permissions: DisplayText? { provider.facts.tokenPermissions }

    /// Whether a token can be stored only for an account that the person names.
    var needsAccount: Bool { provider.facts.tokenCheck == .none && username == nil }

    init(_ context: SignInContext, with dependencies: Dependencies) {
        signIn = context
        provider = context.host.provider
        username = context.username
        takesClient = true
        self.context = context.credentialContext
        authtype = context.authtype
        transport = dependencies.transport(context.transport)
    }

    /// Finds the kind of host that a person has named; `nil` for one with sign-ins, or that was configured.
    ///
    /// `get` does not do this: git asks every helper about every host, and the hint would also appear for hosts that
    /// another helper handles. `typed` is the host as it was typed, or `nil` for none. `recognized` gets an
    /// unconfigured host, and may configure it.
    ///
    /// - Throws: `UserFacingError.hostRecognized` or `.notForSignIn` for an unconfigured host.
    init?(
        withoutSignIn request: Request, typed: String?, _ outside: VerbDependencies, with dependencies: Dependencies,
        recognized: (RecognizedHost, HostName) throws(UserFacingError) -> Void = { kind, host throws(UserFacingError) in
            throw .hostRecognized(kind, host: host.shown)
        }
    ) throws(UserFacingError) {
        let resolver = ContextResolver(with: dependencies)
        let named = try resolver.typedContext(of: request)
        let (settings, transport): (SignInSettings, TransportConfiguration)
        do {
            guard try resolver.signInContext(of: named) == nil, named.protocol == CredentialContext.https else {
                return nil
            }
            (settings, transport) = try resolver.storeSettings(of: named.host)
        } catch {
            throw .configurationUnreadable(error)
        }
        guard let unknown = SignInHost(configured: named.host, provider: .git) else { return nil }
        signIn = nil
        self.transport = dependencies.transport(transport)
        do {
            context = try CredentialContext(protocol: named.protocol, host: unknown.name)
        } catch {
            throw .requestRefused(.malformedHost)
        }
        if let host = SignInHost(tokenHost: named.host) {
            provider = host.provider
        } else {
            let kind: RecognizedHost?
            do throws(SignInError) {
                kind = try RecognizedHost(asking: unknown.origin, over: self.transport)
            } catch {
                guard !outside.isInterrupted() else { throw .interrupted }
                guard settings.isPlainStore else { throw .notForSignIn(host: unknown.displayName, because: error) }
                kind = nil
            }
            guard settings.isPlainStore else {
                guard let kind else { throw .notForSignIn(host: unknown.displayName) }
                try recognized(kind, unknown.name)
                return nil
            }
            let host = kind.flatMap { kind in
                kind.takesTokens ? SignInHost(configured: named.host, provider: kind.provider) : nil
            }
            provider = (host ?? unknown).provider
        }
        username = request.username
        takesClient = !settings.isPlainStore && provider.host.providerID == .gitea
        authtype = settings.isBearer && provider.facts.takesBearer ? Array("Bearer".utf8) : nil
        place =
            provider.facts.tokenCheck == .repository
            ? try TokenTrialPlace(provider, typed: typed, username: username, remote: outside.remote) : nil
    }

    /// Asks the host about a stored token, or tries it, if either is possible.
    func holder(of credential: StoredCredential) -> Holder {
        let username = String(decoding: credential.username, as: UTF8.self)
        return provider.holder(
            of: credential.password, issuedTo: nil, at: place?.repository.map { ($0, username) }, over: transport)
    }
}

/// The repository and the account with which a token is tried, on a host that returns neither its owner nor its state.
struct TokenTrialPlace {
    private let provider: any Provider
    /// The repository, such as `workspace/name`, or `nil` if none is known.
    private(set) var repository: String?
    private var known: String?
    /// Whether the command names the repository, so that the person need not be asked.
    private let isRepositoryNamed: Bool
    private let isUsernameNamed: Bool

    /// Takes missing values from the current repository's remote; `typed` is the command's host, perhaps with a path.
    init(
        _ provider: any Provider, typed: String?, username: [UInt8]?, remote: () -> String?
    ) throws(UserFacingError) {
        self.provider = provider
        let named = typed.flatMap { Self.address($0, on: provider.host.name) }
        let found = named ?? remote().flatMap { Self.address($0, on: provider.host.name) }
        isRepositoryNamed = named != nil
        isUsernameNamed = username != nil
        repository = found?.segments.joined(separator: "/")
        known = username.map { String(decoding: $0, as: UTF8.self) } ?? found?.username
        if let username, !Self.isUsername(username) {
            throw .notAUsername(isAddress: username.contains(UInt8(ascii: "@")), host: provider.host.displayName)
        }
    }

    var username: String { known ?? provider.facts.anyUsername }

    /// `nil` if any name will do.
    var knownUsername: [UInt8]? { known.map { Array($0.utf8) } }

    /// Asks for missing values; false if the person cancels.
    mutating func ask(_ questions: any Questions, reporting report: (UserFacingError) -> Void) -> Bool {
        let host = provider.host.displayName
        while !isRepositoryNamed {
            let question =
                repository.map { DisplayText(trusted: $0) }.map {
                    Message("A private repository on %1$s to try the token with [%2$s]: ", host, $0)
                } ?? Message("A private repository on %1$s to try the token with (Enter for none): ", host)
            guard let line = questions.ask(question) else { return false }
            guard !line.isEmpty else { break }
            guard let address = Self.address(line, on: provider.host.name) else {
                report(.noRepository(on: host))
                continue
            }
            repository = address.segments.joined(separator: "/")
            if !isUsernameNamed, let username = address.username { known = username }
            break
        }
        while !isUsernameNamed {
            let suggested = DisplayText(account: username.utf8)
            let question = Message("Your user name on %1$s, not your e-mail address [%2$s]: ", host, suggested)
            guard let line = questions.ask(question) else { return false }
            guard !line.isEmpty else { break }
            guard Self.isUsername(Array(line.utf8)) else {
                report(.notAUsername(isAddress: line.utf8.contains(UInt8(ascii: "@")), host: host))
                continue
            }
            known = line
            break
        }
        return true
    }

    /// Reads a repository of the host, by its address or as `WORKSPACE/NAME`.
    private static func address(_ text: String, on host: HostName) -> RepositoryAddress? {
        RepositoryAddress(text, on: host).flatMap { $0.host == host && $0.segments.count == 2 ? $0 : nil }
    }

    private static func isUsername(_ name: [UInt8]) -> Bool { !name.isEmpty && ASCII.isPlain(name, with: "-_.") }
}
