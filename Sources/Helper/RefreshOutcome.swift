package import CredentialCore
package import Providers

package enum RefreshOutcome {
    /// Renewed or still valid for a while.
    case usable(StoredCredential)
    case unrefreshable
    /// The endpoint that is configured now does not get the refresh token.
    case issuedElsewhere(now: HTTPSAddress)
    case refused(OAuthErrorCode)
}

extension SignInContext {
    /// ④ Without a person: by a refresh token, or as an app's installation.
    ///
    /// What was found is nil if the keyring has nothing for the request. Forced: a person wants it now, and wants to know if
    /// that fails.
    ///
    /// - Throws: `OperationFailure`; everything that is stored is then unchanged.
    package func refreshed(
        _ found: StoredMatch?, with dependencies: Dependencies, isForced: Bool = false
    ) throws(OperationFailure) -> RefreshOutcome {
        guard let app = settings.app else {
            return try GrantRefresh(self, with: dependencies, isForced: isForced).run(found)
        }
        return try InstallationRefresh(self, app, with: dependencies, isForced: isForced).run(found)
    }

    /// An app signs in to this host by itself, and so no person ever does.
    package var needsNoPerson: Bool { settings.app != nil }
}
