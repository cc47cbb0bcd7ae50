internal import CredentialCore
internal import Helper

/// What kind of app a person registers.
package enum AppKind {
    /// An OAuth App: its tokens reach all that the person can reach, and do not end.
    case oauthApp
    /// A GitHub App: its tokens end after eight hours and are renewed, and reach what the app is installed on.
    case gitHubApp

    /// The page on which it is registered, with its fields filled in.
    ///
    /// For a GitHub App by "Registering a GitHub App using URL parameters" of docs.github.com; its name has to be one that
    /// nobody else has, so that is left to the person. For an OAuth App the form's own names of its fields, which GitHub
    /// documents nowhere and many link to; unknown ones leave the form empty. No callback is ever used.
    func page(on host: SignInHost) -> HTTPSAddress {
        let base = host.oauthBase
        // A colon and slashes are allowed in a query as they are (RFC 3986, 3.4).
        let home = "https://\(base.authority)"
        let query: [(String, String)] =
            switch self {
            case .oauthApp:
                [
                    ("oauth_application%5Bname%5D", "git-credential-gitspace"), ("oauth_application%5Burl%5D", home),
                    ("oauth_application%5Bcallback_url%5D", "http://127.0.0.1"),
                ]
            case .gitHubApp:
                [
                    ("url", home), ("public", "false"), ("webhook_active", "false"), ("contents", "write"),
                    ("workflows", "write"),
                ]
            }
        let path = self == .oauthApp ? "/settings/applications/new" : "/settings/apps/new"
        return base.appending(path + "?" + query.map { "\($0)=\($1)" }.joined(separator: "&"))
    }
}
