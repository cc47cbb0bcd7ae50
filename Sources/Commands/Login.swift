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
        let place: Place
        do {
            place = try Place(of: request, with: dependencies)
        } catch {
            throw UserFacingError(error)
        }
        do throws(OperationFailure) {
            try signIn(place, tell)
            return .done
        } catch {
            if let complaint = error.complaint { throw complaint }
            return .cancelled
        }
    }

    private func signIn(_ place: Place, _ tell: (Report) -> Void) throws(OperationFailure) {
        let configuration = place.configuration(with: dependencies)
        let settings = SignInSettings(configuration, host: place.host, environment: dependencies.environment)
        guard let host = place.knownHost(settings) else {
            throw .failed(.notForSignIn(host: DisplayText(place.host.text)))
        }
        let account = KnownAccount(host: host, asked: request.username, settings: settings)
        if !isForced, let credential = try good(account, configuration) {
            return tell(.alreadySignedIn(account: DisplayText(credential.username), host: host.displayName))
        }
        _ = try SignIn(account, configuration, with: dependencies, isExplicit: true).run(evenIfSignedIn: isForced)
    }

    private func good(_ account: KnownAccount, _ configuration: Configuration) throws(OperationFailure)
        -> StoredCredential?
    {
        let lookup = Lookup(with: dependencies)
        let found: StoredMatch?
        do {
            found = try lookup.best(account.query(path: nil), margin: lookup.margin)
        } catch {
            throw .failed(.keyring(error))
        }
        guard let found else { return nil }
        if lookup.isFresh(found) { return found.credential }
        guard case .usable(let credential) = try Refresh(account, configuration, with: dependencies).run(found) else {
            return nil
        }
        return credential
    }
}
