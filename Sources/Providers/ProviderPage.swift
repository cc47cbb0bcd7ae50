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
