package import CredentialCore
package import OAuth

/// A kind of host where we sign in: everything in which it differs from others.
///
/// One value for each kind; each host of that kind is handed in. `ProviderRegistry` has a line for each.
package protocol Provider: Sendable {
    /// The name that people know the service by.
    var displayName: DisplayText { get }

    /// The name that goes to git with a token of which nobody could say whose it is.
    var anyUsername: String { get }

    /// What to ask for unless `oauthScopes` says otherwise, separated by spaces.
    var defaultScopes: String { get }
    /// Scopes that contain others, which the server then leaves out of its answer.
    var includedScopes: [String: [String]] { get }
    /// What its OAuth answers mean beyond the RFCs.
    var dialect: OAuthDialect { get }
    /// Whether git can send a token as `Authorization: Bearer`, if the person has configured that.
    var takesBearer: Bool { get }
    /// Where OAuth is spoken for a host.
    func endpoints(of host: SignInHost) -> OAuthEndpoints

    /// Who has just signed in: the device flow does not say, and people change accounts in the browser.
    ///
    /// - Parameters:
    ///   - response: what the token endpoint has answered.
    ///   - host: where.
    ///   - transport: the way.
    /// - Returns: the account; by default, the owner of the access token.
    func account(of response: TokenResponse, on host: SignInHost, over transport: any Transport) -> AccountAnswer
    /// Who the owner of an access token is.
    func account(of token: Secret, on host: SignInHost, over transport: any Transport) -> AccountAnswer
    /// How an access token stands, as the host tells its holder; by default, what the question about its owner tells.
    func standing(of token: Secret, on host: SignInHost, over transport: any Transport) -> TokenStanding
    /// Makes the server forget tokens: only where a person has asked for it, never on git's `erase`.
    ///
    /// - Parameters:
    ///   - grants: all that is to go.
    ///   - host: the host that issued them; they leave for no other.
    ///   - transport: the way.
    /// - Returns: what became of it.
    func revoke(_ grants: [RevocableGrant], on host: SignInHost, over transport: any Transport) -> RevocationOutcome

    /// The app with that ID, on hosts where apps act in their own name; nil where they do not.
    func app(_ id: String) -> (any InstallableApp)?

    /// The repository's name as people know it, of the parts of a path; nil if they name none.
    func repositoryName(_ segments: [String]) -> String?
    /// What the host says of a repository, to the holder of a token or to everybody.
    ///
    /// - Parameters:
    ///   - name: as `repositoryName` gives it.
    ///   - host: where it is.
    ///   - token: whose right is asked about; nil for what everybody is told.
    ///   - transport: the way.
    /// - Returns: its answer.
    /// - Throws: `TransportError`, if no answer came.
    func repository(
        _ name: String, on host: SignInHost, token: Secret?, over transport: any Transport
    ) throws(TransportError) -> RepositoryAnswer

    /// Where a person registers an app of that kind; nil if there is no such kind here, or no page that we know.
    func registration(of kind: AppKind, on host: SignInHost) -> Registration?
    /// Where a person does something that only a browser can do; nil if the host has no such page, or none that we know.
    func page(_ page: ProviderPage, on host: SignInHost) -> HTTPSAddress?
    /// Something small on each server that a sign-in speaks to, which needs no token and is there whenever the host is.
    func probes(of host: SignInHost) -> [HTTPSAddress]
}

extension Provider {
    package var takesBearer: Bool { true }
    package func app(_ id: String) -> (any InstallableApp)? { nil }

    package func account(
        of response: TokenResponse, on host: SignInHost, over transport: any Transport
    ) -> AccountAnswer {
        account(of: response.accessToken, on: host, over: transport)
    }

    package func standing(of token: Secret, on host: SignInHost, over transport: any Transport) -> TokenStanding {
        TokenStanding(account(of: token, on: host, over: transport))
    }
}

extension OAuthClient {
    /// The client of a host, whose dialect is its provider's.
    ///
    /// - Parameters:
    ///   - id: the client ID.
    ///   - secret: the client secret, if one is configured.
    ///   - scopes: what to ask for; nil for the provider's default.
    ///   - host: where.
    ///   - endpoints: where OAuth is spoken for it; nil for the provider's own.
    package init(
        id: String, secret: Secret? = nil, scopes: String? = nil, of host: SignInHost,
        at endpoints: OAuthEndpoints? = nil
    ) {
        let provider = host.provider
        self.init(
            id: id, secret: secret, scopes: scopes ?? provider.defaultScopes,
            endpoints: endpoints ?? provider.endpoints(of: host), dialect: provider.dialect)
    }
}
