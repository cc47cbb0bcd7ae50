package import CredentialCore

/// What a person may have to do in a browser; a kind of host need not have all of these.
package enum ProviderPage {
    /// Make a personal access token, with the rights that git needs chosen.
    case newToken
    /// See or withdraw what an app may do in one's name; without a client ID, what else has access.
    case access(clientID: String?)
    /// Have an organisation approve an app.
    case approval
    /// See where apps are installed, and let them into a repository.
    case installations
    /// Look at a repository, by a name as `Provider.repositoryName` gives it.
    case repository(String)
    /// See which branches of a repository not everybody may push to who may push.
    case branchRules(String)
    /// Sign on with an organisation.
    case singleSignOn(organisation: String)
}

/// Where a token is revoked whose kind can be told by the token itself.
package struct TokenPage: Equatable {
    /// The page.
    package let address: HTTPSAddress
    /// Whether the page is for tokens that a person has made, and not for apps.
    package let isPersonal: Bool

    package init(_ address: HTTPSAddress, isPersonal: Bool) {
        self.address = address
        self.isPersonal = isPersonal
    }
}
