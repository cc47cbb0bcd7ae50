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
    /// The total time of a revocation, in milliseconds.
    private static let longestRevocation: Int64 = 5_000

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
        let asked = context.askedName.flatMap(shown)
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
        if let prohibition = try rethrowing(
            as: OperationFailure.failed, try ContextResolver(with: dependencies).prohibition)
        {
            throw nobodyHere(because: prohibition.setting)
        }
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
        let (username, id) = try owner(
            of: CompletedSignIn(token, to: client, nonce: nonce, at: now, verifier: dependencies.signatureVerifier))
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
            sayEnd(in: seconds, client, byBrowser: nonce != nil)
        }
        return (credential, nil)
    }

    /// Reports the expiry of a token without a refresh token.
    ///
    /// A server may issue refresh tokens for a scope that it does not list, or after consent (OpenID Connect Core, 11).
    private func sayEnd(in seconds: Int64, _ client: OAuthClient, byBrowser isByBrowser: Bool) {
        func words(_ scopes: String) -> [Substring] { scopes.split(separator: " ") }
        let (scope, asked): (Substring, [Substring]) = ("offline_access", words(client.scopes))
        var command: DisplayText?
        if words(context.host.provider.facts.scopes).contains(scope) {
            if !asked.contains(scope) {
                let scopes = DisplayText(untrusted: "\(client.scopes) \(scope)".utf8)
                command = "git config --global \(word: SettingKey.oauthScopes.name(on: host)) \(word: scopes)"
            } else if isByBrowser, !words(context.settings.prompt ?? "").contains("consent") {
                command = "git config --global \(word: SettingKey.oauthPrompt.name(on: host)) consent"
            }
        }
        dependencies.ui.say(
            .endsForGood(server: context.party(client.server.token), seconds: seconds, command: command))
    }

    /// Returns the account; if it is unknown, any name works with git, but a requested name must not be assumed.
    private func owner(of signIn: CompletedSignIn) throws(SignInError) -> (name: String, id: Int64?) {
        let transport = dependencies.transport(context.transport)
        let asked = context.askedName
        for attempt in 1...3 {
            let holder: Holder
            do throws(IDTokenError) {
                holder = try context.host.provider.holder(after: signIn, over: transport)
            } catch {
                guard error == .keysUnavailable, attempt < 3 else { throw .untrustedIdentity(error) }
                holder = .unknown()
            }
            if let name = holder.username(asked: asked) { return (String(decoding: name, as: UTF8.self), holder.id) }
            if let asked, let owner = holder.owner {
                revoke(signIn, of: holder)
                throw .wrongAccount(asked: shown(asked), got: owner)
            }
            switch holder {
            case .rejected:
                let wantsIDToken = signIn.client.scopes.split(separator: " ").contains("openid")
                throw wantsIDToken && signIn.response.idToken == nil ? .noIDToken : .tokenRejected
            case .interrupted: throw .cancelled
            case .account, .good, .unknown:
                guard attempt < 3 else { break }
                if case .cancelled = dependencies.ui.wait(milliseconds: 1_000, until: nil) { throw .cancelled }
            }
        }
        guard let asked else { return (context.host.provider.facts.anyUsername, nil) }
        revoke(signIn, of: .unknown())
        throw .wrongAccount(asked: shown(asked), got: nil)
    }

    /// Revokes a wrong account's token, which is not stored here and must not stay valid elsewhere.
    ///
    /// Only this revocation happens without the person's request; its result changes nothing else. Leaves the token if
    /// the owner's account is stored too: a server may end all tokens of an app and account.
    private func revoke(_ signIn: CompletedSignIn, of holder: Holder) {
        guard !mayBeStored(holder) else { return }
        // A refresh token of an OpenID server stands for the person's session, and perhaps for their other ones.
        let refreshToken = context.host.provider.facts.issuesElsewhere ? nil : signIn.response.refreshToken
        let grant = RevocableGrant(
            accessToken: signIn.response.accessToken, refreshToken: refreshToken, client: signIn.client)
        let transport = HurriedTransport(
            dependencies.transport(context.transport),
            until: dependencies.clock.uptimeMilliseconds + Self.longestRevocation)
        let outcome = context.host.provider.revoke([grant], over: transport)
        dependencies.trace { "the token of another account was dropped; its revocation: \(outcome)" }
    }

    /// Whether the owner's account may be stored; unlocks nothing.
    private func mayBeStored(_ holder: Holder) -> Bool {
        let anyUsername = context.host.provider.facts.anyUsername
        guard let names = holder.names else { return isStored(nil) { _ in true } }
        // git's cache finds an account by its name alone.
        return ([nil] + names.map { Array($0.utf8) }).contains { user in
            isStored(user) { holder.isOwner($0) || ASCII.equalsIgnoringCase($0, anyUsername) }
        }
    }

    private func isStored(_ user: [UInt8]?, where isIt: ([UInt8]) -> Bool) -> Bool {
        let query = context.credentialContext.everything(user: user)
        let lookup = Lookup(with: dependencies)
        guard let stored = try? lookup.readable(query, unless: { _, _ in true }) else { return true }
        return stored.found.contains { isIt($0.credential.username) }
            || stored.locked.contains { isIt($0.attributes.user ?? []) }
    }

    private var accountRequest: AccountRequest { isExplicit ? .person : context.accountRequest(with: dependencies) }
    private func shown(_ account: [UInt8]) -> DisplayText? { context.credentialContext.shown(account) }

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
}

private final class HurriedTransport: Transport {
    private let transport: any Transport
    private let deadline: Int64

    init(_ transport: any Transport, until deadline: Int64) {
        self.transport = transport
        self.deadline = deadline
    }

    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        var request = request
        request.deadline = deadline
        return try transport.send(request)
    }
}
