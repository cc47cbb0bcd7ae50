package import CredentialCore

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
    /// The scope that asks for a token that ends; nil for a client whose tokens end anyway, or by the host's decision.
    func shortLivedScope(of clientID: String) -> String?
    /// Scopes that contain others, which the server then leaves out of its answer.
    var includedScopes: [String: [String]] { get }
    /// Whether git can send a token as `Authorization: Bearer`, if the person has configured that.
    var takesBearer: Bool { get }
    /// The server that issues a host's tokens: asked for before any lock is taken, since it may have to be asked first.
    ///
    /// - Parameters:
    ///   - host: where.
    ///   - configured: what the person has configured; nil for a built-in host.
    ///   - transport: the way.
    /// - Returns: the server. Refresh tokens and proofs of the client go to its endpoints, and nowhere else.
    /// - Throws: why nobody knows it.
    func server(
        of host: SignInHost, configured: SignInSettings?, over transport: any Transport
    ) throws(DiscoveryError) -> OAuthServer
    /// Whether the server that issues tokens may be another than the host, so that a grant has to remember which it was.
    var issuesElsewhere: Bool { get }

    /// Who has just signed in: the device flow does not say, and people change accounts in the browser.
    ///
    /// - Parameters:
    ///   - signIn: what the token endpoint has answered, and to whom.
    ///   - host: where.
    ///   - transport: the way.
    /// - Returns: the account; by default, the owner of the access token.
    /// - Throws: why the server's word for it is not believed.
    func account(
        of signIn: CompletedSignIn, on host: SignInHost, over transport: any Transport
    ) throws(IDTokenError) -> AccountAnswer
    /// Who the owner of an access token is that anybody may have issued; so only the host itself may be asked.
    func account(of token: Secret, on host: SignInHost, over transport: any Transport) -> AccountAnswer
    /// Who the owner of a stored grant's access token is; by default, as for any token.
    func account(of grant: RevocableGrant, on host: SignInHost, over transport: any Transport) -> AccountAnswer
    /// What the host tells the holder of an access token beyond its owner; by default, nothing.
    func details(of token: Secret, on host: SignInHost, over transport: any Transport) -> TokenDetails?
    /// Whether an account can have that name, by the alphabet and the length that the service has for its names.
    func isAccountName(_ name: [UInt8]) -> Bool
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

    /// How tokens are limited to one repository, on hosts that can do that; by default, none can.
    var repositoryTokens: (any RepositoryTokens)? { get }

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
    /// What a token that a person makes must permit, in the words of that page; nil if its address chooses that.
    var tokenPermissions: DisplayText? { get }
    /// Where a token is revoked that no app of which we know has got; nil if its kind cannot be told.
    func page(revoking token: Secret, on host: SignInHost) -> TokenPage?
    /// Something small on each server that a sign-in speaks to, which needs no token and is there whenever the host is.
    func probes(of host: SignInHost) -> [HTTPSAddress]
}

extension Provider {
    package var takesBearer: Bool { true }
    package func shortLivedScope(of clientID: String) -> String? { nil }
    package var tokenPermissions: DisplayText? { nil }
    package func page(revoking token: Secret, on host: SignInHost) -> TokenPage? { nil }
    package func app(_ id: String) -> (any InstallableApp)? { nil }
    package var repositoryTokens: (any RepositoryTokens)? { nil }
    package var issuesElsewhere: Bool { false }

    package func account(
        of signIn: CompletedSignIn, on host: SignInHost, over transport: any Transport
    ) throws(IDTokenError) -> AccountAnswer {
        account(of: signIn.response.accessToken, on: host, over: transport)
    }

    package func account(
        of grant: RevocableGrant, on host: SignInHost, over transport: any Transport
    ) -> AccountAnswer {
        grant.accessToken.map { account(of: $0, on: host, over: transport) } ?? .unknown
    }

    package func details(of token: Secret, on host: SignInHost, over transport: any Transport) -> TokenDetails? { nil }

    /// Letters, digits and a few signs, up to a length; far shorter than what a keyring can store.
    func isName(_ name: [UInt8], signs: String, longest: Int) -> Bool {
        (1...longest).contains(name.count)
            && name.allSatisfy { ASCII.isLetterOrDigit($0) || signs.utf8.contains($0) }
    }
}

/// The kinds of hosts that there are: a line each.
package enum ProviderRegistry {
    /// The provider that git's configuration calls by that word.
    package static func provider(_ id: ProviderID) -> any Provider {
        switch id {
        case .github: GitHub()
        case .gitlab: GitLab()
        case .gitea: Gitea()
        case .oidc: OpenIDProvider()
        }
    }
}

extension SignInHost {
    /// All that is particular to this kind of host.
    package var provider: any Provider { ProviderRegistry.provider(providerID) }
}

/// What a sign-in has brought, and what it takes to find out whose it is.
package struct CompletedSignIn {
    /// What the token endpoint has answered.
    package let response: TokenResponse
    /// The client that asked, with its server.
    package let client: OAuthClient
    /// It was sent with the request for a code, and has to be in the ID token; nil if none was.
    package let nonce: String?
    /// When the answer came, in seconds since 1970.
    package let now: Int64
    /// Checks what the server has signed.
    package let verifier: any SignatureVerifier

    package init(
        _ response: TokenResponse, to client: OAuthClient, nonce: String? = nil, at now: Int64,
        verifier: any SignatureVerifier
    ) {
        self.response = response
        self.client = client
        self.nonce = nonce
        self.now = now
        self.verifier = verifier
    }
}
