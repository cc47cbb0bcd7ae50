extension StandIn {
    /// Registers an app, or changes the settings of one that is registered under the same client ID.
    @discardableResult
    package func register(_ app: App) -> App {
        forge.withState { $0.server.apps[app.clientID] = app }
        return app
    }

    /// From now on, the proxy wants this `Proxy-Authorization`.
    package func closeProxy(but login: String) {
        forge.withState { $0.proxyLogin = login }
    }

    /// Decides the next sign-ins beforehand, one each.
    package func nextSignIn(_ outcomes: SignInOutcome...) {
        forge.withState { $0.server.nextOutcomes += outcomes }
    }

    /// Decides all sign-ins for which `nextSignIn` says nothing.
    package func everySignIn(_ outcome: SignInOutcome) {
        forge.withState { $0.server.usualOutcome = outcome }
    }

    /// Makes a token without any sign-in, as if one had happened before the test.
    package func issueToken(for login: String, app: App, scopes: [String]? = nil) -> IssuedToken {
        let now = forge.clock()
        let usual = forge.service == .gitHub ? ["repo"] : forge.service.scopes
        return forge.withState { $0.server.issue(for: login, app: app, scopes: scopes ?? usual, now: now) }
    }

    /// Ends the time of every access token issued so far; refresh tokens stay good.
    package func expireAccessTokens() {
        let now = forge.clock()
        forge.withState { state in
            for position in state.server.tokens.indices { state.server.tokens[position].accessExpiry = now }
        }
    }

    /// Revokes an access or refresh token.
    package func revoke(_ secret: String) {
        forge.withState { $0.server.revoke(secret) }
    }

    /// Makes a repository with one commit on `main`.
    /// - Parameters:
    ///   - slug: `OWNER/NAME`.
    ///   - isPrivate: A public one may be read by everybody, without a token.
    ///   - readers: Logins that may fetch.
    ///   - writers: Logins that may fetch and push.
    ///   - files: Names and texts of the first commit.
    ///   - objectFormat: As `git init --object-format` takes it.
    /// - Throws: `StandInError` if git fails.
    package func createRepository(
        _ slug: String, isPrivate: Bool = true, readers: Set<String> = [], writers: Set<String> = [],
        files: [String: String] = ["README.md": "# A repository\n"], objectFormat: String = "sha1"
    ) throws {
        let parts = slug.split(separator: "/").map(String.init)
        // GitLab's groups contain groups.
        guard parts.count == 2 || (parts.count > 2 && forge.service == .gitLab), let name = parts.last else {
            throw StandInError("\(slug) is not OWNER/NAME")
        }
        try forge.files.create(slug, files: files, objectFormat: objectFormat)
        forge.withState { state in
            state.repositories[slug.lowercased()] = Repository(
                owner: parts.dropLast().joined(separator: "/"), name: name, id: 1_001 + state.repositories.count,
                isPrivate: isPrivate, readers: readers, writers: writers)
        }
    }

    /// Has a repository's owner demand single sign-on of these people's tokens.
    package func demandSingleSignOn(of logins: Set<String>, at slug: String) {
        forge.withState { $0.repositories[slug.lowercased()]?.withoutSingleSignOn = logins }
    }

    /// Makes a repository read-only for everybody, as its owner can.
    package func archive(_ slug: String) {
        forge.withState { $0.repositories[slug.lowercased()]?.isArchived = true }
    }

    /// Has GitHub's clock differ from the machine's, as far as the `Date` of its answers tells.
    package func setClock(aheadBy seconds: Double) {
        forge.withState { $0.secondsAhead = seconds }
    }

    /// Runs git in a bare repository, to see what has arrived: `git(["log", "--format=%s"], in: "acme/private")`.
    @discardableResult
    package func git(_ arguments: [String], in slug: String) throws -> String {
        try forge.files.git(["-C", forge.files.path(slug)] + arguments)
    }

    /// Answers the next requests to an endpoint by script; `times` nil: all of them.
    package func answer(_ endpoint: Endpoint, with answer: ScriptedAnswer, times: Int? = 1) {
        forge.withState { $0.script.add(answer, for: endpoint, times: times) }
    }

    /// Answers as GitHub does again, at one endpoint or (nil) at all.
    package func answerGenuinely(_ endpoint: Endpoint? = nil) {
        forge.withState { $0.script.clear(endpoint) }
    }

    /// Has git requests admitted by another issuer's tokens as well, each of which it is asked about.
    package func admitTokens(_ owner: @escaping @Sendable (String) -> String?) {
        forge.withState { $0.otherIssuer = owner }
    }

    /// Has git's tokens taken by `Authorization: Bearer` as well.
    package func takeBearerTokens() {
        forge.withState { $0.takesBearer = true }
    }

    /// Has git answered as by Bitbucket Cloud ("Using API tokens"): a token goes with its owner's username, or with a name
    /// that stands for all, and never with an e-mail address.
    package func answerGitAsBitbucket() {
        forge.withState { state in
            state.isBitbucket = true
            state.challenge = "Basic realm=\"Bitbucket.org HTTP\""
        }
    }

    /// Decides what new TCP connections meet.
    package func receive(_ reception: Reception) {
        forge.withState { $0.reception = reception }
    }

    /// Sets git's 401 challenge, for example with an `enterprise_hint`.
    package func challenge(_ value: String) {
        forge.withState { $0.challenge = value }
    }
}
