/// What kind of service a host is, by the values of `credential.<url>.provider`.
package enum ProviderID: String {
    /// github.com, *.ghe.com, GitHub Enterprise Server.
    case github
    /// gitlab.com, self-managed GitLab.
    case gitlab
    /// Any server of OpenID Connect or OAuth 2.0 that has a device flow.
    case oidc
}
