package import CredentialCore
package import Providers

/// A stored account and its state, by its item and by its host's answer.
///
/// git also stores the user name of a URL, so anybody may have chosen the account's name.
package struct Account {
    package fileprivate(set) var match: StoredMatch
    package fileprivate(set) var state: State
    /// The name that the host returns for the token's owner, or `nil` if it was not asked or returns none.
    package fileprivate(set) var owner: DisplayText?
    /// The server that was asked, if it is not the host.
    package fileprivate(set) var issuer: DisplayText?
    /// Whether the name stands for an unknown owner and we did not store it, so the person has not named the owner.
    package fileprivate(set) var isUnclaimed = false
    /// The host's other details of the token, or `nil` unless they were requested.
    package fileprivate(set) var details: TokenDetails?
    /// The error of the request to the host, or `nil` if there was none.
    package fileprivate(set) var failure: TransportError?
    /// The way to sign in again; `nil` for a plain store.
    package fileprivate(set) var signInAgain: SignInAgain?
    /// Whether git's next request can refresh the token without a person.
    package fileprivate(set) var isRefreshable: Bool

    /// The state of an account, whose names `--json` prints.
    package enum State: String {
        case authorized
        case expired
        case revoked
        /// The token is valid, but it belongs to another account than the one that it is stored for.
        case otherAccount = "other_account"
        /// The keyring has lost the token.
        case notFound = "not_found"
        case unknown
    }

    package enum Question {
        case nothing
        case owner
        case everything
    }

    package var credential: StoredCredential { match.credential }
    package var username: DisplayText { match.account }

    /// Whether somebody is signed in, as far as is known: a token that could not be checked counts.
    package var isSignedIn: Bool {
        switch state {
        case .authorized, .unknown: true
        case .expired: isRefreshable
        case .revoked, .otherAccount, .notFound: false
        }
    }

    package var isInterrupted: Bool { failure == .interrupted }

    /// Creates the state from the item alone; `.unknown` if only the host knows it.
    package init(_ match: StoredMatch, at now: Int64) {
        self.match = match
        let credential = match.credential
        isRefreshable = credential.isRefreshable
        switch credential.condition(at: now) {
        case .fresh, .ending: state = .unknown
        case .expired(refreshable: true): state = .expired
        case .expired: state = credential.ownExpiry == nil ? .revoked : .expired
        case .lost: state = .notFound
        }
    }

    /// Compares a stored account with its host's answer.
    ///
    /// `anyUsername` is the name that the host accepts with every token.
    package init(_ match: StoredMatch, _ holder: Holder, anyUsername: String?) {
        self.match = match
        isRefreshable = match.credential.isRefreshable
        switch holder {
        case .rejected: state = .revoked
        case .unknown(let error): (state, failure) = (.unknown, error)
        case .interrupted: (state, failure) = (.unknown, .interrupted)
        case .account, .good:
            let name = holder.names?.first.flatMap { $0 == anyUsername ? nil : $0 }
            owner = name.map { DisplayText(untrusted: $0.utf8, longest: 255) }
            if let anyUsername, ASCII.equalsIgnoringCase(match.credential.username, anyUsername) {
                isUnclaimed = match.credential.grant == nil
                state = isUnclaimed ? .otherAccount : .authorized
            } else if holder == .good || holder.isOwner(match.credential.username) {
                state = .authorized
            } else {
                state = .otherAccount
                owner = owner ?? DisplayText(untrusted: (anyUsername ?? "").utf8)
            }
        }
    }
}

extension SignInContext {
    /// Returns the account; asks the host if the state depends on it.
    package func account(
        _ match: StoredMatch, asking question: Account.Question = .owner, with dependencies: Dependencies
    ) -> Account {
        var server: SignInServer?
        if match.credential.grant?.clientID != nil, question != .nothing,
            Account(match, at: dependencies.clock.now).state == .unknown
        {
            do {
                server = try self.server(with: dependencies)
            } catch {
                if error.isInterruption { return Account(match, .interrupted, anyUsername: nil) }
            }
        }
        return account(match, at: server, asking: question, with: dependencies)
    }

    /// Returns the account by a known server, `nil` if it is not needed or could not be discovered.
    package func account(
        _ match: StoredMatch, at server: SignInServer?, asking question: Account.Question = .owner,
        with dependencies: Dependencies
    ) -> Account {
        var account = Account(match, at: dependencies.clock.now)
        if account.state == .unknown, question != .nothing {
            let transport = dependencies.transport(transport)
            let holder = host.provider.holder(
                of: match.credential.password, issuedTo: server?.client(of: match.credential), over: transport)
            account = Account(
                renamed(match, holder, with: dependencies) ?? match, holder,
                anyUsername: host.provider.facts.anyUsername)
            if question == .everything, account.state != .revoked, !account.isInterrupted {
                do {
                    account.details = try host.provider.details(of: match.credential.password, over: transport)
                    // Some tokens work with git, but may not ask for their owner.
                    if account.details != nil, account.state == .unknown {
                        (account.state, account.failure) = (.authorized, nil)
                    }
                } catch {
                    if account.state == .unknown || error == .interrupted { account.failure = error }
                }
            }
        }
        account.signInAgain = signInAgain(as: account.credential.username)
        account.issuer = server?.oauth.userinfo.map(party).flatMap { $0 == host.displayName ? nil : $0 }
        return account
    }

    /// Returns the account as git would get it: refreshed if it is about to expire, or if the host rejects it.
    ///
    /// - Throws: the error of a refresh; the stored items are then unchanged.
    package func account(
        refreshing found: StoredMatch, with dependencies: Dependencies
    ) throws(OperationFailure) -> Account {
        let context = with(username: found.credential.username)
        var match = found
        if !Lookup(with: dependencies).isFresh(found) {
            guard case .usable(let credential) = try context.refreshed(found, with: dependencies) else {
                var account = account(found, asking: .nothing, with: dependencies)
                account.isRefreshable = false
                // The item has not expired, but its token is lost.
                if account.state == .unknown { account.state = .expired }
                return account
            }
            match.credential = credential
        }
        let account = account(match, with: dependencies)
        guard account.state == .revoked, account.isRefreshable,
            case .usable(let credential) = try context.refreshed(match, with: dependencies, isForced: true),
            credential.password != match.credential.password
        else { return account }
        match.credential = credential
        // The server has just issued the token.
        var renewed = self.account(match, asking: .nothing, with: dependencies)
        renewed.state = .authorized
        return renewed
    }

    /// Moves a sign-in to the name that its host now gives the account; `nil` if nothing was moved.
    ///
    /// The account's ID must be the same, since another person may take the old name.
    func renamed(_ match: StoredMatch, _ holder: Holder, with dependencies: Dependencies) -> StoredMatch? {
        let old = match.credential.username
        guard let id = holder.id, match.credential.grant?.accountID == id, !holder.isOwner(old),
            let name = holder.username(asked: nil),
            let lock = try? dependencies.hold(old, on: host.name)
        else { return nil }
        defer { lock.release() }
        let items = { try? with(username: nil).stored(with: dependencies) }
        // Read again under the lock: another process may have refreshed or moved the item.
        guard let stored = items(),
            !stored.contains(where: { credentialContext.isSameAccount($0.credential.username, name) }),
            let current = stored.first(where: { $0.item.attributes == match.item.attributes }),
            var credential = StoredMatch(current.item)?.credential, credential.grant?.accountID == id
        else { return nil }
        credential.username = name
        credential.grant?.formerName = String(decoding: old, as: UTF8.self)
        var attributes = current.item.attributes
        attributes.user = name
        let isMoved = dependencies.signals.whileSignalsWait {
            (try? dependencies.keyring.save(credential, under: attributes)) != nil
                && (try? dependencies.keyring.remove(current.item)) != nil
        }
        guard isMoved, let moved = items()?.first(where: { $0.item.attributes == attributes }) else { return nil }
        dependencies.ui.say(
            .accountRenamed(
                host: self.host.displayName, from: DisplayText(account: old), to: DisplayText(account: name)))
        return moved
    }

    // MARK: The owner of a new token

    /// The total time of a revocation, in milliseconds.
    private static let longestRevocation: Int64 = 5_000

    /// Returns the account; if it is unknown, any name works with git, but a requested name must not be assumed.
    func owner(
        of signIn: CompletedSignIn, with dependencies: Dependencies
    ) throws(SignInError) -> (name: String, id: Int64?) {
        let transport = dependencies.transport(transport)
        let asked = askedName
        for attempt in 1...3 {
            let holder: Holder
            do throws(IDTokenError) {
                holder = try host.provider.holder(after: signIn, over: transport)
            } catch {
                guard error == .keysUnavailable, attempt < 3 else { throw .untrustedIdentity(error) }
                holder = .unknown()
            }
            if let name = holder.username(asked: asked) { return (String(decoding: name, as: UTF8.self), holder.id) }
            if let asked, let owner = holder.owner {
                revoke(signIn, of: holder, with: dependencies)
                throw .wrongAccount(asked: credentialContext.shown(asked), got: owner)
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
        guard let asked else { return (host.provider.facts.anyUsername, nil) }
        revoke(signIn, of: .unknown(), with: dependencies)
        throw .wrongAccount(asked: credentialContext.shown(asked), got: nil)
    }

    /// Revokes a wrong account's token, which is not stored here and must not stay valid elsewhere.
    ///
    /// Only this revocation happens without the person's request; its result changes nothing else. Leaves the token if
    /// the owner's account is stored too: a server may end all tokens of an app and account.
    private func revoke(_ signIn: CompletedSignIn, of holder: Holder, with dependencies: Dependencies) {
        guard !mayBeStored(holder, with: dependencies) else { return }
        // A refresh token of an OpenID server stands for the person's session, and perhaps for their other ones.
        let refreshToken = host.provider.facts.issuesElsewhere ? nil : signIn.response.refreshToken
        let grant = RevocableGrant(
            accessToken: signIn.response.accessToken, refreshToken: refreshToken, client: signIn.client)
        let transport = HurriedTransport(
            dependencies.transport(transport), until: dependencies.clock.uptimeMilliseconds + Self.longestRevocation)
        let outcome = host.provider.revoke([grant], over: transport)
        dependencies.trace { "the token of another account was dropped; its revocation: \(outcome)" }
    }

    /// Whether the owner's account may be stored; unlocks nothing.
    private func mayBeStored(_ holder: Holder, with dependencies: Dependencies) -> Bool {
        let anyUsername = host.provider.facts.anyUsername
        func isStored(_ user: [UInt8]?, where isIt: ([UInt8]) -> Bool) -> Bool {
            let query = credentialContext.everything(user: user)
            guard let stored = try? Lookup(with: dependencies).readable(query, unless: { _, _ in true }) else {
                return true
            }
            return stored.found.contains { isIt($0.credential.username) }
                || stored.locked.contains { isIt($0.attributes.user ?? []) }
        }
        guard let names = holder.names else { return isStored(nil) { _ in true } }
        // git's cache finds an account by its name alone.
        return ([nil] + names.map { Array($0.utf8) }).contains { user in
            isStored(user) { holder.isOwner($0) || ASCII.equalsIgnoringCase($0, anyUsername) }
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
