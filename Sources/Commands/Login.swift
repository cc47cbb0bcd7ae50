package import CredentialCore
package import Helper
internal import OAuth

/// The verb `login`: signs in now, because a person says so.
package struct Login: Command {
    private let request: Request
    private let dependencies: Dependencies
    private let isForced: Bool

    /// A sign-in.
    ///
    /// - Parameters:
    ///   - request: the host, and the account if one is named.
    ///   - isForced: whether to sign in although a good token is there.
    ///   - dependencies: everything outside.
    package init(_ request: Request, isForced: Bool, with dependencies: Dependencies) {
        self.request = request
        self.isForced = isForced
        self.dependencies = dependencies
    }

    /// What there is to tell; a sign-in itself tells the person at its own time.
    package enum Report: Equatable {
        /// A good token is there.
        case alreadySignedIn(account: DisplayText, host: DisplayText)
    }

    /// Signs in to the host of the request, as the account that it names if it names one.
    package func run(_ tell: (Report) -> Void) throws(UserFacingError) -> ExitStatus {
        let context = try ContextResolver(with: dependencies).signInContext(of: request)
        do throws(OperationFailure) {
            try signIn(context, tell)
            return .done
        } catch {
            if let failure = error.error { throw failure }
            return .cancelled
        }
    }

    private func signIn(_ context: SignInContext, _ tell: (Report) -> Void) throws(OperationFailure) {
        if !isForced, let credential = try good(context) {
            return tell(.alreadySignedIn(account: DisplayText(credential.username), host: context.host.displayName))
        }
        _ = try SignIn(context, with: dependencies, isExplicit: true).run(evenIfSignedIn: isForced)
    }

    private func good(_ context: SignInContext) throws(OperationFailure) -> StoredCredential? {
        let lookup = Lookup(with: dependencies)
        let found: StoredMatch?
        do {
            found = try lookup.best(context.query(path: nil)) { true }
        } catch {
            throw .failed(.keyring(error))
        }
        guard let found else { return nil }
        if lookup.isFresh(found) { return found.credential }
        guard case .usable(let credential) = try Refresh(context, with: dependencies).run(found) else { return nil }
        return credential
    }
}
