package import CredentialCore
internal import Providers

/// How an account signs in again: what a hint has to know for its command to work as it stands.
package struct SignInAgain: Equatable {
    /// The account; nil if its name is unknown.
    package let account: DisplayText?
    /// Whether that takes a token that the person creates, because there is no client ID to sign in with.
    package let isByToken: Bool

    package init(account: DisplayText?, isByToken: Bool = false) {
        self.account = account
        self.isByToken = isByToken
    }
}

extension SignInContext {
    /// How an account of this host signs in again.
    ///
    /// - Parameter username: its name; nil if unknown.
    /// - Returns: what its hint says.
    package func signInAgain(as username: [UInt8]?) -> SignInAgain {
        // That name stands for an unknown one; no account is called that.
        let known = username.flatMap { $0.elementsEqual(host.provider.anyUsername.utf8) ? nil : DisplayText($0) }
        // A host without a page for apps cannot tell whose a token is either, and then no token can be entered.
        let takesToken = !needsNoPerson && host.provider.registration(of: .oauthApp, on: host) != nil
        return SignInAgain(account: known, isByToken: clientID == nil && takesToken)
    }
}
