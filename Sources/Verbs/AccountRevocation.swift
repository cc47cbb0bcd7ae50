internal import CredentialCore
internal import Helper
internal import Messages
internal import Providers

/// Revokes all tokens of an account at its host, and then removes them from the keyring.
///
/// A refresh at the same time would store new tokens in place of the revoked ones. So the account's lock is held, and
/// what is revoked and removed is what is stored by then.
struct AccountRevocation {
    let context: CredentialContext
    let signIn: SignInContext
    private let dependencies: Dependencies

    init(_ context: CredentialContext, _ signIn: SignInContext, with dependencies: Dependencies) {
        self.context = context
        self.signIn = signIn
        self.dependencies = dependencies
    }

    /// Revokes and removes.
    ///
    /// - Parameters:
    ///   - account: the account's name.
    ///   - isForced: whether what could not be revoked is removed as well.
    ///   - tell: takes what was removed, and what became of the tokens.
    /// - Throws: why something is still in the keyring.
    func run(
        _ account: [UInt8], isForced: Bool, _ tell: ([StoredMatch], Logout.Report.Tokens) -> Void
    ) throws(UserFacingError) {
        // Finding the server may take a request, and the lock is not held during that.
        let server: Result<SignInServer, UserFacingError>
        do {
            server = .success(try signIn.server(with: dependencies))
        } catch {
            guard isForced else { throw error }
            server = .failure(error)
        }
        let lock = acquireLock(account)
        defer { if case .success(let lock) = lock { lock.release() } }
        let found: [StoredMatch]
        do {
            found = try Lookup(with: dependencies).all(context.everything(user: account))
        } catch {
            throw .keyring(error)
        }
        // Another process has removed it meanwhile: there is nothing to report.
        guard !found.isEmpty else { return }
        let tokens: Logout.Report.Tokens =
            switch lock {
            case .success: revoke(found, at: server)
            // It is removed in any case, and without locks no process refreshes it.
            case .failure(.lockImpossible) where isForced: revoke(found, at: server)
            case .failure(let failure): .notRevoked(failure)
            }
        if case .notRevoked(let failure) = tokens, !isForced || failure.isInterruption {
            throw .notRevoked(
                account: DisplayText(account), host: DisplayText(context.host.text), failure,
                page: signIn.accessPage(for: found))
        }
        do {
            for item in found { try dependencies.keyring.remove(item.item) }
        } catch {
            if case .notRevoked = tokens { throw .notErased(error) }
            throw .revokedNotErased(account: DisplayText(account), error)
        }
        tell(found, tokens)
    }

    private func acquireLock(_ account: [UInt8]) -> Result<any HeldLock, RevocationFailure> {
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

    private func revoke(
        _ found: [StoredMatch], at server: Result<SignInServer, UserFacingError>
    ) -> Logout.Report.Tokens {
        let secrets = found.flatMap { [$0.credential.password, $0.credential.oauthRefreshToken] }
            .compactMap { $0 }.filter { !$0.isEmpty }
        // When git reported the token as rejected, it was dropped and not replaced.
        guard !secrets.isEmpty else { return .alreadyRejected }
        let failure: RevocationFailure
        // All tokens of a grant or none: one that cannot be sent may outlive the others.
        let isForServer = found.allSatisfy { match in
            (try? server.get()).map { $0.mayTakeRefreshToken(of: match.credential) }
                ?? (match.credential.oauthRefreshToken == nil)
        }
        if isForServer, secrets.allSatisfy(\.isToken) {
            let transport = dependencies.transport(signIn.transport)
            let grants = found.map { $0.credential.revocable(at: try? server.get()) }
            switch signIn.host.provider.revoke(grants, on: signIn.host, over: transport) {
            case .accepted: return found.allSatisfy(\.isInstallations) ? .ended : .revoked
            case .unsupported: failure = .unsupported
            case .refused(let status): failure = .refused(status: status)
            case .failed(let error): return .notRevoked(.transport(error))
            }
        } else {
            failure = .unsupported
        }
        return isRejected(found, at: server) ? .alreadyRejected : .notRevoked(failure)
    }

    /// Whether the host rejects each token.
    ///
    /// A refresh token cannot be tested without using it up.
    private func isRejected(
        _ found: [StoredMatch], at server: Result<SignInServer, UserFacingError>
    ) -> Bool {
        guard found.allSatisfy({ $0.credential.oauthRefreshToken == nil }) else { return false }
        let transport = dependencies.transport(signIn.transport)
        return found.map(\.credential).filter { !$0.password.isEmpty }.allSatisfy {
            let grant = $0.revocable(at: try? server.get())
            return signIn.host.provider.account(of: grant, on: signIn.host, over: transport) == .rejected
        }
    }
}

extension SignInContext {
    /// The page for revoking the access of the app that got the stored tokens, or a token that a person has made.
    func accessPage(for found: [StoredMatch]) -> HTTPSAddress? {
        // The app's own key gets the next token, whatever a person revokes.
        guard !found.contains(where: \.isInstallations) else { return nil }
        let clientID = found.lazy.compactMap(\.credential.grant?.clientID).first
        return tokenPage(for: found)?.address ?? host.provider.page(.access(clientID: clientID), on: host)
    }

    /// The same for tokens of which it is not known which app has got them, if any.
    func tokenPage(for found: [StoredMatch]) -> TokenPage? {
        guard !found.contains(where: { $0.credential.grant?.clientID != nil }) else { return nil }
        return found.lazy.compactMap { host.provider.page(revoking: $0.credential.password, on: host) }.first
    }
}

extension StoredMatch {
    /// Whether it is the token of an app's installation.
    fileprivate var isInstallations: Bool { credential.grant?.installation != nil }
}
