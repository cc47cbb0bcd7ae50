internal import CredentialCore
internal import Helper
internal import Messages
internal import Providers

/// A host without a device flow, for which a person wants to store a token.
struct TokenHostContext {
    /// The host.
    let host: TokenHost
    /// The account that the person has named; nil for any.
    let username: [UInt8]?
    /// Where its tokens are stored.
    let context: CredentialContext
    /// The proxy and certificate settings.
    let transport: TransportConfiguration
    /// Whether git has to send the token as `Authorization: Bearer`.
    let isBearer: Bool

    /// The host, as shown to people.
    var displayName: DisplayText { DisplayText(context.host.text) }

    /// Finds out what kind of host a person has named in a command.
    ///
    /// `get` does not do this: git asks every helper about every host, and the hint would also appear for hosts that
    /// another helper handles, or where the person wants git's own prompt.
    ///
    /// - Returns: nil for a host where we sign in.
    /// - Throws: `UserFacingError.hostRecognized` or `.notForSignIn` for a host that nobody has configured.
    init?(_ request: Request, with dependencies: Dependencies) throws(UserFacingError) {
        let resolver = ContextResolver(with: dependencies)
        let named: CredentialContext
        do {
            named = try resolver.credentialContext(of: request)
        } catch {
            throw UserFacingError(error)
        }
        do {
            guard try resolver.signInContext(of: named) == nil, named.protocol == CredentialContext.https,
                let origin = HTTPSAddress(parsing: "https://" + String(decoding: named.host.text, as: UTF8.self))
            else { return nil }
            let (settings, transport) = try resolver.storeSettings(of: named.host)
            self.transport = transport
            isBearer = settings.isBearer
            username = request.username
            context = try CredentialContext(protocol: named.protocol, host: named.host.canonicalForHTTPS)
            if let known = TokenHost(known: named.host) {
                host = known
                return
            }
            let recognized = RecognizedHost(asking: origin, over: dependencies.transport(transport))
            guard settings.isPlainStore else {
                let name = DisplayText(named.host.text)
                if let recognized { throw UserFacingError.hostRecognized(recognized, host: name) }
                throw UserFacingError.notForSignIn(host: name)
            }
            if case .tokens(let kind)? = recognized {
                host = TokenHost(origin, kind)
            } else {
                host = TokenHost(origin, .other)
            }
        } catch let error as UserFacingError {
            throw error
        } catch let error as ConfigurationError {
            throw .configurationUnreadable(error)
        } catch {
            throw .requestRefused(.malformedHost)
        }
    }
}

/// Stores a token that a person has created, after the host has told whose it is, if it can.
struct TokenHostLogin {
    private let context: TokenHostContext
    private let questions: any Questions
    private let dependencies: Dependencies

    init(_ context: TokenHostContext, _ questions: any Questions, with dependencies: Dependencies) {
        self.context = context
        self.questions = questions
        self.dependencies = dependencies
    }

    /// Reads the token, asks the host, and saves it, replacing whatever is stored for the account.
    ///
    /// - Parameter question: how it is asked for.
    /// - Returns: what to report; nil if the person cancels.
    /// - Throws: why it is not stored.
    func run(asking question: Question) throws(UserFacingError) -> Login.Report? {
        guard case .secret(let token) = questions.askSecret(question) else { return nil }
        let isTyped = questions.areSecretsTyped || question == .pastedToken(host: context.displayName)
        guard !token.isEmpty else {
            throw .noToken(host: context.displayName, page: context.host.page, verb: "setup", isTyped: isTyped)
        }
        guard token.isToken else { throw .malformedToken }
        let (account, isVerified) = try account(of: token)
        let now = dependencies.clock.now
        var credential = StoredCredential(
            username: account, password: token, grant: StoredCredential.Grant(clientID: nil, since: now))
        if context.isBearer { credential.authtype = Array("Bearer".utf8) }
        if let error = dependencies.signals.whileSignalsWait({
            Save(with: dependencies).run(signIn: credential, of: context.context)
        }) {
            throw error
        }
        let (name, storage) = (DisplayText(account), dependencies.keyring.storage)
        return isVerified
            ? .tokenKept(account: name, host: context.displayName, storage: storage)
            : .tokenKeptUnverified(account: name, host: context.displayName, storage: storage)
    }

    private func account(of token: Secret) throws(UserFacingError) -> (name: [UInt8], isVerified: Bool) {
        let answer = context.host.account(of: token, over: dependencies.transport(context.transport))
        if let name = answer?.username(asked: context.username) { return (name, true) }
        if let asked = context.username, let owner = answer?.owner {
            throw .tokenOfAnother(asked: DisplayText(asked), owner: owner)
        }
        switch answer {
        case .rejected: throw .tokenRefused(host: context.displayName, page: context.host.page)
        case .accepted, .unknown, .interrupted:
            throw .tokenOwnerUnknown(host: context.displayName, permissions: context.host.permissions)
        case nil:
            guard let name = context.username ?? context.host.anyUsername.map({ Array($0.utf8) }) else {
                throw .tokenNeedsAccount(host: context.displayName)
            }
            return (name, false)
        }
    }
}
