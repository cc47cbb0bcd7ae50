package import CredentialCore
package import Helper
internal import OAuth

/// The verb `login`: signs in now, because a person says so.
package struct Login {
    private let dependencies: Dependencies
    private let isForced: Bool

    /// A sign-in.
    ///
    /// - Parameters:
    ///   - isForced: whether to sign in although a good token is there.
    ///   - dependencies: everything outside.
    package init(isForced: Bool, with dependencies: Dependencies) {
        self.isForced = isForced
        self.dependencies = dependencies
    }

    /// How a verb ended; the raw value is the exit status.
    package enum End: Int32 {
        /// Done.
        case done = 0
        /// Failed, and said why.
        case failed = 1
        /// Ctrl-C.
        case cancelled = 130
    }

    /// Signs in to the host of a request, as the account that it names if it names one.
    package func run(_ request: Request) -> End {
        do throws(OperationFailure) {
            try signIn(request)
            return .done
        } catch .known, .abandoned {
            return .cancelled
        } catch {
            if let failure = error.error { dependencies.report(failure) }
            return .failed
        }
    }

    private func signIn(_ request: Request) throws(OperationFailure) {
        let context: SignInContext
        do {
            context = try ContextResolver(with: dependencies).signInContext(of: request)
        } catch {
            throw .failed(error)
        }
        if !isForced, let credential = try good(context) {
            let name = String(decoding: credential.username, as: UTF8.self)
            return dependencies.ui.say(.alreadySignedIn(account: name, host: context.host.displayName))
        }
        _ = try SignIn(context, with: dependencies, isExplicit: true).run(evenIfSignedIn: isForced)
    }

    private func good(_ context: SignInContext) throws(OperationFailure) -> StoredCredential? {
        let lookup = Lookup(with: dependencies)
        let found: StoredMatch?
        do {
            found = try lookup.best(context.query(path: nil))
        } catch {
            throw .failed(.keyring(error))
        }
        guard let found else { return nil }
        if lookup.isFresh(found) { return found.credential }
        guard case .usable(let credential) = try Refresh(context, with: dependencies).run(found) else { return nil }
        return credential
    }
}
