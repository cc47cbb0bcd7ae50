package import CredentialCore
package import Helper
internal import OAuth

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
            if let complaint = error.complaint { dependencies.report(complaint) }
            return nil
        }
    }

    private func report(_ request: Request) throws(OperationFailure) -> Report {
        let place: Place
        do {
            place = try Place(of: request, with: dependencies)
        } catch {
            throw .failed(UserFacingError(error))
        }
        let configuration = place.configuration(with: dependencies)
        let settings = SignInSettings(configuration, host: place.host, environment: dependencies.environment)
        guard let host = place.knownHost(settings) else {
            throw .failed(.notForSignIn(host: DisplayText.escaped(place.host.text)))
        }
        let account = KnownAccount(host: host, asked: request.username, settings: settings)
        let found = try find(account)
        switch try Refresh(account, configuration, with: dependencies, isForced: true).run(found) {
        case .usable(let credential):
            return Report(
                host: host.displayName, username: DisplayText.escaped(credential.username),
                expiresAt: credential.passwordExpiryUTC)
        case .refused:
            throw .failed(.refreshRefused(provider: host.provider.displayName, host: host.displayName))
        case .unrenewable: throw .failed(.notRenewable(host: host.displayName))
        }
    }

    private func find(_ account: KnownAccount) throws(OperationFailure) -> StoredMatch {
        let found: StoredMatch?
        do {
            found = try Lookup(with: dependencies).all(account.query(path: nil)).first
        } catch {
            throw .failed(.keyring(error))
        }
        guard let found else { throw .failed(.notSignedIn(host: account.host.displayName)) }
        guard found.credential.oauthRefreshToken != nil else {
            throw .failed(.notRenewable(host: account.host.displayName))
        }
        return found
    }
}
