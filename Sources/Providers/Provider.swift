package import CredentialCore

/// A host, as its kind knows it: a table, and what differs beyond that.
package protocol Provider {
    static var facts: ProviderFacts { get }
    var host: SignInHost { get }
    init(_ host: SignInHost)

    /// It issues the host's tokens: refresh tokens and proofs of the client go to its endpoints, and nowhere else.
    ///
    /// It may have to be asked for them, so this comes before any lock. What is configured is nil for a built-in host.
    ///
    /// - Throws: why nobody knows it.
    func server(_ configured: SignInSettings?, over transport: any Transport) throws(DiscoveryError) -> OAuthServer

    /// Who has just signed in: the device flow does not say, and people change accounts in the browser.
    ///
    /// By default, the owner of the access token.
    ///
    /// - Throws: why the server's word for it is not believed.
    func account(of signIn: CompletedSignIn, over transport: any Transport) throws(IDTokenError) -> AccountAnswer
    /// Who the owner of an access token is; by default, the API says it.
    ///
    /// One without a client may be anybody's, so only the host itself may be asked.
    func account(of grant: RevocableGrant, over transport: any Transport) -> AccountAnswer
    /// What the host tells the holder of an access token beyond its owner; by default, nothing.
    func details(of token: Secret, over transport: any Transport) throws(TransportError) -> TokenDetails?
    /// Makes the server forget tokens: only where a person has asked for it, never on git's `erase`.
    ///
    /// They leave for no other than the one that issued them; by default, by RFC 7009.
    func revoke(_ grants: [RevocableGrant], over transport: any Transport) -> RevocationOutcome

    /// The repository's name as people know it, of the parts of a path; nil if they name none; by default, the first two.
    func repositoryName(_ segments: [String]) -> String?
    /// What the host says of a repository, to the holder of a token or, without one, to everybody.
    ///
    /// By default, what git itself is told, which sends the token as Bearer where it is stored so.
    func repository(
        _ name: String, token: Secret?, asBearer: Bool, over transport: any Transport
    ) throws(TransportError) -> RepositoryAnswer
    /// How pull requests are opened in the repository of that path; nil, by default, where we do not know how.
    func pullRequests(in repository: String) -> PullRequestAPI?
}

extension ProviderID {
    /// A line for each kind of host that there is.
    var kind: any Provider.Type {
        switch self {
        case .github: GitHub.self
        case .gitlab: GitLab.self
        case .gitea: Gitea.self
        case .oidc: OpenIDProvider.self
        }
    }
}

extension SignInHost {
    /// All that is particular to this kind of host.
    package var provider: any Provider { providerID.kind.init(self) }
}

extension Provider {
    package func account(
        of signIn: CompletedSignIn, over transport: any Transport
    ) throws(IDTokenError) -> AccountAnswer {
        account(of: signIn.response.accessToken, over: transport)
    }

    package func account(of grant: RevocableGrant, over transport: any Transport) -> AccountAnswer {
        owner(of: grant.accessToken, over: transport)
    }

    /// By the API; what is neither a name nor a rejection is read by the host's own rules.
    func owner(
        of token: Secret?, over transport: any Transport,
        otherwise read: (HTTPResponse) -> AccountAnswer = { _ in .unknown }
    ) -> AccountAnswer {
        guard let token, let login = facts.api?.login else { return .unknown }
        return AccountAnswer(asking: request("/user", token: token), over: transport) { response in
            guard response.status == 200 else { return read(response) }
            let user = response.json
            return .named(user?[login]?.string ?? [], id: user?["id"]?.wholeNumber)
        }
    }

    /// Of any token, whoever has issued it.
    package func account(of token: Secret, over transport: any Transport) -> AccountAnswer {
        account(of: RevocableGrant(accessToken: token, refreshToken: nil, client: nil), over: transport)
    }

    package func details(
        of token: Secret, over transport: any Transport
    ) throws(TransportError) -> TokenDetails? { nil }

    package func revoke(_ grants: [RevocableGrant], over transport: any Transport) -> RevocationOutcome {
        RevocationOutcome(revoking: grants, over: transport)
    }

    package func repositoryName(_ segments: [String]) -> String? {
        segments.count < 2 ? nil : segments.prefix(2).joined(separator: "/")
    }

    package func repository(
        _ name: String, token: Secret?, asBearer: Bool, over transport: any Transport
    ) throws(TransportError) -> RepositoryAnswer {
        // Most servers take either name; some have but the one.
        for path in [name, name + ".git"] {
            let fetch = try ask(.fetch, at: path, token: token, asBearer: asBearer, over: transport)
            switch fetch.status {
            case 200:
                let push = try ask(.push, at: path, token: token, asBearer: asBearer, over: transport)
                return .reached(RepositoryRights(mayPush: push.status == 200))
            case 404: continue
            case 401 where token == nil: return .notFound
            default: return RepositoryAnswer(fetch)
            }
        }
        return .notFound
    }

    /// As git does.
    func ask(
        _ probe: GitProbe, at path: String, token: Secret?, asBearer: Bool = false, over transport: any Transport
    ) throws(TransportError) -> HTTPResponse {
        let authorization = token.map {
            asBearer ? .bearer($0) : HTTPRequest.Authorization.basic(username: facts.anyUsername, password: $0)
        }
        return try probe.answer(at: path, on: host.origin, as: authorization ?? .none, over: transport)
    }
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
