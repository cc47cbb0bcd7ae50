extension StandIn {
    /// Registers an app, or replaces the one with the same client ID.
    @discardableResult
    package func register(_ app: App) -> App {
        forge.withState { $0.server.apps[app.clientID] = app }
        return app
    }

    /// Makes the proxy require this `Proxy-Authorization`.
    package func closeProxy(but login: String) { forge.withState { $0.proxyLogin = login } }

    /// Sets the outcomes of the next sign-ins, one each.
    package func nextSignIn(_ outcomes: SignInOutcome...) { forge.withState { $0.server.nextOutcomes += outcomes } }

    /// Sets the outcome of all sign-ins that `nextSignIn` does not cover.
    package func everySignIn(_ outcome: SignInOutcome) { forge.withState { $0.server.usualOutcome = outcome } }

    /// Issues a token without a sign-in.
    package func issueToken(for login: String, app: App, scopes: [String]? = nil) -> IssuedToken {
        let now = forge.clock()
        let usual = forge.service == .gitHub ? ["repo"] : forge.service.scopes
        return forge.withState { $0.server.issue(for: login, app: app, scopes: scopes ?? usual, now: now) }
    }

    /// Expires every access token issued so far; refresh tokens stay valid.
    package func expireAccessTokens() {
        let now = forge.clock()
        forge.withState { state in
            for position in state.server.tokens.indices { state.server.tokens[position].accessExpiry = now }
        }
    }

    package func revoke(_ secret: String) { forge.withState { $0.server.revoke(secret) } }

    /// Makes a repository with one commit on `main`.
    package func createRepository(
        _ slug: String, isPrivate: Bool = true, readers: Set<String> = [], writers: Set<String> = [],
        files: [String: String] = ["README.md": "# A repository\n"], objectFormat: String = "sha1"
    ) throws {
        let parts = slug.split(separator: "/").map(String.init)
        // Only GitLab has groups within groups.
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

    /// Makes a repository's owner require single sign-on from these people's tokens.
    package func demandSingleSignOn(of logins: Set<String>, at slug: String) {
        forge.withState { $0.repositories[slug.lowercased()]?.withoutSingleSignOn = logins }
    }

    /// Makes a repository read-only, as archiving it does.
    package func archive(_ slug: String) { forge.withState { $0.repositories[slug.lowercased()]?.isArchived = true } }

    /// Sets how far the `Date` headers are ahead of the machine's clock.
    package func setClock(aheadBy seconds: Double) { forge.withState { $0.secondsAhead = seconds } }

    /// Runs git in a bare repository: `git(["log", "--format=%s"], in: "acme/private")`.
    @discardableResult
    package func git(_ arguments: [String], in slug: String) throws -> String {
        try forge.files.git(["-C", forge.files.path(slug)] + arguments)
    }

    /// Queues an answer for the next requests to an endpoint; `times` is `nil` for all of them.
    package func answer(_ endpoint: Endpoint, with answer: ScriptedAnswer, times: Int? = 1) {
        forge.withState { $0.script.add(answer, for: endpoint, times: times) }
    }

    /// Removes the queued answers of one endpoint, or of all if that is `nil`.
    package func answerGenuinely(_ endpoint: Endpoint? = nil) { forge.withState { $0.script.clear(endpoint) } }

    /// Makes git's endpoints accept the tokens of another issuer, for which `owner` returns the account.
    package func admitTokens(_ owner: @escaping @Sendable (String) -> String?) {
        forge.withState { $0.otherIssuer = owner }
    }

    /// Makes git's endpoints accept `Authorization: Bearer`.
    package func takeBearerTokens() { forge.withState { $0.takesBearer = true } }

    /// Makes git's endpoints answer like Bitbucket Cloud ("Using API tokens").
    ///
    /// A token is accepted with its owner's username or with the name that stands for all, never with an e-mail
    /// address.
    package func answerGitAsBitbucket() {
        forge.withState { state in
            state.isBitbucket = true
            state.challenge = "Basic realm=\"Bitbucket.org HTTP\""
        }
    }

    /// Sets the behaviour of new TCP connections.
    package func receive(_ reception: Reception) { forge.withState { $0.reception = reception } }

    /// Sets git's 401 challenge, for example one with an `enterprise_hint`.
    package func challenge(_ value: String) { forge.withState { $0.challenge = value } }
}
