package import CredentialCore
package import Helper
internal import Providers

extension LogoutAccounts {
    /// Revokes each account separately, first at the server, then in the keyring.
    ///
    /// - Returns: the exit status, and the removed accounts.
    func revoke(_ found: [StoredMatch], at signIn: SignInContext, isForced: Bool) -> (ExitStatus, [[UInt8]]) {
        let accounts = context.usernames(of: found)
        var (status, removed) = (ExitStatus.done, [[UInt8]]())
        for (place, account) in accounts.enumerated() {
            do throws(UserFacingError) {
                removed += try revoke(account, at: signIn, isForced: isForced)
            } catch {
                dependencies.report(error)
                status = .failed
                guard error.isInterruption else { continue }
                let rest = accounts[(place + 1)...].map { DisplayText(account: $0) }
                if !rest.isEmpty { dependencies.report(notRemoved(rest, .interrupted)) }
                break
            }
        }
        return (status, removed)
    }

    /// Revokes all tokens of an account at its host, and then removes them from the keyring.
    ///
    /// Takes the account's lock, since a refresh at the same time would store new tokens.
    private func revoke(
        _ account: [UInt8], at signIn: SignInContext, isForced: Bool
    ) throws(UserFacingError) -> [[UInt8]] {
        let name = DisplayText(account: account)
        // The discovery of the server may take a request, and the lock is not held during that.
        var server: SignInServer?
        do {
            server = try signIn.server(with: dependencies)
        } catch {
            guard isForced, !error.isInterruption else { throw notRemoved([name], error) }
        }
        let lock = Result { () throws(LockError) in try dependencies.hold(account, on: context.host) }
        defer { try? lock.get()?.release() }
        let found = try rethrowing(as: { notRemoved([name], $0) }, try stored(account))
        // Another process has removed the account meanwhile, so there is nothing to report.
        guard !found.isEmpty else { return [] }
        let issuer = server.map { signIn.party($0.oauth.token) } ?? host
        let outcome: Result<Message, UserFacingError> =
            switch lock {
            case .success: revoked(found, at: server, signIn, issuer)
            // Removed in any case; without locks, no process refreshes the token.
            case .failure(let error) where isForced && error.isForGood: revoked(found, at: server, signIn, issuer)
            case .failure(let error): .failure(.notLocked(error))
            }
        if case .failure(let failure) = outcome, !isForced || failure.isInterruption {
            throw .notRevoked(
                account: name, host: host, failure, at: signIn.accessPage(for: found) ?? issuer, word(account))
        }
        do {
            for item in found { try dependencies.keyring.remove(item.item) }
        } catch {
            if case .failure = outcome { throw notRemoved([name], .keyring(error)) }
            throw .revokedNotErased(account: name, error)
        }
        switch outcome {
        case .success(let tokens): sayRemoved(found, tokens, mayBeValid: false)
        case .failure(let failure):
            sayRemoved(found, Message("The token was not revoked: %1$s.", failure.text), mayBeValid: true)
        }
        return context.usernames(of: found)
    }

    /// Returns the sentence about the dead tokens, or why they may be valid.
    private func revoked(
        _ found: [StoredMatch], at server: SignInServer?, _ signIn: SignInContext, _ issuer: DisplayText
    ) -> Result<Message, UserFacingError> {
        let rejected = Message("%1$s already rejects the token, so there was nothing to revoke.", issuer)
        let secrets = found.flatMap { [$0.credential.password, $0.credential.oauthRefreshToken] }
            .compactMap { $0 }.filter { !$0.isEmpty }
        // `erase` has dropped the token, which git reported as rejected.
        guard !secrets.isEmpty else { return .success(rejected) }
        let transport = dependencies.transport(signIn.transport)
        var failure = UserFacingError(.notForSignIn, Message("gitspace cannot revoke tokens at %1$s", issuer))
        // Revoke all tokens of a grant or none: one that cannot be sent may outlive the others.
        let isForServer = found.allSatisfy { match in
            server?.mayTakeRefreshToken(of: match.credential) ?? (match.credential.oauthRefreshToken == nil)
        }
        if isForServer, found.allSatisfy(\.isClients) || secrets.allSatisfy(\.isToken) {
            switch signIn.host.provider.revoke(found.map { $0.credential.revocable(at: server) }, over: transport) {
            case .accepted:
                // The host itself revokes an app's own token.
                return .success(
                    Message("Revoked the token at %1$s.", found.allSatisfy(\.isInstallationToken) ? host : issuer))
            case .unsupported where signIn.host.provider.gitHub != nil && found.allSatisfy(\.isClients):
                failure = UserFacingError(
                    .notForSignIn,
                    Message(
                        "%1$s lets an app revoke its tokens only with a client secret, which gitspace does not have",
                        issuer))
            case .unsupported: break
            case .refused(let status):
                failure = UserFacingError(.server, Message("%1$s refused the request (status %2$s)", issuer, status))
            case .failed(let error): return .failure(error.words(host: issuer))
            }
        }
        // A refresh token cannot be tested without using it up.
        guard found.allSatisfy({ $0.credential.oauthRefreshToken == nil }) else { return .failure(failure) }
        for credential in found.map(\.credential) where !credential.password.isEmpty {
            switch signIn.host.provider.holder(
                of: credential.password, issuedTo: server?.client(of: credential), over: transport)
            {
            case .rejected: continue
            case .interrupted: return .failure(.interrupted)
            case .account, .good, .unknown: return .failure(failure)
            }
        }
        return .success(rejected)
    }
}

extension SignInContext {
    /// The page that revokes the access of the stored tokens' app, or of a token that a person has created.
    func accessPage(for found: [StoredMatch]) -> HTTPSAddress? {
        // The app's own key gets the next token, even if a person revokes this one.
        guard !found.contains(where: \.isInstallationToken) else { return nil }
        let clientID = found.lazy.compactMap(\.credential.grant?.clientID).first
        return tokenPage(for: found)?.address ?? host.provider.page(.access, clientID)
    }

    /// The page for tokens whose app may be unknown, if there is one.
    func tokenPage(for found: [StoredMatch]) -> (address: HTTPSAddress, isPersonal: Bool)? {
        guard !found.contains(where: \.isClients) else { return nil }
        return found.lazy.compactMap { host.provider.page(revoking: $0.credential.password) }.first
    }
}

extension StoredMatch {
    var isClients: Bool { credential.grant?.clientID != nil }
    var isInstallationToken: Bool { credential.grant?.installation != nil }
}

extension UserFacingError {
    /// Returns the error for a token that may still be valid; a host that cannot revoke it is `.notForSignIn`.
    package static func notRevoked(
        account: DisplayText, host: DisplayText, _ failure: UserFacingError, at place: any MessageArgument,
        _ word: DisplayText
    ) -> UserFacingError {
        let text = Message(
            "could not revoke the token of %1$s, so it was kept in the keyring: %2$s", account, failure.text)
        let logout: DisplayText = "git credential-gitspace logout \(word: host)\(word)"
        guard failure.code != .notForSignIn else {
            return UserFacingError(
                .notRevoked, text, Message("revoke it there yourself: %1$s", place),
                Message("then remove it from the keyring:"), .command(logout))
        }
        return UserFacingError(
            failure.isInterruption ? .interrupted : .notRevoked, text,
            Message("try again, or revoke the app's access at %1$s", place),
            Message("to remove it even though it may still be valid:"), .command("\(logout) --revoke --force"))
    }
}
