package import CredentialCore
internal import Providers

/// The values that make the command of a hint work unchanged.
package struct SignInAgain: Equatable {
    /// The account, or `nil` if its name is unknown.
    package let account: DisplayText?
    /// Whether the person signs in by a token that they create, because there is no client ID.
    package let isByToken: Bool

    package init(account: DisplayText?, isByToken: Bool = false) {
        self.account = account
        self.isByToken = isByToken
    }
}

extension SignInContext {
    /// Returns the hint's values for a name, which is `nil` if unknown.
    package func signInAgain(as username: [UInt8]?) -> SignInAgain {
        let known = username.flatMap { host.provider.facts.isNobodys($0) ? nil : credentialContext.shown($0) }
        // A host without a page for apps cannot return the owner of a token either, and then no token can be entered.
        let takesToken = !needsNoPerson && host.provider.registration(of: .oauthApp) != nil
        return SignInAgain(account: known, isByToken: clientID == nil && takesToken)
    }
}
