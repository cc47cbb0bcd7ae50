package import CredentialCore
package import Providers

package enum RefreshOutcome {
    /// The credential was renewed, or is still valid for a while.
    case usable(StoredCredential)
    case unrefreshable
    /// The configured endpoint does not get the refresh token, because another server issued it.
    case issuedElsewhere(now: HTTPSAddress)
    case refused(OAuthErrorCode)
}

extension SignInContext {
    /// ④ Refreshes without a person, by a refresh token or as an app's installation.
    ///
    /// `found` is `nil` if the keyring has nothing for the request. If forced, a person wants it now, and wants to know
    /// if that fails.
    ///
    /// - Throws: `OperationFailure`; the stored items are then unchanged.
    package func refreshed(
        _ found: StoredMatch?, with dependencies: Dependencies, isForced: Bool = false
    ) throws(OperationFailure) -> RefreshOutcome {
        guard let app = settings.app else {
            return try GrantRefresh(self, with: dependencies, isForced: isForced).run(found)
        }
        return try InstallationRefresh(self, app, with: dependencies, isForced: isForced).run(found)
    }

    /// Whether an app signs in to this host, and so no person ever does.
    package var needsNoPerson: Bool { settings.app != nil }
}
