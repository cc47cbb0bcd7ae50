internal import CredentialCore
internal import Helper
internal import Messages
internal import Providers

/// A host for which a person brings a token: one where we sign in, or one without a device flow.
struct TokenTarget {
    let host: DisplayText
    /// Where a person makes a token, and what it must permit, in the words of that page; nil if that is not known.
    let page: HTTPSAddress?
    let permissions: DisplayText?
    /// The account that the person has named.
    let username: [UInt8]?
    /// The name for git where the host cannot tell whose a token is.
    let anyUsername: String?
    /// Whether a token can be stored only for an account that the person names.
    let needsAccount: Bool
    /// Whether a client ID is all that a sign-in would need.
    let takesClient: Bool
    /// Where the token is stored.
    let context: CredentialContext
    let authtype: [UInt8]?
    /// Asks the host whose a token is; nil where it has no way to tell.
    let owner: (Secret) -> AccountAnswer?
    /// Where it can be tried by git's own protocol; nil where it is not.
    let place: TokenTrialPlace?
    /// Tries a token, as an account, at a repository; nil where it is not tried.
    let trial: (Secret, String, String) -> TokenTrial?
    /// Tells a password of a kind that the host no longer accepts.
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

    /// Finds out what kind of host a person has named in a command.
    ///
    /// `get` does not do this: git asks every helper about every host, and the hint would also appear for hosts that
    /// another helper handles, or where the person wants git's own prompt.
    ///
    /// `typed` is what stands for the host in the command, nil for none.
    ///
    /// - Returns: nil for a host where we sign in.
    /// - Throws: `UserFacingError.hostRecognized` or `.notForSignIn` for a host that nobody has configured.
    init?(
        withoutSignIn request: Request, typed: String?, _ outside: VerbDependencies, with dependencies: Dependencies
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
            known = try Self.recognized(origin, settings, way, isInterrupted: outside.isInterrupted)
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

    /// What the host says of a token that is stored, if it was asked or can be tried.
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

    private static func recognized(
        _ origin: HTTPSAddress, _ settings: SignInSettings, _ transport: any Transport,
        isInterrupted: () -> Bool
    ) throws(UserFacingError) -> TokenHost {
        let recognized = RecognizedHost(asking: origin, over: transport)
        guard !isInterrupted() else { throw .interrupted }
        guard settings.isPlainStore else {
            let name = DisplayText(trusted: origin.authority)
            throw recognized.map { .hostRecognized($0, host: name) } ?? .notForSignIn(host: name)
        }
        return TokenHost(recognized, at: origin)
    }
}

/// Signs in with a token that the person has created, after the host has told whose it is, if it can.
struct TokenLogin {
    private let target: TokenTarget
    private var place: TokenTrialPlace?
    private let questions: any Questions
    private let dependencies: Dependencies

    init(_ target: TokenTarget, _ questions: any Questions, with dependencies: Dependencies) {
        self.target = target
        place = target.place
        self.questions = questions
        self.dependencies = dependencies
    }

    /// Reads the token, asks the host, and saves, replacing whatever is stored for the account, as the person wants.
    ///
    /// - Parameters:
    ///   - secret: where it is asked for.
    ///   - verb: who asks, for its errors.
    /// - Returns: what to say; nil if the person cancels.
    /// - Throws: why it is not stored.
    mutating func run(asking secret: AskedSecret, for verb: DisplayText) throws(UserFacingError) -> [Message]? {
        let isTyped = questions.areSecretsTyped || secret == .pastedToken
        if isTyped, var place {
            guard place.ask(questions, reporting: dependencies.report) else { return nil }
            self.place = place
        }
        let question = Message("Token for %1$s (not shown): ", target.host)
        guard let token = questions.ask(question, for: secret) else { return nil }
        guard !token.isEmpty else {
            throw .noToken(host: target.host, page: target.page, verb: verb, isTyped: isTyped)
        }
        guard token.isToken else { throw .malformedToken }
        if let place { return try run(token, place) }
        let answer = target.owner(token)
        let account = try account(answer)
        _ = try keep(token, as: account)
        let name = DisplayText(untrusted: account)
        guard answer == nil else { return [.signedIn(as: name, dependencies.keyring.storage)] }
        return [
            Message("Stored the token of %2$s for %1$s without checking it with the server.", target.host, name),
            Message.kept(in: dependencies.keyring.storage),
        ]
    }

    /// Tries a token before it is stored, if there is a repository to try it at.
    private func run(_ token: Secret, _ place: TokenTrialPlace) throws(UserFacingError) -> [Message] {
        let (host, name) = (target.host, DisplayText(untrusted: place.username.utf8))
        let repository = place.repository.map { DisplayText(trusted: $0) }
        let trial = place.repository.flatMap { target.trial(token, place.username, $0) }
        switch (trial, repository) {
        case (.rejected, let repository?):
            throw target.isAppPassword(token)
                ? .appPassword(host: host, page: target.page)
                : .tokenRefused(
                    host: host, repository, as: name, permissions: target.permissions, page: target.page)
        case (.notFound, let repository?):
            throw .tokenReachesNothing(host: host, repository, permissions: target.permissions)
        case (.unknown, _): throw .tokenNotVerified(host: host)
        case (.interrupted, _): throw .interrupted
        default: break
        }
        _ = try keep(token, as: Array(place.username.utf8))
        var lines: [Message] = []
        switch (trial, repository) {
        case (.accepted, let repository?):
            lines.append(Message("%1$s accepted the token for %2$s. Stored as %3$s.", host, repository, name))
        default:
            lines.append(Message("Stored the token of %2$s for %1$s without checking it with the server.", host, name))
        }
        if trial == .isPublic, let repository {
            lines.append(Message("%1$s is public, so it could not show whether the token is good.", repository))
        }
        return lines + [Message.kept(in: dependencies.keyring.storage)]
    }

    /// Saves a token after the host has told whose it is.
    ///
    /// - Parameters:
    ///   - token: the token.
    ///   - username: whose it is.
    ///   - stays: whether what is stored for the account by then stays; nil if it is replaced in any case.
    /// - Returns: whether it was saved.
    /// - Throws: why it could not be.
    func keep(
        _ token: Secret, as username: [UInt8], unless stays: ((StoredCredential) -> Bool)? = nil
    ) throws(UserFacingError) -> Bool {
        var credential = StoredCredential(
            username: username, password: token,
            grant: StoredCredential.Grant(clientID: nil, since: dependencies.clock.now))
        credential.authtype = target.authtype
        return try dependencies.signals.whileSignalsWait {
            Save(with: dependencies).run(signIn: credential, of: target.context, unless: stays)
        }.get()
    }

    private func account(_ answer: AccountAnswer?) throws(UserFacingError) -> [UInt8] {
        guard let answer else {
            guard let name = target.username ?? target.anyUsername.map({ Array($0.utf8) }) else {
                throw .tokenNeedsAccount(host: target.host)
            }
            return name
        }
        guard answer != .interrupted else { throw .interrupted }
        if let name = answer.username(asked: target.username) { return name }
        if answer == .accepted(names: []), target.permissions == nil {
            guard let name = target.username else { throw .tokenNeedsName(host: target.host) }
            return name
        }
        if let asked = target.username, let owner = answer.owner {
            throw .tokenOfAnother(asked: target.context.shown(asked), owner: owner)
        }
        if answer == .rejected { throw .tokenRefused(host: target.host, page: target.page) }
        guard let permissions = target.permissions else { throw .tokenNotVerified(host: target.host) }
        throw .tokenOwnerUnknown(host: target.host, permissions: permissions)
    }
}
