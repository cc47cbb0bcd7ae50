package import CredentialCore

/// What kind of app a person registers.
package enum AppKind {
    /// An OAuth client of the host's usual kind (RFC 6749, 2).
    case oauthApp
    /// A GitHub App: its tokens end after eight hours and are renewed, and reach what the app is installed on.
    case gitHubApp
}

/// Where a person registers an app, and what they find there.
package struct Registration: Equatable {
    /// The page.
    package let page: HTTPSAddress
    /// Its form.
    package let form: Form

    /// A form that a person fills in, and what is theirs to do in it.
    package enum Form: Equatable {
        /// GitHub's OAuth App: its tokens reach all that the person can reach, and do not end.
        case gitHubOAuthApp
        /// A GitHub App, which is then installed on what it shall reach: on that page.
        case gitHubApp(installation: HTTPSAddress)
        /// GitLab's user-owned application, which asks for no more than these scopes and has to be public.
        case gitLabApplication(scopes: [String])
    }

    package init(page: HTTPSAddress, form: Form) {
        self.page = page
        self.form = form
    }
}
