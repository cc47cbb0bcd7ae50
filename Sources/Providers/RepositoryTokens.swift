package import CredentialCore

/// A kind of host that issues tokens for one repository.
///
/// Such a host may ignore the restriction, and does not say so: each token has to be tried.
package protocol RepositoryTokens: Sendable {
    /// Whether a token is of an app that can have it limited.
    func isLimitable(_ token: Secret) -> Bool

    /// What the host calls a repository by in a sign-in.
    func identity(
        of repository: String, on host: SignInHost, token: Secret, over transport: any Transport
    ) throws(TransportError) -> RepositoryIdentity

    /// What the app of a person's token may do in a repository that it reaches.
    func permissions(
        in repository: String, on host: SignInHost, token: Secret, over transport: any Transport
    ) throws(TransportError) -> AppPermissions

    /// Which repositories a token reaches, besides what everybody may read; it should be that one, `OWNER/NAME`.
    func reach(
        of token: Secret, besides repository: String, on host: SignInHost, over transport: any Transport
    ) throws(TransportError) -> TokenReach
}

package enum RepositoryIdentity: Equatable {
    case number(Int64)
    /// Nobody with this token gets there.
    case refused(RepositoryAnswer)
}

package enum AppPermissions: Equatable {
    case read
    case write
    /// It is not installed there.
    case none
    /// The host does not tell.
    case unknown
}

package enum TokenReach: Equatable {
    /// The repository, and no other.
    case only
    /// Another one as well.
    case more(DisplayText)
    /// The repository alone, but not only to read it.
    case writes
    /// Not even the repository.
    case nothing
    /// The host does not tell.
    case unknown
}
