package import CredentialCore
internal import Providers

/// What a hint has to know for its command to work as it stands.
package struct SignInAgain: Equatable {
    /// Nil if the name is unknown.
    package let account: DisplayText?
    /// By a token that the person creates, because there is no client ID to sign in with.
    package let isByToken: Bool

    package init(account: DisplayText?, isByToken: Bool = false) {
        self.account = account
        self.isByToken = isByToken
    }
}

extension SignInContext {
    /// The username is nil if unknown.
    package func signInAgain(as username: [UInt8]?) -> SignInAgain {
        let known = username.flatMap { host.provider.facts.isNobodys($0) ? nil : credentialContext.shown($0) }
        // A host without a page for apps cannot tell whose a token is either, and then no token can be entered.
        let takesToken = !needsNoPerson && host.provider.registration(of: .oauthApp) != nil
        return SignInAgain(account: known, isByToken: clientID == nil && takesToken)
    }
}
