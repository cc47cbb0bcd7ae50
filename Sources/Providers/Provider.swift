package import CredentialCore

/// A host, as its kind knows it: a table, and what differs beyond that.
package protocol Provider {
    static var facts: ProviderFacts { get }
    var host: SignInHost { get }
    init(_ host: SignInHost)

    /// It issues the host's tokens: refresh tokens and proofs of the client go to its endpoints, and nowhere else.
    ///
    /// It may have to be asked for them, so this comes before any lock: by default, the host says it of itself. What is
    /// configured is nil for a built-in host.
    ///
    /// - Throws: why nobody knows it.
    func server(_ configured: SignInSettings?, over transport: any Transport) throws(DiscoveryError) -> OAuthServer

    /// Who has just signed in: the device flow does not say, and people change accounts in the browser.
    ///
    /// By default, the holder of the access token.
    ///
    /// - Throws: why the server's word for it is not believed.
    func holder(after signIn: CompletedSignIn, over transport: any Transport) throws(IDTokenError) -> Holder
    /// Who holds an access token; by default, the API says it.
    ///
    /// One that was issued to no client may be anybody's, so only the host itself may be asked. A host that does not tell
    /// may be asked for a repository such as `workspace/name`, under that user name.
    func holder(
        of token: Secret, issuedTo client: OAuthClient?, at place: (repository: String, username: String)?,
        over transport: any Transport
    ) -> Holder
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
    /// By default, what git itself is told.
    func repository(
        _ name: String, as credential: StoredCredential?, over transport: any Transport
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
        case .bitbucket: Bitbucket.self
        case .git: GitServer.self
        }
    }
}

extension SignInHost {
    /// All that is particular to this kind of host.
    package var provider: any Provider { providerID.kind.init(self) }
}

extension Provider {
    package func server(
        _ configured: SignInSettings?, over transport: any Transport
    ) throws(DiscoveryError) -> OAuthServer {
        try Discovery(issuer: Issuer(host.origin), configured: configured, transport: transport).server()
    }

    package func holder(after signIn: CompletedSignIn, over transport: any Transport) throws(IDTokenError) -> Holder {
        holder(of: signIn.response.accessToken, issuedTo: signIn.client, over: transport)
    }

    package func holder(
        of token: Secret, issuedTo client: OAuthClient? = nil, over transport: any Transport
    ) -> Holder {
        holder(of: token, issuedTo: client, at: nil, over: transport)
    }

    package func holder(
        of token: Secret, issuedTo _: OAuthClient?, at _: (repository: String, username: String)?,
        over transport: any Transport
    ) -> Holder {
        user(of: token, over: transport)
    }

    /// The user of the API; what is neither a name nor a rejection is read by the host's own rules.
    func user(
        of token: Secret, over transport: any Transport, otherwise read: (HTTPResponse) -> Holder = { _ in .unknown() }
    ) -> Holder {
        guard let login = facts.api?.login else { return .unknown() }
        return Holder(asking: request("/user", token: token), over: transport) { response in
            guard response.status == 200 else { return read(response) }
            let user = response.json
            return .named(user?[login]?.string ?? [], id: user?["id"]?.wholeNumber)
        }
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
        _ name: String, as credential: StoredCredential?, over transport: any Transport
    ) throws(TransportError) -> RepositoryAnswer {
        let fetch = try fetch(name, as: credential, over: transport)
        switch fetch.answer {
        case .reached:
            let push = try ask(.push, at: fetch.path, as: credential?.authorization ?? .none, over: transport)
            return .reached(RepositoryRights(mayPush: push.isReached))
        case .tokenRejected where credential == nil: return .notFound
        default: return fetch.answer
        }
    }

    /// Asks as git does before a fetch, by the path that exists: most servers take either name, some have but the one.
    package func fetch(
        _ name: String, as credential: StoredCredential?, over transport: any Transport
    ) throws(TransportError) -> (path: String, answer: RepositoryAnswer) {
        let authorization = credential?.authorization ?? .none
        let answer = try ask(.fetch, at: name, as: authorization, over: transport)
        guard answer == .notFound else { return (name, answer) }
        let path = name + RepositoryPath.suffix
        return (path, try ask(.fetch, at: path, as: authorization, over: transport))
    }

    func ask(
        _ probe: GitProbe, at path: String, as authorization: HTTPRequest.Authorization, over transport: any Transport
    ) throws(TransportError) -> RepositoryAnswer {
        try probe.answer(at: path, on: host.origin, as: authorization, over: transport)
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
