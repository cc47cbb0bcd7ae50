internal import ArgumentParser
internal import CredentialCore
internal import Helper
internal import Messages
internal import Providers

/// The verb `logout`: removes what is stored, and revokes it if the person wishes.
///
/// Unless the server confirms that a token is invalid, `--revoke` keeps it: once removed from the keyring, it could not
/// be revoked from here.
struct Logout: Verb {
    static let configuration = CommandConfiguration(
        "logout",
        Message("Remove stored credentials."),
        Message("The token stays valid until you revoke it or the app's access."))

    @Argument(
        help: ArgumentHelp(
            Message("The host to sign out of, or an account. Default: the host of this repository, or github.com.")))
    var host: String?

    @Option(help: ArgumentHelp(Message("The account to remove.")))
    var username: String?

    @Flag(help: ArgumentHelp(Message("Remove all accounts of the host.")))
    var all = false

    @Flag(help: ArgumentHelp(Message("Revoke the token first, and keep it if that fails.")))
    var revoke = false

    @Flag(help: ArgumentHelp(Message("With --revoke, remove the token even if it could not be revoked.")))
    var force = false

    func validate() throws {
        guard revoke || !force else {
            throw ValidationError(Message("'--force' can only be used together with '--revoke'."))
        }
        guard !all || (username ?? host.flatMap { HostArgument($0).username }) == nil else {
            throw ValidationError(Message("'--all' cannot be used together with an account."))
        }
    }

    func run(with outside: VerbDependencies) throws(UserFacingError) -> ExitStatus {
        var (host, username) = (host, username)
        if username == nil, !all, let word = host, let account = try outside.account(word, for: "logout") {
            (host, username) = (nil, account)
        }
        let (request, dependencies) = try outside.request(host, username, for: "logout")
        let resolver = ContextResolver(with: dependencies)
        let context: CredentialContext
        do {
            context = try resolver.credentialContext(of: request)
        } catch {
            throw UserFacingError(error)
        }
        let signIn: SignInContext?
        do {
            signIn = try resolver.signInContext(of: context)
        } catch {
            // What is in the keyring can still be removed, but not revoked.
            guard !revoke else { throw .configurationUnreadable(error) }
            signIn = nil
        }
        let accounts = Accounts(context: context, signIn: signIn, dependencies: dependencies, say: outside.say)
        if revoke, signIn == nil { throw .nothingToRevokeAt(host: accounts.host) }
        let found = try accounts.chosen(request.username, all: all)
        var (status, removed) = (ExitStatus.done, found.usernames)
        if revoke, let signIn {
            (status, removed) = accounts.revoke(found.usernames, at: signIn, isForced: force)
        } else {
            try accounts.remove(found)
            accounts.sayRemoved(found)
        }
        guard let signIn else { return status }
        sayDefaultThatStays(removed, signIn, outside, dependencies)
        try takeProactiveBack(signIn, outside, dependencies)
        return status
    }

    /// A remote that names no account asks for the one of `credential.<url>.username`, whoever else is signed in.
    private func sayDefaultThatStays(
        _ removed: [[UInt8]], _ context: SignInContext, _ outside: VerbDependencies, _ dependencies: Dependencies
    ) {
        guard let entries = try? outside.files.entries(),
            let entry = ConfiguredUsername(entries, for: context.host.name).line, entry.isInPersonsFile
        else { return }
        let line = ConfigurationLine(entry)
        let everything = CredentialContext(context.host, path: nil).everything(user: nil)
        // A name may be stored for parts of the host as well.
        guard removed.contains(where: { DisplayText(untrusted: $0) == line.value }),
            let left = try? Lookup(with: dependencies).all(everything).usernames,
            !left.contains(where: { DisplayText(untrusted: $0) == line.value })
        else { return }
        let host = context.host.displayName
        outside.say(
            Message("git still asks for %1$s, which is no longer signed in. It is set here:", line.value))
        outside.say(line.place)
        outside.say(left.isEmpty ? Message("To remove it as well:") : Message("To choose another account:"))
        outside.say(
            .command("git credential-gitspace switch \(word: host)\(left.isEmpty ? " --unset" : "" as DisplayText)"))
    }

    /// After the last log-out git again makes its first request without a token.
    ///
    /// Changed only if it is our host, and certain that nobody is signed in.
    private func takeProactiveBack(
        _ context: SignInContext, _ outside: VerbDependencies, _ dependencies: Dependencies
    ) throws(UserFacingError) {
        let proactive = ProactiveAuthentication(outside.files, with: dependencies)
        guard (try? proactive.isSignedIn(to: context.host.name)) == false else { return }
        do throws(ConfigurationFileError) {
            guard try proactive.takeBack(for: context.host) else { return }
        } catch {
            throw .configuration(error, verb: "unconfigure")
        }
        outside.say(Message("git no longer sends a token with its first request to %1$s.", context.host.displayName))
    }
}

/// The stored accounts of a host, which are removed and perhaps revoked.
private struct Accounts {
    let context: CredentialContext
    /// Nil for a host where we do not sign in.
    let signIn: SignInContext?
    let dependencies: Dependencies
    let say: (Message) -> Void

    var host: DisplayText { DisplayText(untrusted: context.host.text) }

    private func stored(_ user: [UInt8]?) throws(UserFacingError) -> [StoredMatch] {
        do {
            return try Lookup(with: dependencies).all(context.everything(user: user))
        } catch {
            throw .keyring(error)
        }
    }

    /// The account that is named, or the only one that there is, or all of them.
    func chosen(_ asked: [UInt8]?, all: Bool) throws(UserFacingError) -> [StoredMatch] {
        let found = try stored(asked)
        guard !found.isEmpty else { throw try nothing(asked) }
        guard all || found.usernames.count == 1 else {
            throw .severalAccounts(host: host, found.usernames.map { DisplayText(untrusted: $0) })
        }
        return found
    }

    /// Why there is nothing to remove: other accounts than the named one may be stored.
    private func nothing(_ asked: [UInt8]?) throws(UserFacingError) -> UserFacingError {
        let absence = dependencies.keyring.absence
        let others = asked == nil ? [] : try stored(nil).usernames
        if let asked, !others.isEmpty {
            return .accountNotStored(
                DisplayText(untrusted: asked), host: host, stored: others.map { DisplayText(untrusted: $0) },
                verb: "logout")
        }
        return absence == .noBus ? dependencies.notSignedIn(to: host) : .nothingToRemove(host: host, absence)
    }

    /// Removes each under its account's lock: a running refresh would restore it.
    func remove(_ found: [StoredMatch]) throws(UserFacingError) {
        for match in found {
            let lock = try lock(of: match)
            defer { lock?.release() }
            do {
                try dependencies.keyring.remove(match.item)
            } catch {
                throw .notErased(error)
            }
        }
    }

    /// Nil if no lock is possible and there is nothing to refresh.
    private func lock(of match: StoredMatch) throws(UserFacingError) -> (any HeldLock)? {
        do {
            return try AccountLock(with: dependencies).acquire(match.credential.username, on: context.host)
        } catch .impossible where match.credential.oauthRefreshToken == nil {
            return nil
        } catch .impossible {
            throw .lockImpossible
        } catch {
            throw .otherNotFinished(host: host)
        }
    }

    /// Says which accounts are gone, what became of their tokens, and where those that may still be valid are revoked.
    func sayRemoved(_ found: [StoredMatch], _ tokens: Message? = nil, mayBeValid: Bool? = nil) {
        say(
            Message.signedOut(
                of: host, found.usernames.map { DisplayText(untrusted: $0) }, found.first?.item.storage ?? .keyring))
        if let tokens { say(tokens) }
        // What has expired, or was rejected when git used it, is not valid.
        let isOfUse = mayBeValid ?? found.contains { $0.credential.isUsable(at: dependencies.clock.now) }
        guard isOfUse, let page = signIn?.accessPage(for: found) ?? TokenHost(known: context.host)?.page else { return }
        // One that a person has made is deleted on its page; another stays valid as long as its app has access.
        let isApps = signIn?.tokenPage(for: found).map { !$0.isPersonal } ?? found.contains(where: \.isClients)
        say(
            isApps
                ? Message("The token stays valid until you revoke the app's access:")
                : Message("The token stays valid until you delete it:"))
        say(.command("\(page)"))
    }

    // MARK: --revoke

    /// Each account separately, first at the server, then in the keyring: if we are stopped in between, the rest can be
    /// logged out again.
    ///
    /// - Returns: how it ended, and which are gone.
    func revoke(_ accounts: [[UInt8]], at signIn: SignInContext, isForced: Bool) -> (ExitStatus, [[UInt8]]) {
        var (status, removed) = (ExitStatus.done, [[UInt8]]())
        for account in accounts {
            do throws(UserFacingError) {
                removed += try revoke(account, at: signIn, isForced: isForced)
            } catch {
                dependencies.report(error)
                status = .failed
                if error.code == .revocationInterrupted { break }
            }
        }
        return (status, removed)
    }

    /// Revokes all tokens of an account at its host, and then removes them from the keyring.
    ///
    /// A refresh at the same time would store new tokens in place of the revoked ones. So the account's lock is held, and
    /// what is revoked and removed is what is stored by then.
    private func revoke(
        _ account: [UInt8], at signIn: SignInContext, isForced: Bool
    ) throws(UserFacingError) -> [[UInt8]] {
        // Finding the server may take a request, and the lock is not held during that.
        var server: SignInServer?
        do {
            server = try signIn.server(with: dependencies)
        } catch {
            guard isForced else { throw error }
        }
        let lock = revocationLock(account)
        defer { if case .success(let lock) = lock { lock.release() } }
        let found = try stored(account)
        // Another process has removed it meanwhile: there is nothing to say.
        guard !found.isEmpty else { return [] }
        let outcome: Result<Message, RevocationFailure> =
            switch lock {
            case .success: revoked(found, at: server, signIn)
            // It is removed in any case, and without locks no process refreshes it.
            case .failure(.lockImpossible) where isForced: revoked(found, at: server, signIn)
            case .failure(let failure): .failure(failure)
            }
        if case .failure(let failure) = outcome, !isForced || failure.isInterruption {
            throw .notRevoked(
                account: DisplayText(untrusted: account), host: host, failure, page: signIn.accessPage(for: found))
        }
        do {
            for item in found { try dependencies.keyring.remove(item.item) }
        } catch {
            if case .failure = outcome { throw .notErased(error) }
            throw .revokedNotErased(account: DisplayText(untrusted: account), error)
        }
        switch outcome {
        case .success(let tokens): sayRemoved(found, tokens, mayBeValid: false)
        case .failure(let failure):
            sayRemoved(found, Message("The token was not revoked: %1$s.", failure.what(host)), mayBeValid: true)
        }
        return found.usernames
    }

    private func revocationLock(_ account: [UInt8]) -> Result<any HeldLock, RevocationFailure> {
        do throws(LockError) {
            return .success(try AccountLock(with: dependencies).acquire(account, on: context.host))
        } catch {
            return switch error {
            case .timedOut: .failure(.busy)
            case .stopped: .failure(.interrupted)
            case .impossible: .failure(.lockImpossible)
            }
        }
    }

    /// Asks the host to revoke; what to say if its tokens are dead.
    private func revoked(
        _ found: [StoredMatch], at server: SignInServer?, _ signIn: SignInContext
    ) -> Result<Message, RevocationFailure> {
        let rejected = Message("%1$s already rejects the token, so there was nothing to revoke.", host)
        let secrets = found.flatMap { [$0.credential.password, $0.credential.oauthRefreshToken] }
            .compactMap { $0 }.filter { !$0.isEmpty }
        // When git reported the token as rejected, it was dropped and not replaced.
        guard !secrets.isEmpty else { return .success(rejected) }
        var failure = RevocationFailure.unsupported
        // All tokens of a grant or none: one that cannot be sent may outlive the others.
        let isForServer = found.allSatisfy { match in
            server?.mayTakeRefreshToken(of: match.credential) ?? (match.credential.oauthRefreshToken == nil)
        }
        if isForServer, found.allSatisfy(\.isClients) || secrets.allSatisfy(\.isToken) {
            let transport = dependencies.transport(signIn.transport)
            let grants = found.map { $0.credential.revocable(at: server) }
            switch signIn.host.provider.revoke(grants, on: signIn.host, over: transport) {
            case .accepted:
                // An app's own is revoked with no notice to anybody.
                return .success(
                    found.allSatisfy(\.isInstallations)
                        ? Message("%1$s revoked the token.", host)
                        : Message("Revoked the token at %1$s.", server.map { signIn.party($0.endpoints.token) } ?? host)
                )
            case .unsupported: break
            case .refused(let status): failure = .refused(status: status)
            case .failed(let error): return .failure(.transport(error))
            }
        }
        return isRejected(found, at: server, signIn) ? .success(rejected) : .failure(failure)
    }

    /// Whether the host rejects each token.
    ///
    /// A refresh token cannot be tested without using it up.
    private func isRejected(_ found: [StoredMatch], at server: SignInServer?, _ signIn: SignInContext) -> Bool {
        guard found.allSatisfy({ $0.credential.oauthRefreshToken == nil }) else { return false }
        let transport = dependencies.transport(signIn.transport)
        return found.map(\.credential).filter { !$0.password.isEmpty }.allSatisfy {
            let grant = $0.revocable(at: server)
            return signIn.host.provider.account(of: grant, on: signIn.host, over: transport) == .rejected
        }
    }
}

extension SignInContext {
    /// The page for revoking the access of the app that got the stored tokens, or a token that a person has made.
    fileprivate func accessPage(for found: [StoredMatch]) -> HTTPSAddress? {
        // The app's own key gets the next token, whatever a person revokes.
        guard !found.contains(where: \.isInstallations) else { return nil }
        let clientID = found.lazy.compactMap(\.credential.grant?.clientID).first
        return tokenPage(for: found)?.address ?? host.provider.page(.access(clientID: clientID), on: host)
    }

    /// The same for tokens of which it is not known which app has got them, if any.
    fileprivate func tokenPage(for found: [StoredMatch]) -> TokenPage? {
        guard !found.contains(where: { $0.credential.grant?.clientID != nil }) else { return nil }
        return found.lazy.compactMap { host.provider.page(revoking: $0.credential.password, on: host) }.first
    }
}

extension StoredMatch {
    /// Whether it was issued to a client.
    fileprivate var isClients: Bool { credential.grant?.clientID != nil }

    /// Whether it is the token of an app's installation.
    fileprivate var isInstallations: Bool { credential.grant?.installation != nil }
}
