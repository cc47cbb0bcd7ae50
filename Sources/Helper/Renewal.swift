package import CredentialCore
internal import Messages
package import OAuth

/// ④ Gets the next token without a person: by a refresh token, or as an app's installation.
package protocol Renewal {
    /// Renews what was found.
    ///
    /// - Parameter found: what the keyring has for the request; nil for nothing.
    /// - Returns: a credential that git can use, or why only a sign-in can help.
    /// - Throws: `OperationFailure`; everything that is stored is then unchanged.
    func run(_ found: StoredMatch?) throws(OperationFailure) -> RenewalOutcome
}

/// The result of a renewal.
package enum RenewalOutcome {
    /// A credential that git can use, renewed or still valid for a while.
    case usable(StoredCredential)
    /// There is nothing to renew it with.
    case unrenewable
    /// Another server has issued the refresh token; the endpoint that is configured now does not get it.
    case issuedElsewhere(now: HTTPSAddress)
    /// The server does not renew the token; its error code.
    case refused(OAuthErrorCode)
}

extension SignInContext {
    /// What renews the credentials of this context.
    ///
    /// - Parameters:
    ///   - dependencies: everything outside.
    ///   - isForced: whether a person wants it renewed now, and wants to know if that fails.
    /// - Returns: a refresh token's way, or that of an app's installation.
    package func renewal(with dependencies: Dependencies, isForced: Bool = false) -> any Renewal {
        guard let app = settings.app else { return Refresh(self, with: dependencies, isForced: isForced) }
        return InstallationRenewal(self, app, with: dependencies, isForced: isForced)
    }

    /// Whether an app signs in to this host by itself, and so no person ever does.
    package var needsNoPerson: Bool { settings.app != nil }
}
