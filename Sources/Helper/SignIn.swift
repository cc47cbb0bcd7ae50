package import CredentialCore
internal import Providers

/// ⑤ The sign-in: a person approves if they can be reached; ⑥ the result is saved.
package struct SignIn {
    let context: SignInContext
    let dependencies: Dependencies
    /// Whether a person ran a command to sign in, to which `gitspaceFlow=none` does not apply.
    let isExplicit: Bool
    /// The query for credentials that other processes may have stored meanwhile.
    private let query: ItemQuery

    /// `query` is the one without an answer; by default, it is for the whole host.
    package init(
        _ context: SignInContext, with dependencies: Dependencies, for query: ItemQuery? = nil, isExplicit: Bool = false
    ) {
        self.context = context
        self.dependencies = dependencies
        self.query = query ?? context.query(path: nil)
        self.isExplicit = isExplicit
    }

    /// Signs in, and reports the result to the person; or returns what another process saved during the wait for it.
    ///
    /// `before` are the stored passwords, which do not count as saved meanwhile; with `evenIfSignedIn`, none does.
    package func run(
        evenIfSignedIn: Bool = false, besides before: [Secret] = []
    ) throws(OperationFailure) -> (credential: StoredCredential, isNew: Bool) {
        dependencies.trace { "signing in to \(host)" }
        if context.needsNoPerson {
            // The next token of an app is all that a sign-in can bring there.
            guard
                case .usable(let credential) = try context.refreshed(nil, with: dependencies, isForced: evenIfSignedIn)
            else { throw .failed(.notRefreshable(host: host)) }
            return (credential, true)
        }
        guard let clientID = context.clientID else {
            throw .unserved(.noClientID(host: host, form: context.host.provider.clientForm))
        }
        try checkNotRefused()
        try checkPersonIsHere()
        let server = try rethrowing(as: OperationFailure.unlessInterrupted, try context.server(with: dependencies))
        let lock = try takeTurn(at: server.oauth)
        defer { lock.release() }
        dependencies.signInNotes.noteStart(of: lockName)
        defer { dependencies.signInNotes.noteEnd(of: lockName) }
        if !isExplicit, lock.predecessorGaveUp { throw .known }
        try checkNotRefused()
        if !evenIfSignedIn, let saved = try savedMeanwhile(besides: before) { return (saved, false) }
        defer { dependencies.ui.withdraw() }
        guard dependencies.ui.acquirePromptSlot() else {
            throw nobodyHere(because: nil, silentFor: dependencies.ui.secondsOfSilence)
        }
        let asking = context.asking(server.client(id: clientID), with: dependencies)
        let approval = Approval(asking, for: self)
        let (credential, fault): (StoredCredential, UserFacingError?)
        do throws(SignInError) {
            (credential, fault) = try signIn(asking, server.issuer, approval)
        } catch {
            dependencies.trace { "no sign-in: \(error)" }
            // The end of git looks like Ctrl-C during a request; waiting processes must not give up then.
            let isAbandoned = error == .cancelled && dependencies.ui.wait(milliseconds: 0, until: nil) == .abandoned
            let error = isAbandoned ? .abandoned : error
            // The person refused or did not answer; after any other error, the next sign-in may work.
            let isRefusal = [.declined, .cancelled, .unanswered, .expired].contains(error)
            if !isExplicit, isRefusal { dependencies.signInNotes.noteRefusal(of: lockName) }
            if error != .abandoned { lock.giveUp() }
            let failure = stop(error, asking)
            approval.show(.failed(host: host, failure.error))
            throw failure
        }
        if let fault { try dependencies.goOn(after: fault) }
        return (credential, true)
    }

    var host: DisplayText { context.host.displayName }
    var lockName: LockName { .signIn(as: context.username, on: context.host.name) }

    /// Throws after a refusal in the same command, so that its other remotes and submodules do not ask again.
    ///
    /// A person who runs a command to sign in has changed their mind.
    private func checkNotRefused() throws(OperationFailure) {
        guard !isExplicit, let refusal = dependencies.signInNotes.refusal(of: lockName) else { return }
        dependencies.trace { "the person has said no: \(refusal)" }
        switch refusal {
        case .inThisCommand: throw .known
        case .shortlyBefore: throw .failed(.shortlyRefused(host: host))
        }
    }

    private func nobodyHere(because setting: DisplayText?, silentFor silence: Int64? = nil) -> OperationFailure {
        let asked = context.askedName.flatMap(context.credentialContext.shown)
        let error =
            context.nobodysAccount(accountRequest)
            ?? silence.map { .sentAway(host: host, as: asked, until: dependencies.clock.now + $0) }
            ?? .nobodyHere(host: host, as: asked, because: setting)
        guard case .configuration = accountRequest,
            let other = try? context.with(username: nil).stored(with: dependencies).first
        else { return .unserved(error) }
        return .unserved(
            error.with(
                error.hints + [
                    Message("or have git use %1$s:", other.account),
                    .command("git credential-gitspace switch \(word: host) \(word: other.account)"),
                ]))
    }

    private func checkPersonIsHere() throws(OperationFailure) {
        let prohibition = try rethrowing(
            as: OperationFailure.failed, try ContextResolver(with: dependencies).prohibition)
        if let prohibition { throw nobodyHere(because: prohibition.setting) }
        guard isExplicit || context.settings.mayStartFromGit else { throw nobodyHere(because: "gitspaceFlow=none") }
        guard dependencies.ui.canBeReached else {
            throw nobodyHere(because: nil, silentFor: dependencies.ui.secondsOfSilence)
        }
        if let error = context.nobodysAccount(accountRequest) { throw .failed(error) }
        // A token that a person approves must have a place.
        try rethrowing(as: OperationFailure.init, try dependencies.keyring.checkWritable(mayPrompt: true))
    }

    private func savedMeanwhile(besides before: [Secret]) throws(OperationFailure) -> StoredCredential? {
        let lookup = Lookup(with: dependencies)
        do {
            guard before.isEmpty else {
                let found = try lookup.all(query).first { !before.contains($0.credential.password) }
                return found.flatMap { lookup.isFresh($0) ? $0.credential : nil }
            }
            guard let best = try lookup.best(query) else { return nil }
            if lookup.isFresh(best) { return best.credential }
            // The best one has expired: a fresh grant, even of another account, comes from a sign-in for both.
            return try lookup.all(query).first { lookup.isFresh($0) && $0.credential.grant != nil }?.credential
        } catch {
            throw OperationFailure(error)
        }
    }

    /// Returns the error if the token could not be saved.
    private func signIn(
        _ client: OAuthClient, _ issuer: String?, _ approval: Approval
    ) throws(SignInError) -> (StoredCredential, UserFacingError?) {
        let (token, nonce) = try approval.token()
        let now = dependencies.clock.now
        let (username, id) = try context.owner(
            of: CompletedSignIn(token, to: client, nonce: nonce, at: now, verifier: dependencies.signatureVerifier),
            with: dependencies)
        var credential = StoredCredential(
            token, username: Array(username.utf8), client: client, issuer: issuer,
            now: dependencies.clock.now, since: dependencies.clock.now)
        credential.authtype = context.authtype
        credential.grant?.accountID = id
        // An approved token must not be lost to a Ctrl-C that comes a moment later.
        let saved = dependencies.signals.whileSignalsWait {
            dependencies.saveSignIn(credential, of: context.credentialContext)
        }
        if case .failure(let error) = saved {
            approval.show(.failed(host: host, error))
            return (credential, error)
        }
        let account = DisplayText(trusted: username)
        approval.show(.signedIn(account: account, host: host))
        dependencies.ui.say(.signedIn(account: account, storage: dependencies.keyring.storage))
        if dependencies.keyring.absence == .notReady { dependencies.ui.say(.keyringNotReady) }
        if let share = dependencies.shareInstead { dependencies.ui.say(.shareInstead(share)) }
        if token.expiresIn == nil, context.asksForExpiry(client) { dependencies.ui.say(.doesNotExpire(host: host)) }
        let facts = context.host.provider.facts
        if let scope = token.scope, let missing = facts.missingScopes(in: scope, of: client.scopes) {
            dependencies.ui.say(
                .notGranted(granted: DisplayText(trusted: scope), missing: DisplayText(trusted: missing)))
        }
        if let seconds = token.expiresIn, token.refreshToken == nil {
            context.sayEnd(in: seconds, client, byBrowser: nonce != nil, with: dependencies)
        }
        return (credential, nil)
    }

    private var accountRequest: AccountRequest { isExplicit ? .person : context.accountRequest(with: dependencies) }

    private func stop(_ error: SignInError, _ client: OAuthClient) -> OperationFailure {
        switch error {
        case .abandoned: return .known
        case .unreachable: return nobodyHere(because: nil)
        case .wrongAccount(let asked, let got):
            return .failed(.wrongAccount(asked: asked, got: got, host: host, accountRequest))
        default:
            let words = UserFacingError.signIn(
                error, host: host, at: context.party(client.server.token),
                clientID: DisplayText(untrusted: client.id.utf8), form: context.host.provider.clientForm)
            if let words { return .failed(words) }
            dependencies.ui.say(.cancelled)
            return .known
        }
    }

    // MARK: The turn

    /// Milliseconds for three codes of 15 minutes each.
    private static let longestWait: Int64 = 3 * 900_000
    /// The number of looks before the wait is reported.
    private static let looksBeforeSaying = 3
    /// The number of looks without knowing where the person is asked.
    ///
    /// The holder of the lock notes the place within milliseconds, or seconds on a busy machine.
    private static let looksWithoutPlace = 40
    /// Milliseconds in which the asking process notices a cancellation here.
    private static let cancelling: Int64 = 2_000

    /// Waits for the turn: one process at a time signs in to an account, and the others wait and show the reason.
    ///
    /// The asking process may be in a terminal that nobody sees, such as an editor's, so the others show its page and
    /// code too, and a refusal at any of them counts for all.
    func takeTurn(at server: OAuthServer) throws(OperationFailure) -> any HeldLock {
        var looks = 0
        var isSaid = false
        var isElsewhere = false
        var shown: NotedCode?
        var waitingLine: (any HeldLock)?
        defer {
            waitingLine?.release()
            if shown != nil { dependencies.ui.dismissPrompt() }
        }
        var end = WaitOutcome.elapsed
        do {
            return try dependencies.locks.acquire(lockName, within: Self.longestWait) {
                looks += 1
                if !isSaid, looks >= Self.looksBeforeSaying,
                    let place = dependencies.signInNotes.place(of: lockName)
                        ?? (looks < Self.looksWithoutPlace ? nil : .elsewhere)
                {
                    isSaid = true
                    waitingLine = sayThatWeWait(for: place)
                    isElsewhere = place == .anotherTerminal || place == .elsewhere
                }
                if isElsewhere, let code = show(besides: shown, from: server) { shown = code }
                end = dependencies.ui.wait(milliseconds: 0, until: nil)
                return end == .elapsed
            }
        } catch .stopped {
            if shown != nil, end == .cancelled { cancelForAll() }
            throw end == .unanswered ? .failed(.otherNotFinished(host: host)) : .known
        } catch .timedOut {
            throw .failed(.otherNotFinished(host: host))
        } catch {
            throw .failed(.noLock(error))
        }
    }

    /// Shows the current code, if it is another one and there is a terminal.
    private func show(besides shown: NotedCode?, from server: OAuthServer) -> NotedCode? {
        guard dependencies.ui.hasTerminal, let code = dependencies.signInNotes.code(of: lockName), code != shown,
            let authorization = DeviceAuthorization(
                userCode: code.userCode, page: code.page,
                expiresIn: (code.end - dependencies.clock.uptimeMilliseconds) / 1_000, from: server)
        else { return nil }
        show(.deviceCode(authorization), until: code.end, isRenewal: shown != nil)
        return code
    }

    private func cancelForAll() {
        dependencies.signInNotes.cancel(lockName)
        dependencies.ui.say(.cancelled)
        // Only the lock's holder may write the note; the other process is about to release the lock.
        guard !isExplicit,
            let lock = try? dependencies.locks.acquire(lockName, within: Self.cancelling, whileWaiting: { true })
        else { return }
        dependencies.signInNotes.noteRefusal(of: lockName)
        lock.release()
    }

    /// Reports the wait, once for all fetches of a command: a line for each remote would hide the code.
    ///
    /// - Returns: the right to that line, to be held as long as the wait lasts.
    private func sayThatWeWait(for place: SignInLocation) -> (any HeldLock)? {
        var line: (any HeldLock)?
        if place == .thisCommand {
            let name = LockName.waitingLine(for: context.username, on: context.host.name)
            guard let free = try? dependencies.locks.acquire(name, within: 0, whileWaiting: { false }) else {
                return nil
            }
            line = free
        }
        dependencies.ui.say(.waitingForOtherSignIn(place))
        return line
    }
}
