internal import CredentialCore
internal import Helper
internal import Providers

extension SetupSteps {
    private static let mostAttempts = 3

    /// Signs in by the first way that works; the first ways keep an existing sign-in.
    func signIn(at target: TokenTarget) throws(OperationFailure) {
        // The client that the person has asked for precedes every way.
        if options.choosesClient, let context = target.signIn {
            clientID = try ClientRegistration(context: context, setup: self).run()
        }
        let ways: [(String, (TokenTarget) throws(OperationFailure) -> Bool)] = [
            ("givenToken", givenToken), ("app", app), ("stored", stored), ("takenOver", takenOver),
            ("client", client), ("registered", registered), ("pasted", pasted),
        ]
        for (name, way) in ways where try way(target) { return dependencies.trace { "setup: signed in (\(name))" } }
    }

    private func givenToken(_ target: TokenTarget) throws(OperationFailure) -> Bool {
        if options.withToken { try signIn(byTokenFor: try current(target), .token, attempts: 1) }
        return options.withToken
    }

    /// With several installations, each gets its token at git's request; `doctor` lists them.
    private func app(_ target: TokenTarget) throws(OperationFailure) -> Bool {
        guard let context = try signInContext(target), context.needsNoPerson else { return false }
        do throws(OperationFailure) {
            try signIn(context, isForced: true)
        } catch {
            guard let code = error.error?.code, [.severalInstallations, .repositoryUnknown].contains(code) else {
                throw error
            }
        }
        return true
    }

    private func stored(_ target: TokenTarget) throws(OperationFailure) -> Bool {
        if let context = try signInContext(target) {
            context.movedFromMemory(with: dependencies).map(outside.say)
            return try isSignedIn(context)
        }
        let query = target.context.query(user: target.username ?? target.place?.knownUsername)
        let lookup = Lookup(with: dependencies)
        guard let match = try rethrowing(as: OperationFailure.init, try lookup.best(query)),
            match.credential.condition(at: dependencies.clock.now).isValid
        else { return false }
        let account = Account(match, target.holder(of: match.credential), anyUsername: nil)
        return try isGood(account, host: target.host)
    }

    /// If the host refuses the client ID, the person may enter another one.
    private func client(_ target: TokenTarget) throws(OperationFailure) -> Bool {
        guard let context = try signInContext(target), let known = context.clientID else { return false }
        // Another terminal may have signed in since, which `login` takes unless forced.
        let isForced = clientID != nil
        do throws(OperationFailure) {
            try signIn(context, isForced: isForced)
        } catch {
            guard error.error?.code == .clientUnusable, mayAsk else { throw error }
            let hasChoice = context.host.provider.registration(of: .oauthApp) != nil
            guard try ClientRegistration(context: context, setup: self, mayGoBack: hasChoice).replace(known) else {
                return false
            }
            try signIn(context, isForced: isForced)
        }
        return true
    }

    /// Signs in with the client ID that the person registers or has; false if they prefer a token.
    private func registered(_ target: TokenTarget) throws(OperationFailure) -> Bool {
        guard let context = target.signIn else { return false }
        // A host without registrations does not tell whose a token is either, so a token cannot be pasted instead.
        guard context.host.provider.registration(of: .oauthApp) != nil else {
            throw .failed(.noRegistrationPage(host: target.host))
        }
        guard mayAsk else { throw .failed(.noClientID(host: target.host, form: context.host.provider.clientForm)) }
        while true {
            guard let registration = try ClientRegistration.chosen(at: context, self) else { return false }
            if try registration.run() != nil, try client(target) { return true }
        }
    }

    private func pasted(_ target: TokenTarget) throws(OperationFailure) -> Bool {
        let pages = try current(target)
        let fineGrained = target.signIn?.host.provider.page(.newFineGrainedToken)
        if target.signIn == nil {
            guard mayAsk else { throw .failed(.tokenNeeded(host: pages.host, page: pages.page)) }
            // The account is checked first, so that nobody has to paste the token twice.
            guard !pages.needsAccount else { throw .failed(.tokenNeedsAccount(host: pages.host)) }
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
        if let permissions = pages.permissions { outside.say(Message("It needs these permissions: %1$s", permissions)) }
        if let page = fineGrained ?? pages.page, outside.questions.open(page) {
            outside.say(Message("The page is opening in your browser."))
        }
        try signIn(byTokenFor: pages, .pastedToken, attempts: Self.mostAttempts)
        return true
    }

    // MARK: Stored sign-ins

    func isSignedIn(_ context: SignInContext) throws(OperationFailure) -> Bool {
        guard let found = try context.ofGitsAccount(with: dependencies).best(with: dependencies) else { return false }
        if clientID != nil, found.credential.grant?.clientID != context.clientID { return false }
        return try isGood(context.account(refreshing: found, with: dependencies), host: context.host.displayName)
    }

    /// Reports the state of a stored account, and returns whether the account is usable.
    private func isGood(_ account: Account, host: DisplayText) throws(OperationFailure) -> Bool {
        if account.isInterrupted { throw .known }
        if let words = account.signedIn(to: host) {
            outside.say(words)
            return true
        }
        switch account.state {
        case .otherAccount:
            sayOnce(
                account.owner == nil
                    ? Message("Could not tell whose the stored token is.")
                    : Message("The stored token belongs to another account."))
        case .revoked: sayOnce(Message("%1$s rejected the stored token.", host))
        case .authorized, .unknown, .expired, .notFound: return false
        }
        refused = account.credential.password
        return false
    }

    /// Messages name no stored entries, which may come from a URL: the code is about to be shown below.
    func sayOnce(_ message: Message) {
        guard !said.contains(message) else { return }
        said.append(message)
        outside.say(message)
    }

    // MARK: The sign-in itself

    /// The context of a host with sign-ins, by git's present configuration.
    func signInContext(_ target: TokenTarget) throws(OperationFailure) -> SignInContext? {
        target.signIn == nil ? nil : try signInContext()
    }

    private func current(_ target: TokenTarget) throws(OperationFailure) -> TokenTarget {
        try signInContext(target).map { TokenTarget($0, with: dependencies) } ?? target
    }

    private func signIn(byTokenFor target: TokenTarget, _ secret: AskedSecret, attempts: Int) throws(OperationFailure) {
        var target = target
        for attempt in 1...attempts {
            let lines: [Message]?
            do throws(UserFacingError) {
                lines = try target.signIn(asking: secret, for: "setup", outside.questions, dependencies)
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
            throw .failed(.setupNeedsPerson(host: context.host.displayName, as: name, because: prohibition?.setting))
        }
        guard status == .done else { throw .known }
    }
}
