package import CredentialCore
package import Helper
internal import Providers

/// The sign-in of `setup`, by the first possible way.
///
/// The ways are: a stored sign-in, another tool's, the known client ID, one that is registered now, and the person's
/// own token.
final class SetupSignIn {
    let setup: SetupRun
    /// The client ID that the person has chosen, with which another tool's sign-in is not wanted.
    private let chosenClient: String?
    private var said: [Message] = []
    /// The stored token that the host has refused.
    var refused: Secret?

    /// The number of corrections of a token that the host refuses.
    private static let mostAttempts = 3

    init(_ setup: SetupRun, clientID: String?) {
        self.setup = setup
        chosenClient = clientID
    }

    var outside: VerbDependencies { setup.outside }

    /// Signs in if nobody is signed in.
    func run() throws(OperationFailure) {
        let context = try setup.signInContext()
        let host = context.host.displayName
        if setup.options.withToken {
            return try signInByToken(TokenTarget(context, with: setup.dependencies), .token, attempts: 1)
        }
        if context.needsNoPerson { return try getAsApp(host) }
        context.movedFromMemory(with: setup.dependencies).map(outside.say)
        if try isSignedIn(context) { return }
        if chosenClient != nil { return try signIn(host, isForced: true) }
        if try takeOver(context) { return }
        if context.clientID == nil {
            // Such a host cannot return the owner of a token either, so a token cannot be pasted instead.
            guard context.host.provider.registration(of: .oauthApp) != nil else {
                throw .failed(.noRegistrationPage(host: host))
            }
            guard setup.mayAsk else { throw .failed(.noClientID(host: host)) }
            guard try chooseClient(context) else { return }
        }
        // The sign-in is not forced, because another terminal may have signed in meanwhile.
        try signIn(host, isForced: false)
    }

    /// Asks for a client ID, and returns false if the person has signed in by a token instead.
    private func chooseClient(_ context: SignInContext) throws(OperationFailure) -> Bool {
        while true {
            let clientID: String?
            switch try chosenWay(context) {
            case .token:
                try paste(
                    TokenTarget(context, with: setup.dependencies),
                    fineGrained: context.host.provider.page(.newFineGrainedToken))
                return false
            case .register(let kind):
                clientID = try ClientRegistration(context, setup, kind, mayGoBack: true).run()
            case .client(let typed):
                clientID = try ClientRegistration(context, setup, mayGoBack: true).run(trying: typed)
            }
            if clientID != nil { return true }
        }
    }

    /// Stores a token for a host without a device flow, unless a valid one is stored.
    func run(withoutSignIn target: TokenTarget) throws(OperationFailure) {
        if setup.options.withToken { return try signInByToken(target, .token, attempts: 1) }
        let query = target.context.query(user: target.username ?? target.place?.knownUsername)
        let lookup = Lookup(with: setup.dependencies)
        if let match = try rethrowing(as: OperationFailure.init, try lookup.best(query, isSignInHost: { true })),
            match.credential.condition(at: setup.dependencies.clock.now).isValid
        {
            let account = Account(match, target.holder(of: match.credential), anyUsername: nil)
            if try isGood(account, host: target.host) { return }
        }
        guard setup.mayAsk else {
            throw .failed(.tokenNeeded(host: target.host, page: target.page))
        }
        // The account is checked first, so that nobody has to paste the token twice.
        guard !target.needsAccount else { throw .failed(.tokenNeedsAccount(host: target.host)) }
        try paste(target)
    }

    // MARK: Stored sign-ins

    func isSignedIn(_ context: SignInContext) throws(OperationFailure) -> Bool {
        let dependencies = setup.dependencies
        guard let found = try context.ofGitsAccount(with: dependencies).best(with: dependencies) else { return false }
        if chosenClient != nil, found.credential.grant?.clientID != context.clientID { return false }
        return try isGood(context.account(refreshing: found, with: dependencies), host: context.host.displayName)
    }

    /// Reports the state of a stored account, and returns whether it is good.
    private func isGood(_ account: Account, host: DisplayText) throws(OperationFailure) -> Bool {
        let username = account.username
        if account.isInterrupted { throw .known }
        switch account.state {
        case .authorized:
            outside.say(Message("Already signed in to %1$s as %2$s.", host, username))
            return true
        case .unknown:
            outside.say(
                Message(
                    "Signed in to %1$s as %2$s, but could not check the token with %3$s.", host, username,
                    account.issuer ?? host))
            return true
        case .otherAccount:
            sayOnce(
                account.owner == nil
                    ? Message("Could not tell whose the stored token is.")
                    : Message("The stored token belongs to another account."))
        case .revoked: sayOnce(Message("%1$s rejected the stored token.", host))
        case .expired, .notFound: return false
        }
        refused = account.credential.password
        return false
    }

    /// Prints a message once.
    ///
    /// It has no names of stored entries, which may come from a URL: the code is about to be shown below.
    func sayOnce(_ message: Message) {
        guard !said.contains(message) else { return }
        said.append(message)
        outside.say(message)
    }

    // MARK: The person's token

    private func paste(_ target: TokenTarget, fineGrained: HTTPSAddress? = nil) throws(OperationFailure) {
        outside.say(.blank)
        if let page = target.page, let fineGrained {
            outside.say([
                Message("Create a token that reaches the repositories that you choose, and copy it:"),
                .command("\(fineGrained)"),
                Message("Or a classic one, which reaches all that you can reach:"), .command("\(page)"),
            ])
        } else if let page = target.page {
            outside.say([Message("Create a token here and copy it:"), .command("\(page)")])
        } else {
            outside.say(Message("Create a token in your settings on the host and copy it."))
        }
        if let permissions = target.permissions {
            outside.say(Message("It needs these permissions: %1$s", permissions))
        }
        if let page = fineGrained ?? target.page, outside.questions.open(page) {
            outside.say(Message("The page is opening in your browser."))
        }
        try signInByToken(target, .pastedToken, attempts: Self.mostAttempts)
    }

    private func signInByToken(
        _ target: TokenTarget, _ secret: AskedSecret, attempts: Int
    ) throws(OperationFailure) {
        var login = TokenLogin(target, outside.questions, with: setup.dependencies)
        for attempt in 1...attempts {
            let lines: [Message]?
            do throws(UserFacingError) {
                lines = try login.run(asking: secret, for: "setup")
            } catch {
                guard error.code == .tokenUnusable, attempt < attempts else { throw .failed(error) }
                setup.dependencies.report(error)
                continue
            }
            guard let lines else { throw .known }
            return outside.say(lines)
        }
    }

    // MARK: The sign-in itself

    /// Gets a token as the app.
    ///
    /// With several installations, each gets its token at git's request; `doctor` lists them.
    private func getAsApp(_ host: DisplayText) throws(OperationFailure) {
        do throws(OperationFailure) {
            try signIn(host, isForced: true)
        } catch {
            guard let code = error.error?.code, [.severalInstallations, .repositoryUnknown].contains(code) else {
                throw error
            }
        }
    }

    /// Signs in; if the host refuses the client ID, the person may have another one.
    private func signIn(_ host: DisplayText, isForced: Bool) throws(OperationFailure) {
        do throws(OperationFailure) {
            try signInOnce(host, isForced: isForced)
        } catch {
            let context = try setup.signInContext()
            guard error.error?.code == .clientUnusable, setup.mayAsk, let clientID = context.clientID else {
                throw error
            }
            let hasChoice = context.host.provider.registration(of: .oauthApp) != nil
            let registration = ClientRegistration(context, setup, mayGoBack: hasChoice)
            if try !registration.replace(clientID) {
                guard try chooseClient(context) else { return }
            }
            try signInOnce(host, isForced: isForced)
        }
    }

    private func signInOnce(_ host: DisplayText, isForced: Bool) throws(OperationFailure) {
        let status: ExitStatus
        do throws(UserFacingError) {
            status = try Login.signIn(setup.request, isForced: isForced, setup.dependencies, outside.say)
        } catch {
            guard error.code == .nobodyHere else { throw .failed(error) }
            let prohibition = ContextResolver(with: setup.dependencies).knownProhibition
            throw .failed(.setupNeedsPerson(host: host, as: setup.name, because: prohibition?.setting))
        }
        guard status == .done else { throw .known }
    }
}

extension UserFacingError {
    package static func setupNeedsPerson(
        host: DisplayText, as account: DisplayText? = nil, because setting: DisplayText?
    ) -> UserFacingError {
        let setup: DisplayText = account.map { "setup \(word: host) \(word: $0)" } ?? "setup \(word: host)"
        let nobodyHere = nobodyHere(host: host, as: account, because: setting)
        guard setting != "CI" else { return nobodyHere }
        return nobodyHere.with(
            setting.map { [Message("continue in a terminal, without %1$s:", $0), without($0, setup)] }
                ?? [Message("continue in a terminal:"), .command("git credential-gitspace \(setup)")])
    }
}
