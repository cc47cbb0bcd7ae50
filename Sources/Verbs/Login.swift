package import CredentialCore
package import Helper
package import Messages
internal import Providers

/// The verb `login`: signs in now, because a person says so.
package struct Login: Command {
    private let request: Request
    private let dependencies: Dependencies
    private let isForced: Bool
    private let tokenSource: (any Questions)?

    /// A sign-in.
    ///
    /// - Parameters:
    ///   - request: the host, and the account if one is named.
    ///   - isForced: whether to sign in even if a valid token is stored.
    ///   - tokenSource: asks for an existing token; nil to use the browser.
    ///   - dependencies: everything outside.
    package init(
        _ request: Request, isForced: Bool, tokenFrom tokenSource: (any Questions)? = nil,
        with dependencies: Dependencies
    ) {
        self.tokenSource = tokenSource
        self.request = request
        self.isForced = isForced
        self.dependencies = dependencies
    }

    /// What it reports; the sign-in itself tells the person more as it runs.
    package enum Report: Equatable {
        /// A valid token is stored.
        case alreadySignedIn(account: DisplayText, host: DisplayText)
        /// A token is stored, but the host could not be asked whether it is valid.
        case notVerified(account: DisplayText, host: DisplayText)
        /// A sign-in has replaced the account's earlier token.
        case replaced(account: DisplayText, host: DisplayText)
        /// It was for a new account; the others are still stored.
        case added(account: DisplayText, others: [DisplayText], host: DisplayText)
        /// An app has got its token, without a person.
        case installed(app: DisplayText, owner: DisplayText, host: DisplayText, expiresAt: Int64?)
        /// The person's own token is stored.
        case tokenKept(account: DisplayText, host: DisplayText, storage: CredentialStorage)
        /// It is stored unchecked: the host cannot tell whose it is.
        case tokenKeptUnverified(account: DisplayText, host: DisplayText, storage: CredentialStorage)
    }

    /// Signs in to the host of the request, as the account that it names if it names one.
    package func run(_ tell: (Report) -> Void) throws(UserFacingError) -> ExitStatus {
        if let tokenHost = try TokenHostContext(request, with: dependencies) {
            return try keepToken(tokenHost, tell)
        }
        let context = try ContextResolver(with: dependencies).signInContext(of: request)
        if let tokenSource {
            guard let account = try TokenLogin(context, tokenSource, with: dependencies).run() else {
                return .cancelled
            }
            let storage = dependencies.keyring.storage
            tell(.tokenKept(account: DisplayText(account), host: context.host.displayName, storage: storage))
            return .done
        }
        do throws(OperationFailure) {
            try signIn(context, tell)
            return .done
        } catch {
            if let failure = error.error { throw failure }
            return .cancelled
        }
    }

    private func keepToken(
        _ context: TokenHostContext, _ tell: (Report) -> Void
    ) throws(UserFacingError) -> ExitStatus {
        guard let tokenSource else { throw .tokenNeeded(host: context.displayName, page: context.host.page) }
        let login = TokenHostLogin(context, tokenSource, with: dependencies)
        guard let report = try login.run(asking: .token(host: context.displayName)) else { return .cancelled }
        tell(report)
        return .done
    }

    private func signIn(_ context: SignInContext, _ tell: (Report) -> Void) throws(OperationFailure) {
        if context.needsNoPerson {
            let credential = try SignIn(context, with: dependencies).run(evenIfSignedIn: true)
            return tell(
                .installed(
                    app: DisplayText((credential.grant?.clientID ?? "").utf8),
                    owner: DisplayText((credential.grant?.installation ?? "").utf8), host: context.host.displayName,
                    expiresAt: credential.passwordExpiryUTC))
        }
        let before = try stored(context.with(username: nil))
        if !isForced, let found = try best(context), let report = try report(on: found, context) {
            return tell(report)
        }
        // A token still stored would look as if another process had just saved it.
        let outcome = try SignIn(context, with: dependencies, isExplicit: true)
            .outcome(evenIfSignedIn: isForced, besides: before.map(\.credential.password))
        let credential = outcome.credential
        if case .savedMeanwhile = outcome {
            return tell(
                .alreadySignedIn(account: DisplayText(credential.username), host: context.host.displayName))
        }
        guard isKept(credential, context), let report = Self.report(on: credential, before, context) else { return }
        tell(report)
    }

    /// What the host says about the stored token; nil if only a sign-in helps.
    private func report(on found: StoredMatch, _ context: SignInContext) throws(OperationFailure) -> Report? {
        let host = context.host.displayName
        let account = DisplayText(found.credential.username)
        var credential = found.credential
        if !Lookup(with: dependencies).isFresh(found) {
            guard case .usable(let usable) = try context.renewal(with: dependencies).run(found) else { return nil }
            credential = usable
        }
        let server = try? context.server(with: dependencies)
        switch context.standing(of: credential, at: server, with: dependencies) {
        case .accepted: return .alreadySignedIn(account: account, host: host)
        case .unknown: return .notVerified(account: account, host: host)
        case .interrupted: throw .known
        // Nothing is said about it here: both names are others' words, and the code is about to stand below.
        case .otherAccount, .unclaimed: return nil
        case .rejected:
            guard credential.isRenewable,
                case .usable(let renewed) = try context.renewal(with: dependencies, isForced: true).run(found),
                renewed.password != credential.password
            else { return nil }
            return .alreadySignedIn(account: account, host: host)
        }
    }

    /// What became of the accounts that were stored before a sign-in; nil if there was none.
    private static func report(
        on credential: StoredCredential, _ before: [StoredMatch], _ context: SignInContext
    ) -> Report? {
        let account = DisplayText(credential.username)
        if before.contains(where: { $0.credential.username == credential.username }) {
            return .replaced(account: account, host: context.host.displayName)
        }
        let others = before.usernames.map { DisplayText($0) }
        return others.isEmpty ? nil : .added(account: account, others: others, host: context.host.displayName)
    }

    /// Whether the keyring has it; if not, the person was told why.
    private func isKept(_ credential: StoredCredential, _ context: SignInContext) -> Bool {
        let stored = try? stored(context.with(username: credential.username))
        return stored?.contains { $0.credential.password == credential.password } ?? false
    }

    private func best(_ context: SignInContext) throws(OperationFailure) -> StoredMatch? {
        do {
            return try Lookup(with: dependencies).best(context.ofGitsAccount(with: dependencies).query(path: nil)) {
                true
            }
        } catch {
            throw OperationFailure(error)
        }
    }

    private func stored(_ context: SignInContext) throws(OperationFailure) -> [StoredMatch] {
        do {
            return try Lookup(with: dependencies).all(context.query(path: nil))
        } catch {
            throw OperationFailure(error)
        }
    }
}
