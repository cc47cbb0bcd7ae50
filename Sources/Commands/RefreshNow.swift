package import CredentialCore
package import Helper
internal import OAuth

/// The verb `refresh`: renews a token now, although it may still be good.
package struct RefreshNow: Command {
    private let request: Request
    private let dependencies: Dependencies

    /// A refresh of the token of a request's host and account.
    package init(_ request: Request, with dependencies: Dependencies) {
        self.request = request
        self.dependencies = dependencies
    }

    /// What was renewed.
    package struct Report {
        /// The host as it is said to people.
        package let host: DisplayText
        /// The account.
        package let username: DisplayText
        /// When the new token ends, in seconds since 1970; nil for never.
        package let expiresAt: Int64?
    }

    /// Renews it.
    package func run(_ tell: (Report) -> Void) throws(UserFacingError) -> ExitStatus {
        do throws(OperationFailure) {
            tell(try report())
            return .done
        } catch {
            if let complaint = error.complaint { throw complaint }
            return .failed
        }
    }

    private func report() throws(OperationFailure) -> Report {
        let place: Place
        do {
            place = try Place(of: request, with: dependencies)
        } catch {
            throw .failed(UserFacingError(error))
        }
        let configuration = place.configuration(with: dependencies)
        let settings = SignInSettings(configuration, host: place.host, environment: dependencies.environment)
        guard let host = place.knownHost(settings) else {
            throw .failed(.notForSignIn(host: DisplayText(place.host.text)))
        }
        let account = KnownAccount(host: host, asked: request.username, settings: settings)
        let found = try find(account)
        switch try Refresh(account, configuration, with: dependencies, isForced: true).run(found) {
        case .usable(let credential):
            return Report(
                host: host.displayName, username: DisplayText(credential.username),
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
