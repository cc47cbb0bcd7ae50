internal import CredentialCore
internal import Helper
internal import Providers

extension SetupSteps {
    private static let mostAttempts = 3

    /// The way by which somebody got signed in, for the trace.
    private enum Way {
        case givenToken
        case app
        case stored
        case takenOver
        case client
        case registered
        case pasted
    }

    /// Registers the client that the person has asked for, which precedes every other way.
    func chooseClient(at target: SetupTarget) throws(OperationFailure) {
        guard options.choosesClient, case .signIn(let context) = target else { return }
        clientID = try ClientRegistration(context, self).run()
    }

    /// Signs in by the first way that works; the first ways keep an existing sign-in.
    func signIn(at target: SetupTarget) throws(OperationFailure) {
        let ways: [(SetupTarget) throws(OperationFailure) -> Way?] = [
            givenToken, app, stored, takenOver, client, registered, pasted,
        ]
        for way in ways {
            guard let way = try way(target) else { continue }
            return dependencies.trace { "setup: signed in (\(way))" }
        }
    }

    private func givenToken(_ target: SetupTarget) throws(OperationFailure) -> Way? {
        guard options.withToken else { return nil }
        try signIn(byTokenFor: try tokenTarget(of: target), .token, attempts: 1)
        return .givenToken
    }

    /// With several installations, each gets its token at git's request; `doctor` lists them.
    private func app(_ target: SetupTarget) throws(OperationFailure) -> Way? {
        guard case .signIn = target else { return nil }
        let context = try signInContext()
        guard context.needsNoPerson else { return nil }
        do throws(OperationFailure) {
            try signIn(context, isForced: true)
        } catch {
            guard let code = error.error?.code, [.severalInstallations, .repositoryUnknown].contains(code) else {
                throw error
            }
        }
        return .app
    }

    private func stored(_ target: SetupTarget) throws(OperationFailure) -> Way? {
        switch target {
        case .token(let target):
            let query = target.context.query(user: target.username ?? target.place?.knownUsername)
            let lookup = Lookup(with: dependencies)
            guard
                let match = try rethrowing(
                    as: OperationFailure.init, try lookup.best(query, isSignInHost: { true })),
                match.credential.condition(at: dependencies.clock.now).isValid
            else { return nil }
            let account = Account(match, target.holder(of: match.credential), anyUsername: nil)
            return try isGood(account, host: target.host) ? .stored : nil
        case .signIn:
            let context = try signInContext()
            context.movedFromMemory(with: dependencies).map(outside.say)
            return try isSignedIn(context) ? .stored : nil
        }
    }

    private func takenOver(_ target: SetupTarget) throws(OperationFailure) -> Way? {
        guard case .signIn = target, clientID == nil else { return nil }
        let context = try signInContext()
        let takeOver = TakeOver(
            context: context, name: name, asks: !options.yes, outside: outside, dependencies: dependencies)
        let isDone = try takeOver.run(
            replacing: { [self] in refused }, orIfSaved: { () throws(OperationFailure) in try isSignedIn(context) })
        return isDone ? .takenOver : nil
    }

    /// If the host refuses the client ID, the person may enter another one.
    private func client(_ target: SetupTarget) throws(OperationFailure) -> Way? {
        guard case .signIn = target else { return nil }
        let context = try signInContext()
        guard let known = context.clientID else { return nil }
        // Another terminal may have signed in since, which `login` takes unless forced.
        let isForced = clientID != nil
        do throws(OperationFailure) {
            try signIn(context, isForced: isForced)
        } catch {
            guard error.error?.code == .clientUnusable, mayAsk else { throw error }
            let hasChoice = context.host.provider.registration(of: .oauthApp) != nil
            guard try ClientRegistration(context, self, mayGoBack: hasChoice).replace(known) else { return nil }
            try signIn(context, isForced: isForced)
        }
        return .client
    }

    /// Signs in with the client ID that the person registers or has; `nil` if they prefer a token.
    private func registered(_ target: SetupTarget) throws(OperationFailure) -> Way? {
        guard case .signIn(let context) = target else { return nil }
        // A host without registrations does not tell whose a token is either, so a token cannot be pasted instead.
        guard context.host.provider.registration(of: .oauthApp) != nil else {
            throw .failed(.noRegistrationPage(host: target.shown))
        }
        guard mayAsk else {
            throw .failed(.noClientID(host: target.shown, form: context.host.provider.clientForm))
        }
        while true {
            let clientID: String?
            switch try ClientChoice(context, outside).ask() {
            case .token: return nil
            case .register(let kind): clientID = try ClientRegistration(context, self, kind, mayGoBack: true).run()
            case .client(let typed):
                clientID = try ClientRegistration(context, self, mayGoBack: true).run(trying: typed)
            }
            if clientID != nil, try client(target) != nil { return .registered }
        }
    }

    private func pasted(_ target: SetupTarget) throws(OperationFailure) -> Way? {
        let pages = try tokenTarget(of: target)
        var fineGrained: HTTPSAddress?
        switch target {
        case .token:
            guard mayAsk else { throw .failed(.tokenNeeded(host: pages.host, page: pages.page)) }
            // The account is checked first, so that nobody has to paste the token twice.
            guard !pages.needsAccount else { throw .failed(.tokenNeedsAccount(host: pages.host)) }
        case .signIn(let context): fineGrained = context.host.provider.page(.newFineGrainedToken)
        }
        outside.say(.blank)
        if let page = pages.page, let fineGrained {
            outside.say([
                Message("Create a token that reaches the repositories that you choose, and copy it:"),
                .command("\(fineGrained)"),
                Message("Or a classic one, which reaches all that you can reach:"), .command("\(page)"),
            ])
        } else if let page = pages.page {
            outside.say([Message("Create a token here and copy it:"), .command("\(page)")])
        } else {
            outside.say(Message("Create a token in your settings on the host and copy it."))
        }
        if let permissions = pages.permissions {
            outside.say(Message("It needs these permissions: %1$s", permissions))
        }
        if let page = fineGrained ?? pages.page, outside.questions.open(page) {
            outside.say(Message("The page is opening in your browser."))
        }
        try signIn(byTokenFor: pages, .pastedToken, attempts: Self.mostAttempts)
        return .pasted
    }

    // MARK: Stored sign-ins

    private func isSignedIn(_ context: SignInContext) throws(OperationFailure) -> Bool {
        guard let found = try context.ofGitsAccount(with: dependencies).best(with: dependencies) else { return false }
        if clientID != nil, found.credential.grant?.clientID != context.clientID { return false }
        return try isGood(context.account(refreshing: found, with: dependencies), host: context.host.displayName)
    }

    /// Reports the state of a stored account, and returns whether the account is usable.
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

    /// Messages name no stored entries, which may come from a URL: the code is about to be shown below.
    private func sayOnce(_ message: Message) {
        guard !said.contains(message) else { return }
        said.append(message)
        outside.say(message)
    }

    // MARK: The sign-in itself

    private func tokenTarget(of target: SetupTarget) throws(OperationFailure) -> TokenTarget {
        if case .token(let target) = target { return target }
        return TokenTarget(try signInContext(), with: dependencies)
    }

    private func signIn(
        byTokenFor target: TokenTarget, _ secret: AskedSecret, attempts: Int
    ) throws(OperationFailure) {
        var login = TokenLogin(target, outside.questions, with: dependencies)
        for attempt in 1...attempts {
            let lines: [Message]?
            do throws(UserFacingError) {
                lines = try login.run(asking: secret, for: "setup")
            } catch {
                guard error.code == .tokenUnusable, attempt < attempts else { throw .failed(error) }
                dependencies.report(error)
                continue
            }
            guard let lines else { throw .known }
            return outside.say(lines)
        }
    }

    private func signIn(_ context: SignInContext, isForced: Bool) throws(OperationFailure) {
        let status: ExitStatus
        do throws(UserFacingError) {
            status = try Login.signIn(request, isForced: isForced, dependencies, outside.say)
        } catch {
            guard error.code == .nobodyHere else { throw .failed(error) }
            let prohibition = ContextResolver(with: dependencies).knownProhibition
            throw .failed(
                .setupNeedsPerson(host: context.host.displayName, as: name, because: prohibition?.setting))
        }
        guard status == .done else { throw .known }
    }
}
