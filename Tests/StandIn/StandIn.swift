import FoundationEssentials

/// A stand-in for GitHub, GitLab or Gitea on loopback: sign-in, refresh, API and git over TLS, and a proxy that leads every host to it.
///
/// ```swift
/// let github = try StandIn()
/// let app = github.register(.gitHubApp(interval: 1))
/// try github.createRepository("acme/private", writers: ["monalisa"])
/// github.nextSignIn(.approve(as: "monalisa"))
/// // … run the program with github.environment …
/// #expect(github.count(of: .poll) == 1)
/// ```
/// The stand-in stops, and its files are removed, with `stop()` or with the last reference to it. Swift may drop a
/// reference after its last use: a test that uses the stand-in no more after starting a program must end with `await
/// github.stop()`.
package final class StandIn: Sendable {
    /// The file of the authority that clients must trust (PEM).
    package let caFile: String
    let forge: Forge
    private let folder: TemporaryFolder
    let server: Listener
    let proxy: Listener

    /// Makes certificates and the repositories' folder, and starts to listen.
    package init(
        _ service: Service = .gitHub, certificate: ServerCertificate = .valid, wantsClientCertificate: Bool = false,
        clock: @escaping @Sendable () -> Double = systemClock
    ) throws {
        folder = try TemporaryFolder()
        let forge = Forge(service, files: try GitFiles(in: folder), clock: clock)
        self.forge = forge
        caFile = "\(folder.path)/ca.pem"
        let tls = try TLSContext(
            certificate: certificate.make(authority: caFile), wantsCertificate: wantsClientCertificate)
        let serve = { @Sendable (connection: consuming Connection) in
            switch forge.withState({ $0.reception }) {
            case .served: guard (try? connection.startTLS(tls)) != nil else { return }
            case .plainHTTP: break
            case .silent: return _ = connection.stays(for: nil)
            case .hungUp: return
            }
            connection.serve { forge.respond(to: $0) }
        }
        server = try Listener(serve: serve)
        // The proxy: every CONNECT leads to the stand-in itself, so nothing leaves the machine.
        proxy = try Listener { (connection: consuming Connection) in
            let target = connection.openTunnel { forge.refusal(ofTunnel: $0) }
            if target == nil { connection.close() } else { serve(connection) }
        }
    }

    /// Closes all sockets and removes all files; harmless if repeated.
    package func stop() async {
        await server.stop()
        await proxy.stop()
        folder.remove()
    }

    package var port: Int { server.port }
    /// The address of the proxy that leads every host name to the stand-in: `http://127.0.0.1:PORT`.
    package var proxyAddress: String { "http://127.0.0.1:\(proxy.port)" }

    /// Environment variables with which git and libcurl reach the stand-in under any host name, including github.com.
    ///
    /// They also exclude the machine's git configuration, which may rewrite addresses.
    package var environment: [String: String] {
        [
            "https_proxy": proxyAddress, "no_proxy": "", "GIT_SSL_CAINFO": caFile, "CURL_CA_BUNDLE": caFile,
            "GIT_CONFIG_NOSYSTEM": "1",
        ]
    }

    package static let systemClock: @Sendable () -> Double = { Date().timeIntervalSince1970 }

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
        forge.withState { $0.script[endpoint, default: []].append((answer, times)) }
    }

    /// Removes the queued answers of one endpoint, or of all if that is `nil`.
    package func answerGenuinely(_ endpoint: Endpoint? = nil) {
        forge.withState { if let endpoint { $0.script[endpoint] = nil } else { $0.script = [:] } }
    }

    /// Makes git's endpoints accept the tokens of another issuer, for which `owner` returns the account.
    package func admitTokens(_ owner: @escaping @Sendable (String) -> String?) {
        forge.withState { $0.otherIssuer = owner }
    }

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

    package func receive(_ reception: Reception) { forge.withState { $0.reception = reception } }

    /// Sets git's 401 challenge, for example one with an `enterprise_hint`.
    package func challenge(_ value: String) { forge.withState { $0.challenge = value } }

    package func requests(to endpoint: Endpoint) -> [Request] {
        requests.filter { $0.endpoint == endpoint }.map(\.request)
    }

    /// All requests with their endpoints, oldest first.
    package var requests: [(endpoint: Endpoint, request: Request)] { forge.withState { $0.log } }
    package func count(of endpoint: Endpoint) -> Int { requests(to: endpoint).count }

    /// The `HOST:PORT` of every CONNECT request, in order: shows which hosts were contacted.
    package var tunnels: [String] { forge.withState { $0.tunnels } }
    /// Whether no client is connected; requests of a killed client are carried out by then, or never.
    package var isIdle: Bool { server.clients == 0 && proxy.clients == 0 }
    /// All tokens ever issued, oldest first.
    package var tokens: [IssuedToken] { forge.withState { $0.server.tokens } }
    package func isLive(_ accessToken: String) -> Bool { forge.liveToken(accessToken) != nil }

    /// All device codes, access tokens and refresh tokens ever issued; none may appear in readable output.
    package var issuedSecrets: [String] { forge.withState { $0.server.issuedSecrets } }
    /// How often a refresh token was used after its first use; must stay 0.
    package var refreshTokenReuses: Int { forge.withState { $0.server.refreshTokenReuses } }
    /// The user code of the newest sign-in, which a program must show.
    package var newestUserCode: String? { forge.withState { $0.server.grants.last?.userCode } }
    package var completedSignIns: Int { forge.withState { $0.server.completedSignIns } }
    func app(_ clientID: String) -> App? { forge.withState { $0.server.apps[clientID] } }

    /// Enters a code in the form, as the person would.
    @discardableResult
    package func enter(userCode: String, approvingAs login: String?) -> Bool {
        let now = forge.clock()
        let decision = login.map { SignInOutcome.approve(as: $0) } ?? .deny
        return forge.withState { $0.server.decide(userCode: userCode, decision, now: now) }
    }
}

/// The behaviour of a new TCP connection before TLS and HTTP.
package enum Reception: String, Sendable {
    case served, plainHTTP
    /// The connection is accepted, and no byte is ever sent.
    case silent
    /// The connection is accepted and closed at once.
    case hungUp
}
