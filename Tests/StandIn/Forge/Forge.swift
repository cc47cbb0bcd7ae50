import Synchronization

/// The pretended service: its apps, people, tokens and repositories, and the answer to every request.
///
/// Knows nothing of sockets; `StandIn` puts it on the network.
final class Forge: Sendable {
    /// All that changes, behind one lock.
    struct State {
        var server: AuthorizationServer
        /// By `OWNER/NAME` in lower case, as the services compare them.
        var repositories: [String: Repository] = [:]
        /// What Git LFS keeps, by `OWNER/NAME`.
        var lfs: [String: LFSStore] = [:]
        var log = RequestLog()
        var script = Script()
        /// Value of the `WWW-Authenticate` header of git's 401 answers.
        var challenge: String
        /// Whether git is answered as by Bitbucket Cloud.
        var isBitbucket = false
        /// By git's endpoints; the API takes them always.
        var takesBearer = false
        /// What the proxy demands; nil: nothing.
        var reception = Reception.served
        /// Says whose an access token is that somebody else has issued; nil for nobody's.
        var otherIssuer: (@Sendable (String) -> String?)?
        /// By how much the `Date` of answers differs from the clock.
        var secondsAhead = 0.0
        /// `Proxy-Authorization` of who may pass; nil for everybody.
        var proxyLogin: String?

        init(_ service: Service) {
            server = AuthorizationServer(service)
            challenge =
                switch service {
                case .gitHub: "Basic realm=\"GitHub\""
                case .gitLab: "Basic realm=\"GitLab\""
                case .gitea: "Basic realm=\"Gitea\""
                }
        }
    }

    private let state: Mutex<State>
    /// What is played.
    let service: Service
    let clock: @Sendable () -> Double
    let files: GitFiles

    /// Makes an empty service; `clock` gives seconds since 1970.
    init(_ service: Service, files: GitFiles, clock: @escaping @Sendable () -> Double) {
        self.service = service
        state = Mutex(State(service))
        self.files = files
        self.clock = clock
    }

    /// Reads or changes the state, alone; no work that takes time may be done inside.
    func withState<Result: Sendable>(
        _ body: (inout sending State) throws -> sending Result
    ) rethrows -> sending Result {
        try state.withLock(body)
    }

    /// Records a request and answers it, by script if there is one.
    func respond(to request: Request) -> ScriptedAnswer {
        let endpoint = Endpoint(request, to: service)
        let scripted = withState { state in
            state.log.record(request, as: endpoint)
            return state.script.next(for: endpoint)
        }
        return scripted.resolved { dated(answer(request, at: endpoint), to: request) }
    }

    /// Records what the proxy was asked for; nil admits it.
    func refusal(ofTunnel request: Request) -> Answer? {
        guard request.method == "CONNECT" else { return .text("this proxy knows CONNECT only\n", status: 405) }
        return withState { state in
            guard state.proxyLogin == nil || request.headers["proxy-authorization"] == state.proxyLogin else {
                return .proxyRefusal
            }
            state.log.tunnels.append(request.target)
            return nil
        }
    }

    /// The answer with the time at which it was made (RFC 9110 6.6.1), and without a body where only its head was asked for.
    private func dated(_ answer: Answer, to request: Request) -> Answer {
        var dated = answer
        // RFC 9110 9.3.2: what follows would be taken for the next answer.
        if request.method == "HEAD" { dated.body = [] }
        dated.headers.append(Header("Date", HTTPDate.text(clock() + withState { $0.secondsAhead })))
        return dated
    }

    /// The genuine answer of an endpoint.
    private func answer(_ request: Request, at endpoint: Endpoint) -> Answer {
        switch endpoint {
        case .deviceCode, .poll, .exchange, .refresh: answerOAuth(request, at: endpoint)
        case .authorization: answerAuthorization(request)
        case .discovery: answerGiteaDiscovery(request)
        case .verification: answerVerification(request)
        case .user, .userInfo, .repository, .meta, .tokenInfo, .userInstallations, .userRepositories:
            switch service {
            case .gitHub: answerGitHubAPI(request, at: endpoint)
            case .gitLab: answerGitLabAPI(request, at: endpoint)
            case .gitea: answerGiteaAPI(request, at: endpoint)
            }
        case .revokeCredentials: revokeCredentials(request)
        case .revoke: answerGitLabRevocation(request)
        case .app, .installations, .installation, .installationToken: answerApp(request, at: endpoint)
        case .installationRepositories, .revokeInstallation: answerInstallation(request, at: endpoint)
        case .gitRefs, .gitFetch, .gitPush: answerGit(request, at: endpoint)
        case .lfs: answerLFS(request)
        case .goGet: answerGoGet(request)
        case .unknown: .html("<h1>Not Found</h1>", status: 404)
        }
    }
}
