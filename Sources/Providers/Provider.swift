package import CredentialCore

/// A kind of host: a table of facts, and the behaviour beyond it.
package protocol Provider {
    static var facts: ProviderFacts { get }
    var host: SignInHost { get }
    init(_ host: SignInHost)

    /// The server that issues the host's tokens, the only one that gets refresh tokens and proofs of the client.
    ///
    /// It may have to be asked for its endpoints, so call this before taking a lock. `configured` is `nil` for a
    /// built-in host.
    ///
    /// - Throws: the reason why the server is unknown.
    func server(_ configured: SignInSettings?, over transport: any Transport) throws(DiscoveryError) -> OAuthServer

    /// The account that has just signed in: the device flow does not name it, and people change accounts in the
    /// browser. By default, the owner of the access token.
    ///
    /// - Throws: the failed check of the ID token.
    func account(of signIn: CompletedSignIn, over transport: any Transport) throws(IDTokenError) -> AccountAnswer
    /// The owner of an access token, by default from the API. A token without a client may be anybody's, so only the
    /// host itself may be asked.
    func account(of grant: RevocableGrant, over transport: any Transport) -> AccountAnswer
    /// The details of an access token beyond its owner; by default, none.
    func details(of token: Secret, over transport: any Transport) throws(TransportError) -> TokenDetails?
    /// Revokes tokens, only if a person has asked for it, never on git's `erase`.
    ///
    /// Tokens are sent only to their issuer; by default, by RFC 7009.
    func revoke(_ grants: [RevocableGrant], over transport: any Transport) -> RevocationOutcome

    /// The repository's name for people, from the parts of a path, or `nil` if there is none; by default, the first
    /// two.
    func repositoryName(_ segments: [String]) -> String?
    /// The host's answer about a repository, to the holder of a token or to everybody; by default, the answer of git's
    /// own protocol, with the token as Bearer if it is stored so.
    func repository(
        _ name: String, token: Secret?, asBearer: Bool, over transport: any Transport
    ) throws(TransportError) -> RepositoryAnswer
    /// The API for pull requests in a repository, or `nil`, the default, if unknown.
    func pullRequests(in repository: String) -> PullRequestAPI?
}

extension ProviderID {
    /// The type for each kind of host.
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
    /// The provider of this host.
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

    /// The owner by the API; answers that are neither a name nor a rejection are read by `read`.
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

    /// The owner of any token, whatever its issuer.
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
        // Most servers accept either name, some only one.
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

    /// Asks as git does.
    func ask(
        _ probe: GitProbe, at path: String, token: Secret?, asBearer: Bool = false, over transport: any Transport
    ) throws(TransportError) -> HTTPResponse {
        let authorization = token.map {
            asBearer ? .bearer($0) : HTTPRequest.Authorization.basic(username: facts.anyUsername, password: $0)
        }
        return try probe.answer(at: path, on: host.origin, as: authorization ?? .none, over: transport)
    }
}

/// The result of a sign-in, with everything needed to find its owner.
package struct CompletedSignIn {
    package let response: TokenResponse
    /// The client of the request, with its server.
    package let client: OAuthClient
    /// The nonce that the ID token must contain, or `nil` if none was sent.
    package let nonce: String?
    /// The time of the answer, in seconds since 1970.
    package let now: Int64
    /// The verifier of the server's signatures.
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
