package import CredentialCore

/// A kind of host: a table of facts, and the behaviour beyond it.
package protocol Provider {
    static var facts: ProviderFacts { get }
    var host: SignInHost { get }
    init(_ host: SignInHost)

    /// The server that issues the host's tokens, the only one that gets refresh tokens and proofs of the client.
    ///
    /// The server may have to be asked for its endpoints, so call this before taking a lock. `configured` is `nil` for
    /// a built-in host.
    func server(_ configured: SignInSettings?, over transport: any Transport) throws(DiscoveryError) -> OAuthServer

    /// Returns the account that has just signed in, by default the holder of the access token.
    ///
    /// The device flow does not name the account, and people change accounts in the browser.
    ///
    /// - Throws: the reason why the ID token is refused.
    func holder(after signIn: CompletedSignIn, over transport: any Transport) throws(IDTokenError) -> Holder
    /// Returns the holder of an access token, by default by the host's API.
    ///
    /// A token without a client may be for any server, so only the host itself may be asked. A host that does not name
    /// holders is asked for the repository at `place`, with the username there.
    func holder(
        of token: Secret, issuedTo client: OAuthClient?, at place: (repository: String, username: String)?,
        over transport: any Transport
    ) -> Holder
    /// The scopes and lifetime that the host shows to the holder of a token; none by default.
    func details(of token: Secret, over transport: any Transport) throws(TransportError) -> TokenDetails?
    /// Revokes tokens at their issuer, by default by RFC 7009; only if a person has asked for it, never on git's
    /// `erase`.
    func revoke(_ grants: [RevocableGrant], over transport: any Transport) -> RevocationOutcome

    /// The repository's name for people, from the parts of a path, or `nil` if there is none; by default, the first two
    /// parts, without the end of a wiki's name.
    func repositoryName(_ segments: [String]) -> String?
    /// The host's answer about a repository, with or without a credential; by default, the answer of git's own
    /// protocol.
    func repository(_ name: String, as credential: StoredCredential?, over transport: any Transport)
        throws(TransportError) -> RepositoryAnswer
    /// The API for pull requests, or `nil`, the default, if unknown.
    func pullRequests(in repository: String) -> PullRequestAPI?
}

extension ProviderID {
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

    /// The user in the API's answer; `read` interprets other answers that are no rejection.
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
        // In a browser, the parts after OWNER/NAME are a page of the repository.
        segments.count < 2 ? nil : "\(segments[0])/\(RepositoryPath.withoutWiki(segments[1]))"
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

    package func pullRequests(in repository: String) -> PullRequestAPI? { nil }

    /// Asks as git does before a fetch, and returns the path that exists: some servers have only the name with `.git`,
    /// or only the one without.
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
        _ probe: GitProbe, at path: String, as authorization: HTTPRequest.Authorization, over transport: any Transport,
        refusal: (HTTPResponse) -> RepositoryAnswer = RepositoryAnswer.init
    ) throws(TransportError) -> RepositoryAnswer {
        let response = try probe.response(at: path, on: host.origin, as: authorization, over: transport)
        return switch response.status {
        // A page for people is no answer of git's protocol.
        case 200: response.isPage ? .malformed : .reached(RepositoryRights(mayPush: probe == .push))
        case 403: refusal(response)
        default: RepositoryAnswer(response)
        }
    }
}

/// The holder of a token, as the host names it.
package enum Holder: Equatable {
    /// The account's names, first the one for storing the token, and the account's permanent number, or `nil` if
    /// unknown.
    case account(names: [String], id: Int64? = nil)
    /// The token is valid, and the host does not name the holder.
    case good
    case rejected
    /// The host did not answer the question; a transport error says nothing about the token.
    case unknown(TransportError? = nil)
    /// The person pressed Ctrl-C, or git ended.
    case interrupted

    /// Asks a host; `read` interprets every response except a rejection.
    init(asking request: HTTPRequest, over transport: any Transport, reading read: (HTTPResponse) -> Holder) {
        self.init { () throws(TransportError) in
            let response = try transport.send(request)
            return response.status == 401 ? .rejected : read(response)
        }
    }

    /// Asks a host in another way.
    init(_ ask: () throws(TransportError) -> Holder) {
        do throws(TransportError) { self = try ask() } catch {
            self = error == .interrupted ? .interrupted : .unknown(error)
        }
    }

    /// Makes the holder of an accepted token.
    init(names: [String]) { self = names.isEmpty ? .good : .account(names: names) }

    /// The account, or `.unknown` for a name with characters that a terminal or git's protocol would act on.
    fileprivate static func named(_ name: [UInt8], id: Int64?) -> Holder {
        guard ASCII.isPlain(name, with: "-_."), (1...255).contains(name.count) else { return .unknown() }
        return .account(names: [String(decoding: name, as: UTF8.self)], id: id.flatMap { $0 > 0 ? $0 : nil })
    }

    /// The names; empty if the host gives none, or `nil` unless the token is accepted.
    package var names: [String]? {
        switch self {
        case .account(let names, _): names
        case .good: []
        case .rejected, .unknown, .interrupted: nil
        }
    }

    /// Ignores letter case, as all hosts do.
    package func isOwner(_ username: [UInt8]) -> Bool {
        names?.contains { ASCII.equalsIgnoringCase(username, $0) } ?? false
    }

    /// The name to store, spelt as asked so that git finds the token again.
    ///
    /// Returns `nil` if the token is another account's, or the host names no owner; `asked` is `nil` for any account.
    package func username(asked: [UInt8]?) -> [UInt8]? {
        guard let name = names?.first else { return nil }
        guard let asked else { return Array(name.utf8) }
        return isOwner(asked) ? asked : nil
    }

    package var id: Int64? { if case .account(_, let id) = self { id } else { nil } }
    package var owner: DisplayText? { names?.first.map { DisplayText(untrusted: $0.utf8) } }
}

package struct TokenDetails: Equatable {
    /// The scopes separated by spaces, or `nil` if unknown.
    package let scopes: String?
    /// The remaining seconds, or `nil` if unknown.
    package let expiresIn: Int64?
}

package struct CompletedSignIn {
    package let response: TokenResponse
    package let client: OAuthClient
    /// The nonce that the ID token must contain, or `nil` if none was sent.
    package let nonce: String?
    /// The time of the answer in seconds since 1970.
    package let now: Int64
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

/// git's own first request before a fetch or a push (gitprotocol-http(5)).
enum GitProbe: String {
    case fetch = "git-upload-pack"
    case push = "git-receive-pack"

    /// Asks for a repository, which need not exist: most services request a credential in any case.
    func response(
        at path: String, on origin: HTTPSAddress, as authorization: HTTPRequest.Authorization = .none,
        over transport: any Transport
    ) throws(TransportError) -> HTTPResponse {
        let address = origin.appending("/\(path)/info/refs?service=\(rawValue)")
        do throws(TransportError) {
            return try transport.send(
                HTTPRequest(.get, address, authorization: authorization, fields: [("Accept", "*/*")]))
        } catch .tooLarge {
            // A refusal is one line, so a longer answer is a list of branches.
            return HTTPResponse(status: 200)
        }
    }
}

extension StoredCredential {
    package var isBearer: Bool { authtype.map { ASCII.equalsIgnoringCase($0, "Bearer") } ?? false }

    /// The authorization that git itself would send.
    var authorization: HTTPRequest.Authorization {
        isBearer ? .bearer(password) : .basic(username: String(decoding: username, as: UTF8.self), password: password)
    }
}
