/// What a person may have to do in a browser.
package enum ProviderPage {
    /// Register an app, for its client ID.
    case registration(AppKind)
    /// Install an app that has been registered on what it shall reach.
    case ownApps
    /// Make a personal access token, with the rights that git needs chosen.
    case newToken
    /// See or withdraw what an app may do in one's name; without a client ID, the list of apps.
    case access(clientID: String?)
    /// Have an organisation approve an app.
    case approval
    /// See where apps are installed, and let them into a repository.
    case installations
    /// Look at a repository, by a name as `Provider.repositoryName` gives it.
    case repository(String)
    /// Sign on with an organisation.
    case singleSignOn(organisation: String)
}

/// What kind of app a person registers.
package enum AppKind {
    /// An OAuth App: its tokens reach all that the person can reach, and do not end.
    case oauthApp
    /// A GitHub App: its tokens end after eight hours and are renewed, and reach what the app is installed on.
    case gitHubApp
}
