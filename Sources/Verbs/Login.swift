internal import ArgumentParser
internal import CredentialCore
internal import Helper
internal import Providers

/// The verb `login`: signs in at a person's request.
struct Login: Verb {
    static let configuration = CommandConfiguration(
        "login", Message("Sign in now."),
        Message(
            "To set up git as well, or for your first sign-in, run \"%1$s\".", Verbatim("git credential-gitspace setup")
        ), examples: ["login", "login github.com alice", "login git.example.com --with-token <token.txt"])

    @OptionGroup var typed: AccountArguments

    @Flag(help: ArgumentHelp(Message("Sign in even if a valid token is stored.")))
    var force = false

    @Flag(
        help: ArgumentHelp(
            Message("Sign in with a personal access token, entered at a prompt or read from standard input.")))
    var withToken = false

    func run(with outside: VerbDependencies) throws(UserFacingError) -> ExitStatus {
        let (request, dependencies) = try outside.request(typed, isStored: false, withPath: true, for: "login")
        var target: TokenTarget
        if let withoutSignIn = try TokenTarget(withoutSignIn: request, typed: typed.host, outside, with: dependencies) {
            target = withoutSignIn
            guard withToken else {
                throw target.takesClient
                    ? .noClientID(host: target.host) : .tokenNeeded(host: target.host, page: target.page)
            }
        } else {
            guard withToken else {
                let status = try Self.signIn(request, isForced: force, dependencies, outside.say)
                if status == .done { Self.sayNotAsked(request, outside) }
                return status
            }
            target = TokenTarget(try ContextResolver(with: dependencies).signInContext(of: request), with: dependencies)
        }
        guard let lines = try target.signIn(asking: .token, for: "login", outside.questions, dependencies) else {
            return .cancelled
        }
        outside.say(lines)
        Self.sayNotAsked(request, outside)
        return .done
    }

    /// Reports that git asks another helper or none, so that the sign-in is of no use to it.
    private static func sayNotAsked(_ request: Request, _ outside: VerbDependencies) {
        guard let host = HostName(request.host)?.canonicalForHTTPS, let lines = try? outside.files.entries(),
            let advice = CredentialHelpers(lines, for: host).advice(host.shown)
        else { return }
        outside.say(advice)
    }

    /// `say` gets the lines after the sign-in, which itself prints more while it runs.
    static func signIn(
        _ request: Request, isForced: Bool, _ dependencies: Dependencies, _ say: (Message) -> Void
    ) throws(UserFacingError) -> ExitStatus {
        let context = try ContextResolver(with: dependencies).signInContext(of: request)
        context.movedFromMemory(with: dependencies).map(say)
        do throws(OperationFailure) {
            if context.needsNoPerson {
                let credential = try SignIn(context, with: dependencies).run(evenIfSignedIn: true).credential
                let app = DisplayText(untrusted: (credential.grant?.clientID ?? "").utf8)
                let owner = DisplayText(untrusted: (credential.grant?.installation ?? "").utf8)
                let host = context.host.displayName
                say(Message("Got a token from %1$s for the app %2$s, installed for %3$s.", host, app, owner))
                if let end = credential.passwordExpiryUTC {
                    say(Message("Valid until %1$s, then refreshed automatically.", LocalTime.text(end)))
                }
            } else {
                try signIn(context, isForced: isForced, dependencies, say)
            }
            return .done
        } catch {
            if let failure = error.error { throw failure }
            return .cancelled
        }
    }

    private static func signIn(
        _ context: SignInContext, isForced: Bool, _ dependencies: Dependencies, _ say: (Message) -> Void
    ) throws(OperationFailure) {
        let host = context.host.displayName
        let before = try context.with(username: nil).stored(with: dependencies)
        if !isForced, let found = try context.ofGitsAccount(with: dependencies).best(with: dependencies),
            let lines = try lines(about: found, context, dependencies)
        {
            return lines.forEach(say)
        }
        // A token still stored would look as if another process had just saved it.
        let (credential, isNew) = try SignIn(context, with: dependencies, isExplicit: true)
            .run(evenIfSignedIn: isForced, besides: before.map(\.credential.password))
        let account = DisplayText(account: credential.username)
        if !isNew { return say(Message("Already signed in to %1$s as %2$s.", host, account)) }
        let others = context.credentialContext.usernames(of: before)
        if others.contains(where: { context.credentialContext.isSameAccount($0, credential.username) }) {
            return say(Message("Replaced the previous token of %1$s for %2$s.", account, host))
        }
        guard !others.isEmpty else { return }
        let names = others.map { DisplayText(account: $0) }.joined(separator: ", ")
        say(Message("Also signed in: %1$s. To make %2$s the default account:", names, account))
        say(.command("git credential-gitspace switch \(word: host) \(word: account)"))
    }

    /// Returns the lines about the stored token by the host's answer, or `nil` if only a sign-in helps.
    private static func lines(
        about found: StoredMatch, _ context: SignInContext, _ dependencies: Dependencies
    ) throws(OperationFailure) -> [Message]? {
        let host = context.host.displayName
        let account = try context.account(refreshing: found, with: dependencies)
        if account.isInterrupted { throw .known }
        // Other names may be others' words, and the code is about to be shown below, so nothing is printed then.
        guard let words = account.signedIn(to: host) else { return nil }
        let again = Message.login(host, context.signInAgain(as: context.username), isForced: true)
        if account.state == .unknown { return [words, Message("To sign in again anyway:"), again] }
        let another = Message.login(host, context.signInAgain(as: Array("NAME".utf8)))
        return [words] + (context.username == nil ? [Message("To add another account:"), another] : [])
    }
}

extension Account {
    /// Returns `nil` if the token is not valid as the account's.
    func signedIn(to host: DisplayText) -> Message? {
        switch state {
        case .authorized: Message("Already signed in to %1$s as %2$s.", host, username)
        case .unknown:
            Message(
                "Signed in to %1$s as %2$s, but could not check the token with %3$s.", host, username, issuer ?? host)
        case .otherAccount, .expired, .revoked, .notFound: nil
        }
    }
}

extension SignInContext {
    /// Returns `nil` if there were no tokens in memory, or no keyring.
    func movedFromMemory(with dependencies: Dependencies) -> Message? {
        let names = dependencies.keyring.bringFromMemory(of: host.name).map { DisplayText(untrusted: $0) }
        return names.isEmpty ? nil : Message("Moved from memory to the keyring: %1$s.", names.joined(separator: ", "))
    }

    /// Returns this context with the account that the person's configuration names, if the request has none.
    ///
    /// A repository's own configuration would select the account of a command about the whole host, and is ignored.
    func ofGitsAccount(with dependencies: Dependencies) -> SignInContext {
        guard username == nil, let entries = try? dependencies.configuration() else { return self }
        let name = ConfiguredUsername(entries, for: host.name).name
        // An empty name is no account to search for.
        return with(username: name.flatMap { $0.isEmpty ? nil : Array($0.utf8) })
    }
}

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
        let known = try rethrowing(as: UserFacingError.configurationUnreadable, try resolver.signInContext(of: named))
        guard known == nil, named.protocol == CredentialContext.https else { return nil }
        let (settings, transport) = try rethrowing(
            as: UserFacingError.configurationUnreadable, try resolver.storeSettings(of: named.host))
        guard let unknown = SignInHost(configured: named.host, provider: .git) else { return nil }
        signIn = nil
        self.transport = dependencies.transport(transport)
        context = try rethrowing(
            as: { (_: RequestError) in UserFacingError.requestRefused(.malformedHost) },
            try CredentialContext(protocol: named.protocol, host: unknown.name))
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
