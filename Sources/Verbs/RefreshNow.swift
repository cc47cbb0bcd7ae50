package import CredentialCore
package import Helper
package import Messages
internal import Providers

/// The verb `refresh`: refreshes a token now, even if it is still valid.
package struct RefreshNow: Command {
    private let request: Request
    private let dependencies: Dependencies

    /// A refresh of the token of a request's host and account.
    package init(_ request: Request, with dependencies: Dependencies) {
        self.request = request
        self.dependencies = dependencies
    }

    /// What was refreshed.
    package struct Report {
        /// The host, as shown to people.
        package let host: DisplayText
        /// The account.
        package let username: DisplayText
        /// When the new token expires, in seconds since 1970; nil for never.
        package let expiresAt: Int64?
    }

    /// Refreshes it.
    package func run(_ tell: (Report) -> Void) throws(UserFacingError) -> ExitStatus {
        let context = try ContextResolver(with: dependencies).signInContext(of: request)
        do throws(OperationFailure) {
            tell(try report(context))
            return .done
        } catch {
            if let failure = error.error { throw failure }
            return .failed
        }
    }

    private func report(_ context: SignInContext) throws(OperationFailure) -> Report {
        let host = context.host
        let found = try find(context)
        switch try context.renewal(with: dependencies, isForced: true).run(found) {
        case .usable(let credential):
            return Report(
                host: host.displayName, username: DisplayText(credential.username),
                expiresAt: credential.passwordExpiryUTC)
        case .refused(let code):
            let again = found.map { context.signInAgain(as: $0.credential.username) }
            throw .failed(.refreshRefused(host: host.displayName, code, again))
        case .issuedElsewhere(let now):
            let again = found.map { context.signInAgain(as: $0.credential.username) }
            throw .failed(.issuedElsewhere(host: host.displayName, now: DisplayText(own: now.authority), again))
        case .unrenewable:
            throw .failed(found.map { notRenewable($0, context) } ?? .notRenewable(host: host.displayName))
        }
    }

    private func notRenewable(_ found: StoredMatch, _ context: SignInContext) -> UserFacingError {
        .notRenewable(
            host: context.host.displayName, context.signInAgain(as: found.credential.username),
            neverExpires: found.credential.passwordExpiryUTC == nil)
    }

    private func find(_ context: SignInContext) throws(OperationFailure) -> StoredMatch? {
        // An app's token need not be stored at all.
        guard !context.needsNoPerson else { return nil }
        let host = context.host.displayName
        let lookup = Lookup(with: dependencies)
        let all: [StoredMatch]
        let stored: [[UInt8]]
        do {
            all = try lookup.all(context.query(path: nil))
            stored =
                all.isEmpty ? try lookup.all(context.with(username: nil).query(path: nil)).usernames : all.usernames
        } catch {
            throw OperationFailure(error)
        }
        let names = stored.map { DisplayText($0) }
        guard let found = all.first else {
            guard let asked = context.username, !names.isEmpty else {
                throw .failed(dependencies.notSignedIn(to: host))
            }
            throw .failed(.accountNotStored(DisplayText(asked), host: host, stored: names))
        }
        guard names.count == 1 else { throw .failed(.severalAccounts(host: host, names, verb: "refresh")) }
        guard found.credential.oauthRefreshToken != nil else { throw .failed(notRenewable(found, context)) }
        return found
    }
}
