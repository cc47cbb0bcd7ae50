package import CredentialCore
package import Providers

/// A stored account and its state, by its item and by its host's answer.
///
/// git stores the user name of a URL, so anybody may have written the account's name.
package struct Account {
    package fileprivate(set) var match: StoredMatch
    package fileprivate(set) var state: State
    /// The name that the host returns for the token's owner, or `nil` if it was not asked or returns none.
    package fileprivate(set) var owner: DisplayText?
    /// The server that was asked, if it is another one than the host.
    package fileprivate(set) var issuer: DisplayText?
    /// Whether the name stands for an unknown owner and we did not store it, so the person has not named the owner.
    package fileprivate(set) var isUnclaimed = false
    /// The host's other details of the token, or `nil` unless they were requested.
    package fileprivate(set) var details: TokenDetails?
    /// The error of the request to the host, or `nil` if there was none.
    package fileprivate(set) var failure: TransportError?
    /// The hint to sign in again if only that helps; `nil` for a plain store.
    package fileprivate(set) var signInAgain: SignInAgain?
    /// Whether the token can be refreshed without a person, when git asks for it.
    package fileprivate(set) var isRefreshable: Bool

    /// The state of an account, as programs read it.
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

    /// The kinds of requests to a host about an account.
    package enum Question {
        case nothing
        case owner
        /// The owner, and the other details.
        case everything
    }

    package var credential: StoredCredential { match.credential }

    package var username: DisplayText { DisplayText(account: credential.username) }

    /// Whether somebody is signed in, as far as that is known: a token that could not be checked counts.
    package var isSignedIn: Bool {
        switch state {
        case .authorized, .unknown: true
        case .expired: isRefreshable
        case .revoked, .otherAccount, .notFound: false
        }
    }

    /// Whether Ctrl-C or the end of git has interrupted the request.
    package var isInterrupted: Bool { failure == .interrupted }

    /// Creates the state from the item alone; it is `.unknown` if it depends on the host.
    package init(_ match: StoredMatch, at now: Int64) {
        self.match = match
        let credential = match.credential
        isRefreshable = credential.isRefreshable
        if credential.isAlive(at: now), !credential.isLost {
            state = .unknown
        } else if credential.isLost, !isRefreshable {
            state = .notFound
        } else {
            let isRejected = credential.passwordExpiryUTC != nil && credential.ownExpiry == nil
            state = isRejected && !isRefreshable ? .revoked : .expired
        }
    }

    /// Compares a stored account with its host's answer.
    ///
    /// No other code does. `anyUsername` stands for an unknown owner on this host, if there is such a name.
    package init(_ match: StoredMatch, _ answer: AccountAnswer, anyUsername: String?) {
        self.match = match
        isRefreshable = match.credential.isRefreshable
        switch answer {
        case .rejected: state = .revoked
        case .unknown: state = .unknown
        case .interrupted:
            state = .unknown
            failure = .interrupted
        case .accepted(let names, _):
            let name = names.first.flatMap { $0 == anyUsername ? nil : $0 }
            owner = name.map { DisplayText(untrusted: $0.utf8, longest: 255) }
            if let anyUsername, ASCII.equalsIgnoringCase(match.credential.username, anyUsername) {
                isUnclaimed = match.credential.grant == nil
                state = isUnclaimed ? .otherAccount : .authorized
            } else if names.isEmpty || answer.isOwner(match.credential.username) {
                state = .authorized
            } else {
                state = .otherAccount
                owner = owner ?? DisplayText(untrusted: (anyUsername ?? "").utf8)
            }
        }
    }
}

extension SignInContext {
    /// Returns the account, and asks the host if the state depends on it.
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

    /// Returns the account by a known server, which is `nil` if it could not be discovered.
    package func account(
        _ match: StoredMatch, at server: SignInServer?, asking question: Account.Question = .owner,
        with dependencies: Dependencies
    ) -> Account {
        var account = Account(match, at: dependencies.clock.now)
        if account.state == .unknown, question != .nothing {
            var failure: TransportError?
            let watched = WatchedTransport(dependencies.transport(transport)) { failure = $0 }
            let answer = host.provider.account(of: match.credential.revocable(at: server), over: watched)
            account = Account(
                renamed(match, answer, with: dependencies) ?? match, answer,
                anyUsername: host.provider.facts.anyUsername)
            if question == .everything, account.state != .revoked, !account.isInterrupted {
                account.details = try? host.provider.details(of: match.credential.password, over: watched)
                // A token may be valid for git, and not for the request for its owner.
                if account.details != nil, account.state == .unknown { account.state = .authorized }
            }
            if account.state == .unknown || failure == .interrupted { account.failure = failure }
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
                // The item has not expired, but has no token.
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
}

/// A transport that keeps an error which its caller does not return.
private final class WatchedTransport: Transport {
    private let transport: any Transport
    private let tell: (TransportError) -> Void

    init(_ transport: any Transport, _ tell: @escaping (TransportError) -> Void) {
        self.transport = transport
        self.tell = tell
    }

    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        do {
            return try transport.send(request)
        } catch {
            tell(error)
            throw error
        }
    }
}
