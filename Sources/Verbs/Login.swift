internal import ArgumentParser
internal import CredentialCore
internal import Helper
internal import Providers

/// The verb `login`: signs in at a person's request.
struct Login: Verb {
    static let configuration = CommandConfiguration(
        "login",
        Message("Sign in now."),
        Message(
            "To set up git as well, or for your first sign-in, run \"%1$s\".", Verbatim("git credential-gitspace setup")
        ),
        examples: ["login", "login github.com alice", "login git.example.com --with-token <token.txt"])

    @OptionGroup var typed: AccountArguments

    @Flag(help: ArgumentHelp(Message("Sign in even if a valid token is stored.")))
    var force = false

    @Flag(
        help: ArgumentHelp(
            Message("Sign in with a personal access token, entered at a prompt or read from standard input.")))
    var withToken = false

    func run(with outside: VerbDependencies) throws(UserFacingError) -> ExitStatus {
        let (request, dependencies) = try outside.request(typed, isStored: false, withPath: true, for: "login")
        let target: TokenTarget
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
            target = TokenTarget(
                try ContextResolver(with: dependencies).signInContext(of: request), with: dependencies)
        }
        var login = TokenLogin(target: target, questions: outside.questions, dependencies: dependencies)
        guard let lines = try login.run(asking: .token, for: "login") else { return .cancelled }
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
                try getAsApp(context, dependencies, say)
            } else {
                try signIn(context, isForced: isForced, dependencies, say)
            }
            return .done
        } catch {
            if let failure = error.error { throw failure }
            return .cancelled
        }
    }

    private static func getAsApp(
        _ context: SignInContext, _ dependencies: Dependencies, _ say: (Message) -> Void
    ) throws(OperationFailure) {
        let credential = try SignIn(context, with: dependencies).run(evenIfSignedIn: true).credential
        let app = DisplayText(untrusted: (credential.grant?.clientID ?? "").utf8)
        let owner = DisplayText(untrusted: (credential.grant?.installation ?? "").utf8)
        say(
            Message("Got a token from %1$s for the app %2$s, installed for %3$s.", context.host.displayName, app, owner)
        )
        if let end = credential.passwordExpiryUTC {
            say(Message("Valid until %1$s, then refreshed automatically.", LocalTime.text(end)))
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
        say(
            Message(
                "Also signed in: %1$s. To make %2$s the default account:",
                others.map { DisplayText(account: $0) }.joined(separator: ", "), account))
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
        if account.state == .unknown { return [words, Message("To sign in again anyway:"), .login(host, "--force")] }
        return [words] + (context.username == nil ? [Message("To add another account:"), .login(host, "NAME")] : [])
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
}
