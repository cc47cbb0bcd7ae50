/// What kind of service a host is: which OAuth dialect it speaks, and where.
package enum Provider: String {
    /// github.com, *.ghe.com, GitHub Enterprise Server.
    case github
    /// A plain store: nothing is ever asked of the host.
    case none

    /// The name that people know the service by.
    package var displayName: DisplayText {
        switch self {
        case .github: "GitHub"
        case .none: ""
        }
    }

    /// What we ask for unless `oauthScopes` says otherwise: clone and push, workflow files, gists.
    ///
    /// GitHub has no narrower scope for private repositories, and GitHub Apps ignore the list.
    package var defaultScopes: String {
        switch self {
        case .github: "repo workflow gist"
        case .none: ""
        }
    }
}
