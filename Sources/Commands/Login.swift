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
        let place: Place
        do {
            place = try Place(of: request, with: dependencies)
        } catch {
            dependencies.report(UserFacingError(error))
            return .failed
        }
        do throws(OperationFailure) {
            try signIn(place, request)
            return .done
        } catch .known, .abandoned {
            return .cancelled
        } catch {
            if let complaint = error.complaint { dependencies.report(complaint) }
            return .failed
        }
    }

    private func signIn(_ place: Place, _ request: Request) throws(OperationFailure) {
        let configuration = place.configuration(with: dependencies)
        let settings = SignInSettings(configuration, host: place.host, environment: dependencies.environment)
        guard let host = place.knownHost(settings) else {
            throw .failed(.notForSignIn(host: DisplayText.escaped(place.host.text)))
        }
        let account = KnownAccount(host: host, asked: request.username, settings: settings)
        if !isForced, let credential = try good(account, configuration) {
            let name = String(decoding: credential.username, as: UTF8.self)
            return dependencies.ui.say(.alreadySignedIn(account: name, host: host.displayName))
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
