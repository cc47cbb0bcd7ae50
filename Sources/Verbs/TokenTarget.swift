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
    let place: TokenTrialPlace?

    var host: DisplayText { provider.host.displayName }

    /// The page where a person makes a token; its permissions are in the words of that page.
    var page: HTTPSAddress? { provider.page(.newToken) }
    var permissions: DisplayText? { provider.facts.tokenPermissions }

    /// Whether a token can be stored only for an account that the person names.
    var needsAccount: Bool { provider.facts.tokenCheck == .none && username == nil }

    init(_ context: SignInContext, with dependencies: Dependencies) {
        provider = context.host.provider
        username = context.username
        takesClient = true
        self.context = context.credentialContext
        authtype = context.authtype
        transport = dependencies.transport(context.transport)
        place = nil
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
            throw .hostRecognized(kind, host: DisplayText(untrusted: host.text))
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
