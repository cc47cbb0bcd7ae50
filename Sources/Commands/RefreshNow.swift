package import CredentialCore
package import Helper
internal import OAuth
internal import Providers

/// The verb `refresh`: renews a token now, although it may still be good.
package struct RefreshNow {
    private let dependencies: Dependencies

    /// A refresh.
    package init(with dependencies: Dependencies) { self.dependencies = dependencies }

    /// What was renewed.
    package struct Report {
        /// The host as it is said to people.
        package let host: String
        /// The account.
        package let username: String
        /// When the new token ends, in seconds since 1970; nil for never.
        package let expiresAt: Int64?
    }

    /// Renews the token of a request's host and account.
    ///
    /// - Returns: what was renewed; nil if nothing was, after a complaint.
    package func run(_ request: Request) -> Report? {
        do throws(OperationFailure) {
            return try report(request)
        } catch {
            if let failure = error.error { dependencies.report(failure) }
            return nil
        }
    }

    private func report(_ request: Request) throws(OperationFailure) -> Report {
        let context: SignInContext
        do {
            context = try ContextResolver(with: dependencies).signInContext(of: request)
        } catch {
            throw .failed(error)
        }
        let host = context.host
        switch try Refresh(context, with: dependencies, isForced: true).run(try find(context)) {
        case .usable(let credential):
            return Report(
                host: host.displayName, username: DisplayText.escaped(credential.username),
                expiresAt: credential.passwordExpiryUTC)
        case .refused:
            throw .failed(.refreshRefused(provider: host.provider.displayName, host: host.displayName))
        case .unrenewable: throw .failed(.notRenewable(host: host.displayName))
        }
    }

    private func find(_ context: SignInContext) throws(OperationFailure) -> StoredMatch {
        let found: StoredMatch?
        do {
            found = try Lookup(with: dependencies).all(context.query(path: nil)).first
        } catch {
            throw .failed(.keyring(error))
        }
        guard let found else { throw .failed(.notSignedIn(host: context.host.displayName)) }
        guard found.credential.oauthRefreshToken != nil else {
            throw .failed(.notRenewable(host: context.host.displayName))
        }
        return found
    }
}
