internal import CredentialCore
internal import Helper
internal import Providers

/// A host for which a person brings a token: one with sign-ins, or one without a device flow.
struct TokenTarget {
    let host: DisplayText
    /// The page that creates a token, and its permissions in the words of that page, or `nil` if it is unknown.
    let page: HTTPSAddress?
    let permissions: DisplayText?
    /// The account that the person has named.
    let username: [UInt8]?
    /// The name for git if the host cannot return the owner of a token.
    let anyUsername: String?
    /// Whether a token can be stored only for an account that the person names.
    let needsAccount: Bool
    /// Whether a client ID is all that a sign-in would need.
    let takesClient: Bool
    /// The context under which the token is stored.
    let context: CredentialContext
    let authtype: [UInt8]?
    /// Asks the host for the owner of a token, or returns `nil` if it has no way to tell.
    let owner: (Secret) -> AccountAnswer?
    /// The place to try the token by git's own protocol, or `nil` if it is not tried.
    let place: TokenTrialPlace?
    /// Tries a token as an account in a repository, or returns `nil` if it is not tried.
    let trial: (Secret, String, String) -> TokenTrial?
    /// Returns whether a secret is a password of a kind that the host no longer accepts.
    let isAppPassword: (Secret) -> Bool

    init(_ context: SignInContext, with dependencies: Dependencies) {
        let host = context.host
        self.host = host.displayName
        page = host.provider.page(.newToken)
        permissions = host.provider.facts.tokenPermissions
        username = context.username
        anyUsername = nil
        needsAccount = false
        takesClient = true
        self.context = context.credentialContext
        authtype = context.authtype
        owner = { host.provider.account(of: $0, over: dependencies.transport(context.transport)) }
        place = nil
        trial = { _, _, _ in nil }
        isAppPassword = { _ in false }
    }

    /// Finds the kind of host that a person has named in a command.
    ///
    /// `get` does not do this: git asks every helper about every host, and the hint would also appear for hosts that
    /// another helper handles, or where the person wants git's own prompt.
    ///
    /// `typed` is the host as it was typed, or `nil` for none. `recognized` gets an unconfigured host, and may
    /// configure it.
    ///
    /// - Returns: nil for a host with sign-ins, or one that was configured.
    /// - Throws: `UserFacingError.hostRecognized` or `.notForSignIn` for an unconfigured host.
    init?(
        withoutSignIn request: Request, typed: String?, _ outside: VerbDependencies, with dependencies: Dependencies,
        recognized: (RecognizedHost, HostName) throws(UserFacingError) -> Void = { kind, host throws(UserFacingError) in
            throw .hostRecognized(kind, host: DisplayText(untrusted: host.text))
        }
    ) throws(UserFacingError) {
        let resolver = ContextResolver(with: dependencies)
        let named = try resolver.typedContext(of: request)
        let (settings, transport): (SignInSettings, TransportConfiguration)
        let origin: HTTPSAddress
        do {
            guard try resolver.signInContext(of: named) == nil, named.protocol == CredentialContext.https,
                let address = HTTPSAddress(parsing: "https://" + String(decoding: named.host.text, as: UTF8.self))
            else { return nil }
            origin = address
            (settings, transport) = try resolver.storeSettings(of: named.host)
        } catch {
            throw .configurationUnreadable(error)
        }
        do {
            context = try CredentialContext(protocol: named.protocol, host: named.host.canonicalForHTTPS)
        } catch {
            throw .requestRefused(.malformedHost)
        }
        let way = dependencies.transport(transport)
        let known: TokenHost
        if let builtIn = TokenHost(known: named.host) {
            known = builtIn
        } else {
            let kind: RecognizedHost?
            do throws(SignInError) {
                kind = try RecognizedHost(asking: origin, over: way)
            } catch {
                guard !outside.isInterrupted() else { throw .interrupted }
                guard settings.isPlainStore else {
                    throw .notForSignIn(host: DisplayText(untrusted: context.host.text), because: error)
                }
                kind = nil
            }
            guard settings.isPlainStore else {
                guard let kind else { throw .notForSignIn(host: DisplayText(untrusted: context.host.text)) }
                try recognized(kind, context.host)
                return nil
            }
            known = TokenHost(kind, at: origin)
        }
        host = DisplayText(untrusted: context.host.text)
        page = known.page
        permissions = known.permissions
        username = request.username
        anyUsername = known.anyUsername
        needsAccount = if case .other = known { request.username == nil } else { false }
        takesClient = !settings.isPlainStore && SignInHost(publicGitea: named.host) != nil
        authtype = settings.isBearer && known.takesBearer ? Array("Bearer".utf8) : nil
        owner = { known.account(of: $0, over: way) }
        trial = { known.trial(of: $0, as: $1, at: $2, over: way) }
        isAppPassword = { known.isAppPassword($0) }
        guard let anyUsername else {
            place = nil
            return
        }
        place = try TokenTrialPlace(
            context.host, typed: typed, username: username, anyUsername: anyUsername, remote: outside.remote)
    }

    /// Returns the host's answer about a stored token, if it can be asked or tried.
    func answer(about credential: StoredCredential) -> AccountAnswer {
        if let answer = owner(credential.password) { return answer }
        let username = String(decoding: credential.username, as: UTF8.self)
        return switch place?.repository.flatMap({ trial(credential.password, username, $0) }) {
        case .accepted: .accepted(names: [username])
        case .rejected: .rejected
        case .interrupted: .interrupted
        default: .unknown
        }
    }
}
